/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The steps of the merge and their data. merge_read.c reads and compares the shards, merge_plan.c
 * writes the plan, and merge_journal.c writes the journal.
 */
#ifndef HN_MERGE_INTERNAL_H
#define HN_MERGE_INTERNAL_H

#include "journal.h"
#include "json_read.h"

#define HN_MERGE_SHARDS 1000
#define HN_MERGE_TEXT ((size_t)256 << 20)

struct hn_shard {
    const char *folder; /* as the user gave it */
    char *place;        /* its absolute path, to which the merged run refers */
    struct hn_json_document *plan;
    struct hn_record *head;
    int complete;
};

struct hn_merge {
    struct hn_shard shards[HN_MERGE_SHARDS];
    size_t count;
    struct hn_shard *current; /* the shard that the journal's visitor reads */
    struct hn_journal journal;
    size_t totals[HN_VERDICTS];
    const char *out;
    int partial;
    int missing; /* number of the first missing shard; 0 if none is missing */
};

/* Reads the headers and plans of the shards. Returns HN_EINPUT unless they are all the shards of
 * one run. */
int hn_merge_read(struct hn_merge *merge, char *const *folders, size_t count,
                  struct hn_error *error);

int hn_merge_write_plan(const struct hn_merge *merge, struct hn_error *error);
int hn_merge_write_journal(struct hn_merge *merge, struct hn_error *error);

#endif
