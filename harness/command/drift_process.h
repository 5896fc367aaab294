/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The commands that harness/drift does in Python: assay drift, assay uses.
 */
#ifndef HN_DRIFT_PROCESS_H
#define HN_DRIFT_PROCESS_H

#include "command.h"

/* Becomes `python -m assay_drift <command> --option value ... -- words...`. Returns only when it
 * cannot: an exit status, with the reason on stderr. */
int hn_drift_become(const struct hn_invocation *invocation);

#endif
