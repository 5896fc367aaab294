/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the files that a job left in its folder. Foreign code could write to them, so everything
 * is verified: if a line is no event, an end record has another nonce, or a count is wrong, all
 * evidence of the job is `spoiled`.
 */
#ifndef HN_EVIDENCE_READ_H
#define HN_EVIDENCE_READ_H

#include "outcome.h"

/* Always fills `found`. If the evidence cannot be read, it is `spoiled`; if the end record is
 * missing, there is no end. */
void hn_evidence_read(const char *folder, const char *nonce, struct hn_found *found);

#endif
