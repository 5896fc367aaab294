/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pinned host memory, for those who look at addresses or use blocks later.
 */
#ifndef FD_PINNED_H
#define FD_PINNED_H

#include "fakedev.h"

/* The live pinned block that contains `pointer`, else FD_ERROR_INVALID_HANDLE. */
fd_status fd_pinned_find(const void *pointer, struct fd_block *block);
/* A share in the live pinned block that contains `pointer`, NULL if there is none. Its pages stay
 * until the last share is released, also when the block is freed. NULL may be released. */
struct fd_pinned *fd_pinned_share(const void *pointer);
void fd_pinned_release(struct fd_pinned *block);

#endif
