/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arms faults from a list such as FAKEDEV_FAULT. fakedev_faults.h declares all other functions.
 */
#ifndef FD_FAULT_H
#define FD_FAULT_H

#include "fakedev_faults.h"

#include <stddef.h>

/* Switches on the faults of a comma-separated list. Returns 0. If a name is invalid, returns -1 and
 * writes one sentence to `message`; the faults before this name are then on. */
int fd_faults_arm(const char *list, char *message, size_t message_size);

/* Returns the name of a fault that is on although its layer is loaded without faults, or NULL. */
const char *fd_faults_unserved(void);

#endif
