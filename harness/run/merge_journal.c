/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The journal of a merged run: one head, then what each shard wrote of the jobs it owns. Called by
 * merge.c.
 */
#include <string.h>

#include "file.h"
#include "json_copy.h"
#include "merge_internal.h"
#include "record.h"

static void write_check(const struct hn_json *job, void *context)
{
    const char *id = "", *level = "must";
    hn_json_text(job, "id", &id, NULL);
    hn_json_text(job, "level", &level, NULL);
    hn_write_object(context, NULL);
    hn_write_text(context, "id", id);
    hn_write_text(context, "level", level);
    hn_write_object_end(context);
}

static int append(struct hn_merge *merge, struct hn_json_writer *writer, struct hn_error *error)
{
    struct hn_buffer *text = writer->out;
    hn_write_object_end(writer);
    int status = hn_write_end(writer);
    if (status == HN_OK)
        status = hn_journal_append(&merge->journal, text->text, text->length, error);
    hn_buffer_finish(text);
    return status;
}

static int write_head(struct hn_merge *merge, const struct hn_json *record, struct hn_error *error)
{
    struct hn_buffer text;
    struct hn_json_writer writer;
    struct hn_json member;
    void *at = NULL;
    hn_buffer_init(&text, HN_MERGE_TEXT);
    hn_write_begin(&writer, &text, 0);
    hn_write_object(&writer, NULL);
    while (hn_json_member(record, &at, &member)) {
        if (strcmp(member.key, "checks") == 0) {
            hn_write_array(&writer, "checks");
            hn_merge_each(merge, write_check, &writer);
            hn_write_array_end(&writer);
        } else if (strcmp(member.key, "shard") != 0 && strcmp(member.key, "arguments") != 0) {
            hn_json_copy(&member, member.key, &writer);
        }
    }
    hn_write_array(&writer, "merged_from");
    for (size_t i = 0; i < merge->count; i++)
        hn_write_text(&writer, NULL, merge->shards[i].folder);
    hn_write_array_end(&writer);
    return append(merge, &writer, error);
}

struct search {
    const char *id;
    int found;
};

static void look(const struct hn_json *job, void *context)
{
    struct search *search = context;
    const char *id = "";
    hn_json_text(job, "id", &id, NULL);
    search->found |= strcmp(id, search->id) == 0;
}

static int is_owned(const struct hn_shard *shard, const char *id)
{
    struct search search = {id, 0};
    hn_merge_each_of(shard, look, &search);
    return search.found;
}

/* Evidence stays where it is: a merged run points into the shards. */
static int copy_record(struct hn_merge *merge, const struct hn_json *record, struct hn_error *error)
{
    struct hn_buffer text;
    struct hn_json_writer writer;
    struct hn_json member;
    void *at = NULL;
    hn_buffer_init(&text, HN_MERGE_TEXT);
    hn_write_begin(&writer, &text, 0);
    hn_write_object(&writer, NULL);
    while (hn_json_member(record, &at, &member)) {
        const char *folder;
        char path[HN_PATH_SIZE];
        if (strcmp(member.key, "folder") == 0 && hn_json_as_text(&member, &folder, NULL) == HN_OK &&
            hn_path_join(path, sizeof path, merge->current->place, folder, NULL) == HN_OK)
            hn_write_text(&writer, "folder", path);
        else
            hn_json_copy(&member, member.key, &writer);
    }
    return append(merge, &writer, error);
}

static int count_verdict(struct hn_merge *merge, const struct hn_json *record,
                         struct hn_error *error)
{
    const char *name = NULL;
    enum hn_verdict verdict = HN_NOTRUN;
    int final = 0;
    int status = hn_json_boolean(record, "final", &final, error);
    if (status == HN_OK)
        status = hn_json_text(record, "verdict", &name, error);
    if (status == HN_OK && hn_verdict_from_name(name, &verdict) != HN_OK)
        status = hn_json_complain(record, error, "has no known verdict");
    if (status == HN_OK && final)
        merge->totals[verdict]++;
    return status;
}

/* The same in every shard: the first one's is enough. */
static int is_of_target(const char *event)
{
    static const char *const events[] = {"preflight", "isolation", "target"};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++)
        if (strcmp(event, events[i]) == 0)
            return 1;
    return 0;
}

static int see_record(void *context, const struct hn_json *record, struct hn_error *error)
{
    struct hn_merge *merge = context;
    const char *event = NULL, *id = NULL;
    int status = hn_json_text(record, "event", &event, error);
    if (status != HN_OK)
        return status;
    const int is_job = strcmp(event, "start") == 0 || strcmp(event, "end") == 0;
    if (strcmp(event, "run") == 0 && !merge->headed++)
        return write_head(merge, record, error);
    if (is_of_target(event) && merge->current == merge->shards)
        return copy_record(merge, record, error);
    if (is_job)
        status = hn_json_text(record, "id", &id, error);
    if (status != HN_OK || !is_job || !is_owned(merge->current, id))
        return status;
    if (strcmp(event, "end") == 0)
        status = count_verdict(merge, record, error);
    return status == HN_OK ? copy_record(merge, record, error) : status;
}

int hn_merge_write_journal(struct hn_merge *merge, struct hn_error *error)
{
    char path[HN_PATH_SIZE];
    int status = hn_path_join(path, sizeof path, merge->out, HN_JOURNAL_FILE, error);
    if (status == HN_OK)
        status = hn_journal_create(&merge->journal, path, error);
    merge->complete = 1;
    for (size_t i = 0; status == HN_OK && i < merge->count; i++) {
        merge->current = &merge->shards[i];
        merge->complete &= merge->current->complete;
        status = hn_path_join(path, sizeof path, merge->current->folder, HN_JOURNAL_FILE, error);
        if (status == HN_OK)
            status = hn_journal_read(path, see_record, merge, NULL, error);
    }
    if (status == HN_OK)
        status = hn_record_finish(&merge->journal, merge->complete,
                                  merge->complete ? "" : "a shard is not complete", merge->totals,
                                  error);
    hn_journal_close(&merge->journal);
    return status;
}
