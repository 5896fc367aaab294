/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Blocks imported from other processes, for code that looks up addresses.
 */
#ifndef FD_IPC_H
#define FD_IPC_H

#include "fakedev.h"

/* Finds the open imported block that contains `pointer`, else returns FD_ERROR_INVALID_HANDLE. */
fd_status fd_ipc_find(const void *pointer, struct fd_block *block);

#endif
