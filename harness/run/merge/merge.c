/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See merge.h. A check belongs to one shard. The merge leaves out the records of shards in which
 * the check ran only as support.
 */
#include "merge.h"

#include <stdlib.h>

#include "file.h"
#include "merge_internal.h"

static void forget(struct hn_merge *merge)
{
    for (size_t i = 0; i < merge->count; i++) {
        hn_json_destroy(merge->shards[i].plan);
        hn_journal_head_destroy(merge->shards[i].head);
        free(merge->shards[i].place);
    }
    free(merge);
}

int hn_merge(char *const *folders, size_t count, const char *out, int partial,
             struct hn_error *error)
{
    struct hn_merge *merge = calloc(1, sizeof *merge);
    if (!merge)
        return hn_error_nomem(error);
    merge->out = out;
    merge->partial = partial;
    merge->journal.file = -1;
    int status = hn_merge_read(merge, folders, count, error);
    if (status == HN_OK)
        status = hn_dir_make(out, error);
    if (status == HN_OK)
        status = hn_merge_write_journal(merge, error);
    if (status == HN_OK)
        status = hn_merge_write_plan(merge, error);
    forget(merge);
    return status;
}
