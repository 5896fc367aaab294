/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writes the trace. Every public call that needs a device adds one record, and every executed task
 * adds another. May be called with any lock held, because it calls no other part of the driver.
 */
#ifndef FD_TRACE_H
#define FD_TRACE_H

#include "fakedev.h"

#define FD_TRACE_CAPACITY 4096

/* Monotonic nanoseconds. */
uint64_t fd_trace_now(void);
/* Records a call of the host that ends now. Returns `status`, so that a public function can end
 * with `return fd_trace_call(...)`. `what` has static storage. `device` or `stream` is -1 if the
 * call has none. */
fd_status fd_trace_call(const char *what, int32_t device, int64_t stream, uint64_t bytes,
                        fd_status status);
/* The launch that a thread makes now. All members are 0 if nothing listens to the trace. */
struct fd_trace_launch {
    uint64_t number, time_ns, correlation;
};
struct fd_trace_launch fd_trace_begin_launch(void);
/* Records a task that a worker executed. */
void fd_trace_span(const char *what, int32_t device, int64_t stream, uint64_t bytes,
                   fd_status status, uint64_t begin_ns, uint64_t end_ns,
                   struct fd_trace_launch launch);

#endif
