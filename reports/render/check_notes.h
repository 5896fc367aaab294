/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts that a failed check noted under a key: the operators that used the fallback, the
 * observations of a watch, the failed cases.
 */
#ifndef RP_CHECK_NOTES_H
#define RP_CHECK_NOTES_H

#include "run_model.h"

/* The key of a note about the reported case. */
#define RP_OF_CASE "the case through the CPU fallback: "
/* The text that a failed check noted under this key ("key: "), or "". */
const char *rp_check_noted(const struct rp_check *check, const char *key);

/* "aten.mm.default is the first wrong operator, at ...": for a failed program that was run
 * again; else "". */
const char *rp_check_watched(const struct rp_check *check);

/* "24 of 36: LSTM cell (12 of 12); GRU cell (12 of 12). Nothing failed of: RNN cell": for a
 * failed check with many cases; else "". The note "failed" lists all failed cases. */
const char *rp_check_failed(const struct rp_check *check);

#endif
