/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arming faults when the library is loaded. Asking for one is fd_fault() of the public header.
 */
#ifndef FD_FAULT_H
#define FD_FAULT_H

#include <stddef.h>

/* Switches on the faults of a comma separated list. 0, or -1 with one sentence in `message`. Only
 * while the library is loaded (and in tests): not safe against other threads. */
int fd_faults_arm(const char *list, char *message, size_t message_size);
/* Switches all off again; for tests. */
void fd_faults_disarm(void);

#endif
