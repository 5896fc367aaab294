/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A likely cause of a failure, where its own facts allow one.
 */
#ifndef RP_CHECK_LIKELY_H
#define RP_CHECK_LIKELY_H

#include "run_model.h"

/* The usual cause, when the run saw what it explains: the check's `other_hint_when`, its `hint_when`, or, where the
 * contract gives none, a wrong value. Never after a crash, a hang or an exception alone. */
const char *rp_check_likely(const struct rp_check *check);

#endif
