/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The live counters that fd_get_counters reads. fd_count(&fd_live.copies) increments one
 * counter.
 */
#ifndef FD_COUNTERS_H
#define FD_COUNTERS_H

#include "fakedev.h"

#include <stdatomic.h>

struct fd_live_counters {
    _Atomic uint64_t streams_created, streams_destroyed;
    _Atomic uint64_t events_created, events_destroyed;
    _Atomic uint64_t tasks_enqueued, tasks_completed;
    _Atomic uint64_t copies, synchronizations;
    _Atomic uint64_t host_allocations, host_frees;
};
extern struct fd_live_counters fd_live;

static inline void fd_count(_Atomic uint64_t *counter)
{
    atomic_fetch_add_explicit(counter, 1, memory_order_relaxed);
}

#endif
