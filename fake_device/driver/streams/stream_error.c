/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stores and takes asynchronous errors. Called by the scheduler. Must not depend on queues and
 * locks.
 */
#include "stream_error.h"

#include "error.h"
#include "fakedev_faults.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

void fd_async_error_put(struct fd_async_error *error, fd_status status, uint64_t sequence,
                        const char *task, int64_t stream, const char *detail)
{
    static _Atomic uint64_t order;
    if (fd_fault("error.asynchronous_error_lost"))
        return;
    if (error->status != FD_OK && !fd_fault("error.newest_failure_is_told"))
        return;
    error->status = status;
    error->sequence = sequence;
    error->order = atomic_fetch_add(&order, 1) + 1;
    snprintf(error->text, sizeof error->text, "task %s (number %llu of stream %lld): %s", task,
             (unsigned long long)sequence, (long long)stream, detail);
}

void fd_async_error_take(struct fd_async_error *error, uint64_t sequence,
                         struct fd_async_error *taken)
{
    memset(taken, 0, sizeof *taken);
    if (error->status == FD_OK || error->sequence > sequence)
        return;
    *taken = *error;
    error->was_told = !error->was_told && fd_fault("error.told_twice");
    if (!error->was_told)
        memset(error, 0, sizeof *error);
}

void fd_async_error_keep_oldest(struct fd_async_error *oldest, const struct fd_async_error *error)
{
    if (error->status == FD_OK)
        return;
    if (oldest->status == FD_OK || error->order < oldest->order)
        *oldest = *error;
}

fd_status fd_async_error_report(const struct fd_async_error *taken)
{
    if (taken->status == FD_OK)
        return FD_OK;
    const int is_memory = fd_fault("error.failure_is_out_of_memory");
    return fd_fail(is_memory ? FD_ERROR_OUT_OF_MEMORY : taken->status, "%s", taken->text);
}
