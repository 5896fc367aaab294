/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A likely cause of a failure, if facts of the failure allow one. Called by the renderers.
 */
#ifndef RP_CHECK_LIKELY_H
#define RP_CHECK_LIKELY_H

#include "run_model.h"

/* Returns the usual cause if the run saw its symptom, or else "". The symptom is the check's
 * `other_hint_when` or `hint_when`, or else a wrong value; a crash or exception alone is none. */
const char *rp_check_likely(const struct rp_check *check);

#endif
