/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Functions that device, imported and pinned memory offer to the rest of the driver.
 */
#ifndef FD_MEMORY_H
#define FD_MEMORY_H

#include "fakedev.h"

/* Releases the cached blocks that no stream uses. The driver must have started. */
void fd_memory_drop_cache(int32_t device);
/* These functions find the block that contains `pointer`: an open imported block, or a live pinned
 * block. The functions return FD_ERROR_INVALID_HANDLE if there is no such block. */
fd_status fd_ipc_find(const void *pointer, struct fd_block *block);
fd_status fd_pinned_find(const void *pointer, struct fd_block *block);
/* Takes shared ownership of the live pinned block that contains `pointer`. Returns NULL if no block
 * does. Even if the block is freed, its pages stay until the last share is released. Releasing NULL
 * is a no-op. */
struct fd_pinned *fd_pinned_share(const void *pointer);
void fd_pinned_release(struct fd_pinned *block);

#endif
