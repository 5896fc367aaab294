/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See merge.h. A check belongs to one shard; in the others it may have run as support, and what it
 * did there is left out. What this program does not interpret it copies.
 */
#include "merge.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "journal.h"
#include "json_copy.h"
#include "json_write.h"
#include "outcome.h"
#include "record.h"

#define SHARDS 1000
#define TEXT_LIMIT ((size_t)256 << 20)

/* What must be the same in all shards: member, its member, and how to call it in a sentence. */
static const struct {
    const char *object, *key, *words;
} identity[] = {
    {"target", "name", "target"},       {"torch", "version", "torch version"},
    {"torch", "git", "torch revision"}, {"contract", "digest", "contract"},
    {NULL, "select", "selection"},      {NULL, "seed", "seed"},
};
#define IDENTITY (sizeof identity / sizeof *identity)

struct shard {
    const char *folder;
    struct hn_json_document *plan;
    char *identity[IDENTITY];
    int64_t index, of;
    int complete;
};

struct merge {
    struct shard shards[SHARDS];
    size_t count;
    struct shard *current; /* under the journal's visitor */
    struct hn_journal journal;
    size_t totals[HN_VERDICTS];
    int headed, complete;
    const char *out;
};

static const struct hn_json_limits plan_limits = {(size_t)64 << 20, 8};

/* ---- reading ---- */

static int read_identity(struct shard *shard, const struct hn_json *record, struct hn_error *error)
{
    int status = HN_OK;
    for (size_t i = 0; status == HN_OK && i < IDENTITY; i++) {
        struct hn_json object = *record;
        const char *text = NULL;
        if (identity[i].object)
            status = hn_json_object(record, identity[i].object, &object, error);
        if (status == HN_OK)
            status = hn_json_text(&object, identity[i].key, &text, error);
        if (status == HN_OK && !(shard->identity[i] = strdup(text)))
            status = hn_error_nomem(error);
    }
    return status;
}

static int see_head(void *context, const struct hn_json *record, struct hn_error *error)
{
    struct shard *shard = context;
    struct hn_json part;
    const char *event = NULL;
    int status = hn_json_text(record, "event", &event, error);
    if (status == HN_OK && strcmp(event, "finish") == 0)
        return hn_json_boolean(record, "complete", &shard->complete, error);
    if (status != HN_OK || strcmp(event, "run") != 0)
        return status;
    status = read_identity(shard, record, error);
    if (status == HN_OK)
        status = hn_json_object(record, "shard", &part, error);
    if (status == HN_OK)
        status = hn_json_integer(&part, "index", 1, SHARDS, &shard->index, error);
    if (status == HN_OK)
        status = hn_json_integer(&part, "of", 1, SHARDS, &shard->of, error);
    return status;
}

static int read_plan(struct shard *shard, struct hn_error *error)
{
    char path[HN_PATH_SIZE];
    char *text = NULL;
    size_t length = 0;
    int status = hn_path_join(path, sizeof path, shard->folder, "plan.json", error);
    if (status == HN_OK)
        status = hn_file_read(path, plan_limits.bytes, &text, &length, error);
    if (status == HN_OK)
        status = hn_json_parse(text, length, &plan_limits, shard->folder, 0, &shard->plan, error);
    free(text);
    return status;
}

static int read_shard(struct shard *shard, const char *folder, struct hn_error *error)
{
    char path[HN_PATH_SIZE];
    shard->folder = folder;
    int status = hn_path_join(path, sizeof path, folder, HN_JOURNAL_FILE, error);
    if (status == HN_OK)
        status = hn_journal_read(path, see_head, shard, NULL, error);
    if (status == HN_OK && shard->of == 0)
        status = hn_error_set(error, HN_EINPUT, "%s has no whole run record", path);
    return status == HN_OK ? read_plan(shard, error) : status;
}

/* ---- refusing ---- */

static int compare(const struct shard *first, const struct shard *other, struct hn_error *error)
{
    for (size_t i = 0; i < IDENTITY; i++)
        if (strcmp(first->identity[i], other->identity[i]) != 0)
            return hn_error_set(error, HN_EINPUT, "%s is of another %s than %s: \"%s\", not \"%s\"",
                                other->folder, identity[i].words, first->folder, other->identity[i],
                                first->identity[i]);
    if (first->of != other->of)
        return hn_error_set(error, HN_EINPUT, "%s is one of %lld shards, %s one of %lld",
                            other->folder, (long long)other->of, first->folder,
                            (long long)first->of);
    return HN_OK;
}

static int need_every_shard(const struct merge *merge, struct hn_error *error)
{
    const struct shard *by_index[SHARDS + 1] = {0};
    const int64_t of = merge->shards[0].of;
    for (size_t i = 0; i < merge->count; i++) {
        const struct shard **place = &by_index[merge->shards[i].index];
        if (*place)
            return hn_error_set(error, HN_EINPUT, "%s and %s are both shard %lld", (*place)->folder,
                                merge->shards[i].folder, (long long)merge->shards[i].index);
        *place = &merge->shards[i];
    }
    for (int64_t index = 1; index <= of; index++)
        if (!by_index[index])
            return hn_error_set(error, HN_EINPUT, "shard %lld of %lld is missing", (long long)index,
                                (long long)of);
    return HN_OK;
}

static int read_shards(struct merge *merge, char *const *folders, size_t count,
                       struct hn_error *error)
{
    int status = HN_OK;
    if (count == 0 || count > SHARDS)
        return hn_error_set(error, HN_EUSAGE, "merge wants 1 to %d runs", SHARDS);
    for (size_t i = 0; status == HN_OK && i < count; i++) {
        merge->count++;
        status = read_shard(&merge->shards[i], folders[i], error);
        if (status == HN_OK && i > 0)
            status = compare(&merge->shards[0], &merge->shards[i], error);
    }
    return status == HN_OK ? need_every_shard(merge, error) : status;
}

/* ---- writing ---- */

typedef void (*visit_job)(const struct hn_json *job, void *context);

/* Every job that this shard owns. */
static void each_owned_by(const struct shard *shard, visit_job visit, void *context)
{
    struct hn_json root, jobs, job;
    hn_json_root(shard->plan, &root);
    if (hn_json_array(&root, "jobs", &jobs, NULL) != HN_OK)
        return;
    for (size_t i = 0; i < hn_json_count(&jobs); i++) {
        int support = 0;
        hn_json_item(&jobs, i, &job);
        hn_json_boolean(&job, "support", &support, NULL);
        if (!support)
            visit(&job, context);
    }
}

static void each_owned(const struct merge *merge, visit_job visit, void *context)
{
    for (size_t i = 0; i < merge->count; i++)
        each_owned_by(&merge->shards[i], visit, context);
}

static void write_whole_job(const struct hn_json *job, void *context)
{
    hn_json_copy(job, NULL, context);
}

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

static int list_of(const struct shard *shard, const char *key, struct hn_json *root,
                   struct hn_json *list)
{
    hn_json_root(shard->plan, root);
    return hn_json_array(root, key, list, NULL) == HN_OK;
}

static int plan_has_requirement(const struct shard *shard, const char *id)
{
    struct hn_json root, list, item;
    if (!list_of(shard, "requirements", &root, &list))
        return 0;
    for (size_t i = 0; i < hn_json_count(&list); i++) {
        const char *one = "";
        hn_json_item(&list, i, &item);
        if (hn_json_text(&item, "id", &one, NULL) == HN_OK && strcmp(one, id) == 0)
            return 1;
    }
    return 0;
}

/* By first appearance: checks of several shards may cover the same one. */
static void write_requirements_of(const struct merge *merge, size_t index,
                                  struct hn_json_writer *writer)
{
    struct hn_json root, list, item;
    if (!list_of(&merge->shards[index], "requirements", &root, &list))
        return;
    for (size_t i = 0; i < hn_json_count(&list); i++) {
        const char *id = "";
        size_t earlier = 0;
        hn_json_item(&list, i, &item);
        hn_json_text(&item, "id", &id, NULL);
        while (earlier < index && !plan_has_requirement(&merge->shards[earlier], id))
            earlier++;
        if (earlier == index)
            hn_json_copy(&item, NULL, writer);
    }
}

static void write_requirements(const struct merge *merge, struct hn_json_writer *writer)
{
    hn_write_array(writer, "requirements");
    for (size_t i = 0; i < merge->count; i++)
        write_requirements_of(merge, i, writer);
    hn_write_array_end(writer);
}

static int write_plan(const struct merge *merge, struct hn_error *error)
{
    struct hn_buffer text;
    struct hn_json_writer writer;
    struct hn_json root, member;
    char path[HN_PATH_SIZE];
    void *at = NULL;
    hn_buffer_init(&text, TEXT_LIMIT);
    hn_write_begin(&writer, &text, 1);
    hn_write_object(&writer, NULL);
    hn_json_root(merge->shards[0].plan, &root);
    while (hn_json_member(&root, &at, &member)) {
        if (strcmp(member.key, "jobs") == 0) {
            hn_write_array(&writer, "jobs");
            each_owned(merge, write_whole_job, &writer);
            hn_write_array_end(&writer);
        } else if (strcmp(member.key, "requirements") == 0) {
            write_requirements(merge, &writer);
        } else if (strncmp(member.key, "shard", 5) == 0) {
            hn_write_integer(&writer, member.key, 1);
        } else {
            hn_json_copy(&member, member.key, &writer);
        }
    }
    hn_write_object_end(&writer);
    int status = hn_write_end(&writer);
    if (status == HN_OK)
        status = hn_path_join(path, sizeof path, merge->out, "plan.json", error);
    if (status == HN_OK)
        status = hn_file_write(path, text.text, text.length, error);
    hn_buffer_finish(&text);
    return status;
}

static int append(struct merge *merge, struct hn_json_writer *writer, struct hn_error *error)
{
    struct hn_buffer *text = writer->out;
    hn_write_object_end(writer);
    int status = hn_write_end(writer);
    if (status == HN_OK)
        status = hn_journal_append(&merge->journal, text->text, text->length, error);
    hn_buffer_finish(text);
    return status;
}

static int write_head(struct merge *merge, const struct hn_json *record, struct hn_error *error)
{
    struct hn_buffer text;
    struct hn_json_writer writer;
    struct hn_json member;
    void *at = NULL;
    hn_buffer_init(&text, TEXT_LIMIT);
    hn_write_begin(&writer, &text, 0);
    hn_write_object(&writer, NULL);
    while (hn_json_member(record, &at, &member)) {
        if (strcmp(member.key, "checks") == 0) {
            hn_write_array(&writer, "checks");
            each_owned(merge, write_check, &writer);
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

static int is_owned(const struct shard *shard, const char *id)
{
    struct search search = {id, 0};
    each_owned_by(shard, look, &search);
    return search.found;
}

/* Evidence stays where it is: a merged run points into the shards. */
static int copy_record(struct merge *merge, const struct hn_json *record, struct hn_error *error)
{
    struct hn_buffer text;
    struct hn_json_writer writer;
    struct hn_json member;
    void *at = NULL;
    hn_buffer_init(&text, TEXT_LIMIT);
    hn_write_begin(&writer, &text, 0);
    hn_write_object(&writer, NULL);
    while (hn_json_member(record, &at, &member)) {
        const char *folder;
        char path[HN_PATH_SIZE];
        if (strcmp(member.key, "folder") == 0 && hn_json_as_text(&member, &folder, NULL) == HN_OK &&
            hn_path_join(path, sizeof path, merge->current->folder, folder, NULL) == HN_OK)
            hn_write_text(&writer, "folder", path);
        else
            hn_json_copy(&member, member.key, &writer);
    }
    return append(merge, &writer, error);
}

static int count_verdict(struct merge *merge, const struct hn_json *record, struct hn_error *error)
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

static int see_record(void *context, const struct hn_json *record, struct hn_error *error)
{
    struct merge *merge = context;
    const char *event = NULL, *id = NULL;
    int status = hn_json_text(record, "event", &event, error);
    if (status != HN_OK)
        return status;
    const int is_job = strcmp(event, "start") == 0 || strcmp(event, "end") == 0;
    if (strcmp(event, "run") == 0 && !merge->headed++)
        return write_head(merge, record, error);
    const int is_of_target = strcmp(event, "isolation") == 0 || strcmp(event, "target") == 0;
    if (is_of_target && merge->current == merge->shards)
        return copy_record(merge, record, error);
    if (is_job)
        status = hn_json_text(record, "id", &id, error);
    if (status != HN_OK || !is_job || !is_owned(merge->current, id))
        return status;
    if (strcmp(event, "end") == 0)
        status = count_verdict(merge, record, error);
    return status == HN_OK ? copy_record(merge, record, error) : status;
}

static int write_journal(struct merge *merge, struct hn_error *error)
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

static void forget(struct merge *merge)
{
    for (size_t i = 0; i < merge->count; i++) {
        hn_json_destroy(merge->shards[i].plan);
        for (size_t k = 0; k < IDENTITY; k++)
            free(merge->shards[i].identity[k]);
    }
    free(merge);
}

int hn_merge(char *const *folders, size_t count, const char *out, struct hn_error *error)
{
    struct merge *merge = calloc(1, sizeof *merge);
    if (!merge)
        return hn_error_nomem(error);
    merge->out = out;
    merge->journal.file = -1;
    int status = read_shards(merge, folders, count, error);
    if (status == HN_OK)
        status = hn_dir_make(out, error);
    if (status == HN_OK)
        status = write_journal(merge, error);
    if (status == HN_OK)
        status = write_plan(merge, error);
    forget(merge);
    return status;
}
