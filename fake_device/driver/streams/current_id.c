/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The id of the current stream, per thread and device. The public calls are in current_stream.c.
 */
#include "current_id.h"

#include "fakedev_faults.h"

#include <stdatomic.h>

static _Thread_local int64_t current_of_thread[FD_MAX_DEVICES];
static _Atomic int64_t current_of_all[FD_MAX_DEVICES]; /* fault stream.current_shared_by_threads */

int64_t fd_current_id(int32_t device)
{
    return fd_fault("stream.current_shared_by_threads") ? atomic_load(&current_of_all[device])
                                                        : current_of_thread[device];
}

void fd_current_set_id(int32_t device, int64_t id)
{
    if (fd_fault("stream.set_current_ignored"))
        return;
    current_of_thread[device] = id;
    atomic_store(&current_of_all[device], id);
}
