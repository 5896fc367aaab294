/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks imported from other processes, for those who look at addresses.
 */
#ifndef FD_IPC_H
#define FD_IPC_H

#include "fakedev.h"

/* The open imported block that contains `pointer`, else FD_ERROR_INVALID_HANDLE. */
fd_status fd_ipc_find(const void *pointer, struct fd_block *block);

#endif
