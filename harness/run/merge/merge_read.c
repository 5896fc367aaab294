/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the shards of a run and returns an error if they are not parts of one run. Called by
 * merge.c.
 */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "merge_internal.h"

/* Members that must be equal in all shards, and their names in the message. */
static const struct {
    size_t offset;
    const char *words;
} identity[] = {
    {offsetof(struct hn_run_record, target.name), "target"},
    {offsetof(struct hn_run_record, torch.version), "torch version"},
    {offsetof(struct hn_run_record, torch.git), "torch revision"},
    {offsetof(struct hn_run_record, contract.digest), "contract"},
    {offsetof(struct hn_run_record, select), "selection"},
    {offsetof(struct hn_run_record, seed), "seed"},
};

static const struct hn_json_limits plan_limits = {(size_t)64 << 20, 8};

/* ---- reading ---- */

/* Returns an error for a check that is not in the plan, because no report would read its record. */
static int need_planned(const struct hn_shard *shard, const struct hn_record *record,
                        const char *id, struct hn_error *error)
{
    const struct hn_run_record *run = &shard->head->run;
    for (size_t i = 0; i < run->check_count; i++)
        if (strcmp(run->checks[i].id, id) == 0)
            return HN_OK;
    return hn_record_complain(record, error, "names %.80s, which the run did not plan", id);
}

/* Records whether the run reached its end, and verifies that the whole file is a journal. */
static int see_end(void *context, const struct hn_record *record, struct hn_error *error)
{
    struct hn_shard *shard = context;
    if (record->event == HN_EVENT_START)
        return need_planned(shard, record, record->start.id, error);
    if (record->event == HN_EVENT_END)
        return need_planned(shard, record, record->end.id, error);
    if (record->event == HN_EVENT_FINISH)
        shard->complete = record->finish.complete;
    if (record->event == HN_EVENT_RESUME)
        shard->complete = 0;
    return HN_OK;
}

static int check_number(const struct hn_shard *shard, struct hn_error *error)
{
    const int index = shard->head->run.shard.index, of = shard->head->run.shard.of;
    if (index >= 1 && index <= of && of <= HN_MERGE_SHARDS)
        return HN_OK;
    return hn_error_set(error, HN_EINPUT, "%s calls itself shard %d of %d", shard->folder, index,
                        of);
}

static int read_plan(struct hn_shard *shard, struct hn_error *error)
{
    char path[HN_PATH_SIZE];
    const int status = hn_path_join(path, sizeof path, shard->folder, "plan.json", error);
    return status == HN_OK ? hn_json_read(path, &plan_limits, &shard->plan, error) : status;
}

static int read_shard(struct hn_shard *shard, const char *folder, struct hn_error *error)
{
    char path[HN_PATH_SIZE];
    shard->folder = folder;
    int status = hn_path_join(path, sizeof path, folder, HN_JOURNAL_FILE, error);
    if (status == HN_OK)
        status = hn_journal_head(path, &shard->head, error);
    if (status == HN_OK)
        status = check_number(shard, error);
    if (status == HN_OK)
        status = hn_journal_read(path, see_end, shard, NULL, error);
    if (status == HN_OK && !(shard->place = realpath(folder, NULL)))
        status = hn_error_errno(error, "cannot tell where %s is", folder);
    return status == HN_OK ? read_plan(shard, error) : status;
}

/* ---- comparing ---- */

static const char *identity_of(const struct hn_shard *shard, size_t row)
{
    const char *text;
    memcpy(&text, (const char *)&shard->head->run + identity[row].offset, sizeof text);
    return text;
}

static int compare(const struct hn_shard *first, const struct hn_shard *other,
                   struct hn_error *error)
{
    const int of = first->head->run.shard.of, others = other->head->run.shard.of;
    for (size_t i = 0; i < sizeof identity / sizeof *identity; i++)
        if (strcmp(identity_of(first, i), identity_of(other, i)) != 0)
            return hn_error_set(error, HN_EINPUT, "%s is of another %s than %s: \"%s\", not \"%s\"",
                                other->folder, identity[i].words, first->folder,
                                identity_of(other, i), identity_of(first, i));
    if (of != others)
        return hn_error_set(error, HN_EINPUT, "%s is one of %d shards, %s one of %d", other->folder,
                            others, first->folder, of);
    return HN_OK;
}

static int need_every_shard(struct hn_merge *merge, struct hn_error *error)
{
    const struct hn_shard *by_index[HN_MERGE_SHARDS + 1] = {0};
    const int of = merge->shards[0].head->run.shard.of;
    for (size_t i = 0; i < merge->count; i++) {
        const int index = merge->shards[i].head->run.shard.index;
        if (by_index[index])
            return hn_error_set(error, HN_EINPUT, "%s and %s are both shard %d",
                                by_index[index]->folder, merge->shards[i].folder, index);
        by_index[index] = &merge->shards[i];
    }
    for (int index = of; index >= 1; index--)
        if (!by_index[index])
            merge->missing = index;
    if (merge->missing && !merge->partial)
        return hn_error_set(error, HN_EINPUT, "shard %d of %d is missing", merge->missing, of);
    return HN_OK;
}

int hn_merge_read(struct hn_merge *merge, char *const *folders, size_t count,
                  struct hn_error *error)
{
    int status = HN_OK;
    if (count == 0 || count > HN_MERGE_SHARDS)
        return hn_error_set(error, HN_EUSAGE, "merge takes 1 to %d runs", HN_MERGE_SHARDS);
    for (size_t i = 0; status == HN_OK && i < count; i++) {
        merge->count++;
        status = read_shard(&merge->shards[i], folders[i], error);
        if (status == HN_OK && i > 0)
            status = compare(&merge->shards[0], &merge->shards[i], error);
    }
    return status == HN_OK ? need_every_shard(merge, error) : status;
}
