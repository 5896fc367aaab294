/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Records which faults a program queries. FAKEDEV_ASKED=FILE receives the name of each fault,
 * once for each process that queries the fault. A program cannot depend on a fault that it never
 * queries.
 */
#ifndef FD_FAULT_ASKED_H
#define FD_FAULT_ASKED_H

#include "fakedev.h"

#include <stddef.h>
#include <stdint.h>

/* Creates `file` and starts recording into it. An empty name stops recording. Returns 0, or -1 with
 * one sentence in `message`. Must be called only while the library is loaded (and in tests). */
int fd_asked_keep(const char *file, char *message, size_t message_size);
int32_t fd_asked_is_kept(void);
/* Like fd_asked_keep(), but with a new file that exists as long as this process. If a file is
 * already in use, the call is a no-op. Programs that are started later write to the same file. */
fd_status fd_asked_watch(void);
/* Returns 1 if the name is in the file and 0 if not. Returns -1 if there is no file or if it
 * cannot be read. */
int32_t fd_asked_answer(const char *name);
/* Records a query. May be called from any thread, also in a forked child. */
void fd_asked(size_t index, const char *name);

#endif
