/* SPDX-License-Identifier: BSD-3-Clause
 *
 * From what is known of a job that ended to its record in the journal. Called by judge.c.
 */
#ifndef HN_END_RECORD_H
#define HN_END_RECORD_H

#include "outcome.h"

/* Memory of the record's texts that the arguments do not hold. */
struct hn_end_texts {
    char place[600], signal[40];
    struct hn_note notes[HN_NOTES_MOST];
};

/* Fills in what the evidence and the end of the process say; id, attempt, again, verdict and folder
 * are the caller's. */
void hn_end_record_fill(struct hn_end_record *record, const struct hn_found *found,
                        const struct hn_ending *ending, struct hn_end_texts *texts);

#endif
