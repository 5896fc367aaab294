/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts that a failed check noted under a key: what its operators ran through, what a watch saw, what failed.
 */
#ifndef RP_CHECK_NOTES_H
#define RP_CHECK_NOTES_H

#include "run_model.h"

/* The key of a note on the case that is shown. */
#define RP_OF_CASE "the case through the CPU fallback: "
/* The text that a failed check noted under this key, "key: ", or "". */
const char *rp_check_noted(const struct rp_check *check, const char *key);

/* "aten.mm.default is the first wrong operator, at ...": of a failed program, run again; "". */
const char *rp_check_watched(const struct rp_check *check);

/* "24 of 36: LSTM cell (12 of 12); GRU cell (12 of 12). Nothing failed of: RNN cell": of a failed check that asks many; "". All
 * that failed stand in the note "failed". */
const char *rp_check_failed(const struct rp_check *check);

#endif
