/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the journal of a merged run: one header, then the records of each shard for the jobs it
 * owns. Called by merge.c.
 */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "merge_internal.h"

/* Takes the checks that the shard owns; returns their number. */
static size_t take_checks(const struct hn_shard *shard, struct hn_planned *checks)
{
    size_t count = 0;
    for (size_t i = 0; i < shard->head->run.check_count; i++)
        if (!shard->head->run.checks[i].support)
            checks[count++] = shard->head->run.checks[i];
    return count;
}

static int write_head(struct hn_merge *merge, struct hn_error *error)
{
    struct hn_record record = *merge->shards[0].head;
    const char *folders[HN_MERGE_SHARDS];
    size_t most = 1, count = 0;
    for (size_t i = 0; i < merge->count; i++) {
        most += merge->shards[i].head->run.check_count;
        folders[i] = merge->shards[i].folder;
    }
    struct hn_planned *checks = calloc(most, sizeof *checks);
    if (!checks)
        return hn_error_nomem(error);
    for (size_t i = 0; i < merge->count; i++)
        count += take_checks(&merge->shards[i], checks + count);
    record.run.checks = checks;
    record.run.check_count = count;
    record.run.shard.index = record.run.shard.of = 0;
    record.run.merged_from = (struct hn_texts){folders, merge->count};
    const int status = hn_journal_write(&merge->journal, &record, error);
    free(checks);
    return status;
}

static int is_owned(const struct hn_shard *shard, const char *id)
{
    const struct hn_run_record *run = &shard->head->run;
    for (size_t i = 0; i < run->check_count; i++)
        if (!run->checks[i].support && strcmp(run->checks[i].id, id) == 0)
            return 1;
    return 0;
}

/* Evidence stays in the folders of the shards, and the merged run refers to these folders. */
static int copy_end(struct hn_merge *merge, const struct hn_record *record, struct hn_error *error)
{
    char folder[HN_PATH_SIZE];
    struct hn_record copy = *record;
    int status = HN_OK;
    if (!is_owned(merge->current, record->end.id))
        return HN_OK;
    if (*record->end.folder) {
        status =
            hn_path_join(folder, sizeof folder, merge->current->place, record->end.folder, error);
        copy.end.folder = folder;
    }
    merge->totals[record->end.verdict] += record->end.final != 0;
    return status == HN_OK ? hn_journal_write(&merge->journal, &copy, error) : status;
}

static int copy_record(void *context, const struct hn_record *record, struct hn_error *error)
{
    struct hn_merge *merge = context;
    switch (record->event) {
    case HN_EVENT_PREFLIGHT:
    case HN_EVENT_ISOLATION:
    case HN_EVENT_TARGET: /* the record is equal in every shard, so the first is enough */
        return merge->current == merge->shards ? hn_journal_write(&merge->journal, record, error)
                                               : HN_OK;
    case HN_EVENT_START:
        return is_owned(merge->current, record->start.id)
                   ? hn_journal_write(&merge->journal, record, error)
                   : HN_OK;
    case HN_EVENT_END:
        return copy_end(merge, record, error);
    default:
        return HN_OK;
    }
}

static int write_finish(struct hn_merge *merge, int complete, struct hn_error *error)
{
    const char *why = merge->missing ? "a shard is missing" : "a shard is not complete";
    complete &= !merge->missing;
    struct hn_record record = {.event = HN_EVENT_FINISH,
                               .finish = {.complete = complete, .why = complete ? "" : why}};
    memcpy(record.finish.totals, merge->totals, sizeof merge->totals);
    return hn_journal_write(&merge->journal, &record, error);
}

int hn_merge_write_journal(struct hn_merge *merge, struct hn_error *error)
{
    char path[HN_PATH_SIZE];
    int complete = 1;
    int status = hn_path_join(path, sizeof path, merge->out, HN_JOURNAL_FILE, error);
    if (status == HN_OK)
        status = hn_journal_create(&merge->journal, path, error);
    if (status == HN_OK)
        status = write_head(merge, error);
    for (size_t i = 0; status == HN_OK && i < merge->count; i++) {
        merge->current = &merge->shards[i];
        complete &= merge->current->complete;
        status = hn_path_join(path, sizeof path, merge->current->folder, HN_JOURNAL_FILE, error);
        if (status == HN_OK)
            status = hn_journal_read(path, copy_record, merge, NULL, error);
    }
    if (status == HN_OK)
        status = write_finish(merge, complete, error);
    hn_journal_close(&merge->journal);
    return status;
}
