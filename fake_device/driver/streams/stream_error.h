/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Asynchronous errors: stored on the stream where the task failed, and reported once, by the next
 * synchronising call.
 */
#ifndef FD_STREAM_ERROR_H
#define FD_STREAM_ERROR_H

#include "fakedev.h"

struct fd_async_error {
    fd_status status;  /* FD_OK: none pending */
    uint64_t sequence; /* number of the task that failed */
    uint64_t order;    /* process-wide number; the earlier error has the lower number */
    char text[240];
    int32_t was_told; /* fault error.told_twice */
};

/* Stores the error, unless an earlier error is pending. The caller holds the scheduler's lock. */
void fd_async_error_put(struct fd_async_error *error, fd_status status, uint64_t sequence,
                        const char *task, int64_t stream, const char *detail);
/* Moves the error of a task up to `sequence` into `taken`. The caller holds the scheduler's
 * lock. */
void fd_async_error_take(struct fd_async_error *error, uint64_t sequence,
                         struct fd_async_error *taken);
/* Moves `error` into `oldest` if it is older than the error in `oldest`. */
void fd_async_error_keep_oldest(struct fd_async_error *oldest, const struct fd_async_error *error);
/* Makes the error this thread's last failure (status and text). */
fd_status fd_async_error_report(const struct fd_async_error *taken);

#endif
