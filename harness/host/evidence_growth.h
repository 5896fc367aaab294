/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What grew between two runs of a check, as notes (HN_NOTE_GREW). Called by job.c.
 */
#ifndef HN_EVIDENCE_GROWTH_H
#define HN_EVIDENCE_GROWTH_H

#include "evidence.h"
#include "host_callbacks.h"

void hn_evidence_growth(struct hn_evidence *evidence, const struct hn_growth *second,
                        const struct hn_growth *third);

#endif
