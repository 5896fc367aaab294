/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Native checks that misbehave in every way a backend can. torture_cases.txt says what each must
 * come out as. Part of no suite.
 */
#ifndef TORTURE_CHECKS_H
#define TORTURE_CHECKS_H

#include "assay/check.h"

extern const struct assay_check_row torture_rows[];
extern const uint32_t torture_row_count;

/* Of torture_evidence.c. */
void torture_writes_garbage_event(struct assay_check *check);
void torture_writes_unknown_event(struct assay_check *check);
void torture_forges_end(struct assay_check *check);
void torture_forges_end_and_ends(struct assay_check *check);
void torture_removes_evidence(struct assay_check *check);

/* Runs check->id; 0 when there is no such row. What the Python torture target calls. */
ASSAY_EXPORT int torture_run(struct assay_check *check);

#endif
