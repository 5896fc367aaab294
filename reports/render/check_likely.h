/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A likely cause of a failure, if facts of the failure allow one. Called by the renderers.
 */
#ifndef RP_CHECK_LIKELY_H
#define RP_CHECK_LIKELY_H

#include "run_model.h"

/* The usual cause, if the run saw its symptom: the check's `other_hint_when` or `hint_when` or,
 * if the contract gives none, a wrong value. Never after a crash, a hang or an exception alone. */
const char *rp_check_likely(const struct rp_check *check);

#endif
