/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests whether the records of a journal agree with each other. Called by hn_journal_read, so that
 * every reader rejects a journal in which a later record changes the verdict of a check.
 */
#ifndef HN_AGREEMENT_H
#define HN_AGREEMENT_H

#include "arena.h"
#include "record.h"

struct hn_agreement {
    struct hn_arena *arena;
    struct hn_agreed *rows; /* one for each planned check, sorted by id and switch */
    size_t count;
    int finished;
};

/* Returns HN_EINPUT with a sentence if the record contradicts an earlier record. If `complete`, no
 * line was lost, so the totals at the end of the run must equal the totals of the records. */
int hn_agreement_see(struct hn_agreement *agreement, const struct hn_record *record, int complete,
                     struct hn_error *error);
void hn_agreement_finish(struct hn_agreement *agreement);

#endif
