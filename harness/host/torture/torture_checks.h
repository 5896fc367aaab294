/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Native checks with every kind of misbehaviour of a backend. torture_cases.txt has the expected
 * verdict of each check. The checks are part of no suite.
 */
#ifndef TORTURE_CHECKS_H
#define TORTURE_CHECKS_H

#include "assay/check.h"

extern const struct assay_check_row torture_rows[];
extern const uint32_t torture_row_count;

/* Defined in torture_evidence.c. */
void torture_writes_garbage_event(struct assay_check *check);
void torture_writes_unknown_event(struct assay_check *check);
void torture_forges_end(struct assay_check *check);
void torture_forges_end_and_ends(struct assay_check *check);
void torture_removes_evidence(struct assay_check *check);

/* Runs check->id; returns 0 if there is no such row. Called by the Python torture target. */
ASSAY_EXPORT int torture_run(struct assay_check *check);

#endif
