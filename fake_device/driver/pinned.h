/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pinned host memory, for those who look at addresses.
 */
#ifndef FD_PINNED_H
#define FD_PINNED_H

#include "fakedev.h"

/* The live pinned block that contains `pointer`, else FD_ERROR_INVALID_HANDLE. */
fd_status fd_pinned_find(const void *pointer, struct fd_block *block);

#endif
