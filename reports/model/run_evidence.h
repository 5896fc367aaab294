/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Evidence that a job left in its folder: the end of its output, and its stack. A run may be
 * untrusted, so no file outside of its own folder is ever opened: no "..", no absolute path, no
 * link.
 */
#ifndef RP_RUN_EVIDENCE_H
#define RP_RUN_EVIDENCE_H

#include "run_model.h"

enum rp_evidence_kind { RP_OUTPUT, RP_ERRORS, RP_STACK, RP_EVIDENCE_KINDS };

/* Returns the end of one of the files of `check`: at most `limit` bytes, from the beginning of a
 * line, in memory that the caller frees. Returns NULL if the file is missing or empty. The text
 * may contain any bytes. */
char *rp_evidence_tail(const struct rp_run *run, const struct rp_check *check,
                       enum rp_evidence_kind kind, size_t limit, size_t *length);

#endif
