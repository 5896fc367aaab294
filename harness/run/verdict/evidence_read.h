/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads the files that a job left in its folder. The target's code could write to these files,
 * so everything is verified. If a line is no event, an end record has another nonce, or a count
 * is wrong, no evidence of the job is valid, and `spoiled` has the reason.
 */
#ifndef HN_EVIDENCE_READ_H
#define HN_EVIDENCE_READ_H

#include "outcome.h"

/* Always fills `found`. `spoiled` is set if the evidence cannot be read, and `end` only if there is
 * an end record. */
void hn_evidence_read(const char *folder, const char *nonce, struct hn_found *found);

#endif
