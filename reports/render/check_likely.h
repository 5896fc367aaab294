/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A likely cause of a failure, if the facts about the failure suggest a cause. Called by the
 * renderers.
 */
#ifndef RP_CHECK_LIKELY_H
#define RP_CHECK_LIKELY_H

#include "run_model.h"

/* Returns the usual cause of the failure, or "" if the run did not see the symptom of this cause.
 * The symptom is the check's `other_hint_when` or `hint_when`. A check without these has a wrong
 * value as its symptom: a crash or an exception alone is not enough. */
const char *rp_check_likely(const struct rp_check *check);

#endif
