/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The text of a thread's last failure. Every driver function that fails describes the reason with
 * fd_fail.
 */
#ifndef FD_ERROR_H
#define FD_ERROR_H

#include "fakedev.h"

#define FD_ERROR_TEXT_SIZE 512

/* Stores the text for this thread (cut at FD_ERROR_TEXT_SIZE) and returns `status`. */
fd_status fd_fail(fd_status status, const char *format, ...) __attribute__((format(printf, 2, 3)));
/* Stores "<what>: <text of errno>" and returns FD_ERROR_SYSTEM. */
fd_status fd_fail_errno(const char *what);

#endif
