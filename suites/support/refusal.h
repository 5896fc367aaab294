/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether a call of the bridge was refused: known by the shape of what it raised, not by its words (the same rule for
 * what leaves Python is refusals.py). Called by expect.c and by checks that look at a status themselves.
 */
#ifndef ASSAY_REFUSAL_H
#define ASSAY_REFUSAL_H

#include "assay/check.h"

/* 1 if `status`, of this thread's last call of the bridge, is a refusal. */
int assay_is_refused(const struct assay_check *check, int32_t status);

/* 1 if the clause under way is about this means and the contract knows no capability that a backend may lack for it:
 * its refusal is a violation. */
int assay_is_owed(const struct assay_check *check, const char *means);

/* Tells which clause is under way; NULL: all of them. Called by expect.c. */
void assay_owes_for(const struct assay_check *check, const char *clause);

/* From here to the end of the check calls are made whose plain form was seen to work: with a second device, no bytes,
 * after an error. Only PyTorch's words for a refusal count then; who raises anything else has broken the call. */
void assay_ask_special_case(const struct assay_check *check);

#endif
