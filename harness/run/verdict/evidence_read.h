/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads what a job left in its folder. Foreign code had its hands on it, so everything is checked:
 * a line that is not an event, an end record with another nonce, a count that does not fit spoil
 * all.
 */
#ifndef HN_EVIDENCE_READ_H
#define HN_EVIDENCE_READ_H

#include "outcome.h"

/* Always fills `found`; what cannot be read is `spoiled`, what is not there is not an end. */
void hn_evidence_read(const char *folder, const char *nonce, struct hn_found *found);

#endif
