/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Builds the journal record of a job that ended, from its evidence. Called by judge.c.
 */
#ifndef HN_END_RECORD_H
#define HN_END_RECORD_H

#include "outcome.h"

/* Memory for texts of the record that the arguments do not own. */
struct hn_end_texts {
    char place[600], signal[40];
    struct hn_note notes[HN_NOTES_MOST];
};

/* Fills in the members that follow from the evidence and from the end of the process. The caller
 * fills in id, attempt, again, verdict and folder. */
void hn_end_record_fill(struct hn_end_record *record, const struct hn_found *found,
                        const struct hn_ending *ending, struct hn_end_texts *texts);

#endif
