/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arming faults from a list, as the environment has it. The rest is in the public header.
 */
#ifndef FD_FAULT_H
#define FD_FAULT_H

#include "fakedev_faults.h"

#include <stddef.h>

/* Switches on the faults of a comma separated list. 0, or -1 with one sentence in `message`; then
 * those before the wrong one are on. */
int fd_faults_arm(const char *list, char *message, size_t message_size);

/* A fault that is on and of a layer that is loaded without its faults; NULL: there is none. */
const char *fd_faults_unserved(void);

#endif
