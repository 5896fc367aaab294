/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Threads of a check, with a deadline. Whatever the backend does in them, the check ends with
 * words.
 */
#ifndef ASSAY_BOUNDED_H
#define ASSAY_BOUNDED_H

#include "expect.h"

/* Runs `body` on a fresh thread and waits for it. If it does not return before the check's deadline
 * is nearly over: a finding that says so, and the check ends. In `body`, only expect_*: a thread
 * other than the check's own must not end it. */
#define assay_on_thread(check, body, context, what)                                                \
    assay_run_threads(ASSAY_LINE(check), 1, (body), (context), 0, (what))
/* The same on `count` threads at once; thread i gets (char *)contexts + i * stride. */
#define assay_on_threads(check, count, body, contexts, stride, what)                               \
    assay_run_threads(ASSAY_LINE(check), (count), (body), (contexts), (stride), (what))

#define ASSAY_THREADS 16

void assay_run_threads(struct assay_line at, uint32_t count, void (*body)(void *context),
                       void *contexts, size_t stride, const char *what);

#endif
