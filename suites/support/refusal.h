/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides whether a call of the bridge was refused, by the shape of its exception and not by its
 * text. For Python, assay/refusals/shape.py has the same rule. Called by expect.c and by checks
 * that look at a status themselves.
 */
#ifndef ASSAY_REFUSAL_H
#define ASSAY_REFUSAL_H

#include "assay/check.h"

/* 1 if `status`, the result of this thread's last bridge call, is a refusal. */
int assay_is_refused(const struct assay_check *check, int32_t status);

/* Returns 1 if the current clause is about this means and no capability makes the means optional.
 * Then a refusal of the means is a violation. */
int assay_is_owed(const struct assay_check *check, const char *means);

/* Sets the current clause; NULL: all clauses. Called by expect.c. */
void assay_owes_for(const struct assay_check *check, const char *clause);

/* All later calls of the check are special cases (a second device, no bytes, after an error) whose
 * plain form has already worked. Then only PyTorch's words count as a refusal; any other exception
 * is a failure. */
void assay_ask_special_case(const struct assay_check *check);

/* Returns the only kind of tensor that the devices accept, or NULL if they accept the common ones. */
const char *assay_only_kind(const struct assay_check *check);

/* Records that the check uses samples. Until then, assay_unused_kind returns the only kind, because
 * the devices may refuse the kinds that the check uses. Called by sample.c. */
void assay_use_sample(const struct assay_check *check);
const char *assay_unused_kind(const struct assay_check *check);

#endif
