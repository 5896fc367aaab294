/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the shards of a run and refuses what does not belong together. Called by merge.c.
 */
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "merge_internal.h"

/* What must be the same in all shards: member, its member, and how to call it in a sentence. */
static const struct {
    const char *object, *key, *words;
} identity[HN_MERGE_IDENTITY] = {
    {"target", "name", "target"},       {"torch", "version", "torch version"},
    {"torch", "git", "torch revision"}, {"contract", "digest", "contract"},
    {NULL, "select", "selection"},      {NULL, "seed", "seed"},
};

static const struct hn_json_limits plan_limits = {(size_t)64 << 20, 8};

/* ---- reading ---- */

static int read_identity(struct hn_shard *shard, const struct hn_json *record,
                         struct hn_error *error)
{
    int status = HN_OK;
    for (size_t i = 0; status == HN_OK && i < HN_MERGE_IDENTITY; i++) {
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
    struct hn_shard *shard = context;
    struct hn_json part;
    const char *event = NULL;
    int status = hn_json_text(record, "event", &event, error);
    if (status == HN_OK && strcmp(event, "finish") == 0)
        return hn_json_boolean(record, "complete", &shard->complete, error);
    if (status != HN_OK || strcmp(event, "run") != 0)
        return status;
    if (shard->identity[0])
        return hn_error_set(error, HN_EINPUT, "%s has a second run record", shard->folder);
    status = read_identity(shard, record, error);
    if (status == HN_OK)
        status = hn_json_object(record, "shard", &part, error);
    if (status == HN_OK)
        status = hn_json_integer(&part, "index", 1, HN_MERGE_SHARDS, &shard->index, error);
    if (status == HN_OK)
        status = hn_json_integer(&part, "of", 1, HN_MERGE_SHARDS, &shard->of, error);
    return status;
}

static int read_plan(struct hn_shard *shard, struct hn_error *error)
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

static int read_shard(struct hn_shard *shard, const char *folder, struct hn_error *error)
{
    char path[HN_PATH_SIZE];
    shard->folder = folder;
    int status = hn_path_join(path, sizeof path, folder, HN_JOURNAL_FILE, error);
    if (status == HN_OK)
        status = hn_journal_read(path, see_head, shard, NULL, error);
    if (status == HN_OK && shard->of == 0)
        status = hn_error_set(error, HN_EINPUT, "%s has no whole run record", path);
    if (status == HN_OK && shard->index > shard->of)
        status = hn_error_set(error, HN_EINPUT, "%s calls itself shard %lld of %lld", path,
                              (long long)shard->index, (long long)shard->of);
    if (status == HN_OK && !(shard->place = realpath(folder, NULL)))
        status = hn_error_errno(error, "cannot tell where %s is", folder);
    return status == HN_OK ? read_plan(shard, error) : status;
}

/* ---- refusing ---- */

static int compare(const struct hn_shard *first, const struct hn_shard *other,
                   struct hn_error *error)
{
    for (size_t i = 0; i < HN_MERGE_IDENTITY; i++)
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

static int need_every_shard(const struct hn_merge *merge, struct hn_error *error)
{
    const struct hn_shard *by_index[HN_MERGE_SHARDS + 1] = {0};
    const int64_t of = merge->shards[0].of;
    for (size_t i = 0; i < merge->count; i++) {
        const struct hn_shard **place = &by_index[merge->shards[i].index];
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

int hn_merge_read(struct hn_merge *merge, char *const *folders, size_t count,
                  struct hn_error *error)
{
    int status = HN_OK;
    if (count == 0 || count > HN_MERGE_SHARDS)
        return hn_error_set(error, HN_EUSAGE, "merge wants 1 to %d runs", HN_MERGE_SHARDS);
    for (size_t i = 0; status == HN_OK && i < count; i++) {
        merge->count++;
        status = read_shard(&merge->shards[i], folders[i], error);
        if (status == HN_OK && i > 0)
            status = compare(&merge->shards[0], &merge->shards[i], error);
    }
    return status == HN_OK ? need_every_shard(merge, error) : status;
}
