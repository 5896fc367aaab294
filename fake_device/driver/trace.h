/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Writing the trace. Every public call that needs a device leaves one record, every executed task
 * another. Safe with any lock held: nothing is called from inside.
 */
#ifndef FD_TRACE_H
#define FD_TRACE_H

#include "fakedev.h"

#define FD_TRACE_CAPACITY 4096

/* Monotonic nanoseconds. */
uint64_t fd_trace_now(void);
/* Notes a call of the host that ends now and returns `status`, so that a public function can end
 * with it. `what` has static storage; device or stream -1: none. */
fd_status fd_trace_call(const char *what, int32_t device, int64_t stream, uint64_t bytes,
                        fd_status status);
/* Notes a task that a worker executed. */
void fd_trace_span(const char *what, int32_t device, int64_t stream, uint64_t bytes,
                   fd_status status, uint64_t begin_ns, uint64_t end_ns);

#endif
