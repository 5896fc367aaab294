/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs threads of a check with a deadline. If the backend hangs in such a thread, the check ends
 * with a finding.
 */
#ifndef ASSAY_BOUNDED_H
#define ASSAY_BOUNDED_H

#include "expect.h"

/* Runs `body` on a new thread and waits for it. If `body` does not return shortly before the
 * check's deadline, a finding says so, and the check ends. `body` may only use expect_*: a
 * thread other than the check's own must not end the check. */
#define assay_on_thread(check, body, context, what)                                                \
    assay_run_threads(ASSAY_LINE(check), 1, (body), (context), 0, (what))
/* Runs `body` on `count` threads at once. Thread i gets (char *)contexts + i * stride. */
#define assay_on_threads(check, count, body, contexts, stride, what)                               \
    assay_run_threads(ASSAY_LINE(check), (count), (body), (contexts), (stride), (what))

#define ASSAY_THREADS 16

void assay_run_threads(struct assay_line at, uint32_t count, void (*body)(void *context),
                       void *contexts, size_t stride, const char *what);

#endif
