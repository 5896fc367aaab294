/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Steps of the merge, and the data they share: read the shards, refuse what does not belong
 * together (merge_read.c), write the plan (merge_plan.c), write the journal (merge_journal.c).
 */
#ifndef HN_MERGE_INTERNAL_H
#define HN_MERGE_INTERNAL_H

#include "journal.h"
#include "json_read.h"

#define HN_MERGE_SHARDS 1000
#define HN_MERGE_TEXT ((size_t)256 << 20)

struct hn_shard {
    const char *folder; /* as the user called it */
    char *place;        /* the same, absolute: what the merged run points at */
    struct hn_json_document *plan;
    struct hn_record *head;
    int complete;
};

struct hn_merge {
    struct hn_shard shards[HN_MERGE_SHARDS];
    size_t count;
    struct hn_shard *current; /* under the journal's visitor */
    struct hn_journal journal;
    size_t totals[HN_VERDICTS];
    const char *out;
    int partial;
    int missing; /* the first shard that is not there, 0 where all are */
};

/* The shards' heads and plans; HN_EINPUT when they are not all the shards of one run. */
int hn_merge_read(struct hn_merge *merge, char *const *folders, size_t count,
                  struct hn_error *error);

int hn_merge_write_plan(const struct hn_merge *merge, struct hn_error *error);
int hn_merge_write_journal(struct hn_merge *merge, struct hn_error *error);

#endif
