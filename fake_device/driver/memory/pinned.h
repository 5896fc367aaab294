/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pinned host memory, for code that looks up addresses or uses blocks asynchronously.
 */
#ifndef FD_PINNED_H
#define FD_PINNED_H

#include "fakedev.h"

/* Finds the live pinned block that contains `pointer`, else returns FD_ERROR_INVALID_HANDLE. */
fd_status fd_pinned_find(const void *pointer, struct fd_block *block);
/* Takes shared ownership of the live pinned block that contains `pointer`. Returns NULL if there
 * is none. Even if the block is freed, its pages stay until the last share is released.
 * Releasing NULL is a no-op. */
struct fd_pinned *fd_pinned_share(const void *pointer);
void fd_pinned_release(struct fd_pinned *block);

#endif
