/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The process-wide counters. Each counter is exact. Counters that are read together may show
 * different moments.
 */
#include "counters.h"

struct fd_live_counters fd_live;

void fd_get_counters(struct fd_counters *counters)
{
    *counters = (struct fd_counters){
        .streams_created = fd_live.streams_created,
        .streams_destroyed = fd_live.streams_destroyed,
        .events_created = fd_live.events_created,
        .events_destroyed = fd_live.events_destroyed,
        .tasks_enqueued = fd_live.tasks_enqueued,
        .tasks_completed = fd_live.tasks_completed,
        .copies = fd_live.copies,
        .synchronizations = fd_live.synchronizations,
        .host_allocations = fd_live.host_allocations,
        .host_frees = fd_live.host_frees,
    };
}
