/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arms faults from a list such as the one in the environment. All other functions are in the public
 * header.
 */
#ifndef FD_FAULT_H
#define FD_FAULT_H

#include "fakedev_faults.h"

#include <stddef.h>

/* Switches on the faults of a comma-separated list. Returns 0, or -1 with one sentence in
 * `message`. In that case the faults before the invalid name are on. */
int fd_faults_arm(const char *list, char *message, size_t message_size);

/* A fault that is on although its layer is loaded without faults, or NULL if there is none. */
const char *fd_faults_unserved(void);

#endif
