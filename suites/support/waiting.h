/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls that must wait for a held stream. To show that a call waits, the check starts the call,
 * waits much longer than the call takes on an idle stream, and then opens the gate. If the gate
 * opens too early, the check may miss a defect, but it never reports a false one.
 */
#ifndef ASSAY_WAITING_H
#define ASSAY_WAITING_H

#include "instruments.h"

/* Returns, in nanoseconds, how long to wait before a call counts as waiting: many times its
 * duration on this backend while no work is pending. */
#define assay_patience(check, call, context)                                                       \
    assay_measured_patience(ASSAY_LINE(check), (call), (context))
int64_t assay_measured_patience(struct assay_line at, void (*call)(void *context), void *context);

/* Runs `call` on a thread of its own, opens the gate, and expects that `call` returns only after
 * that. Like every body of a thread, `call` may use expect_* and not require_*. `what` is the
 * expectation that the call returns after the gate is open. */
#define assay_expect_wait(check, held, patience_ns, call, context, name, what)                     \
    assay_watch_wait(ASSAY_LINE(check), (held), (patience_ns), (call), (context), (name), (what))
void assay_watch_wait(struct assay_line at, struct assay_held *held, int64_t patience_ns,
                      void (*call)(void *context), void *context, const char *early,
                      const char *what);

#endif
