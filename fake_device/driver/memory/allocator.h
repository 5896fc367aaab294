/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The caching allocator of one device. Addresses are offsets into the address space. Every function
 * takes the allocator's lock. Only fd_allocator_take waits for a stream, and only if memory is
 * exhausted while freed blocks are still in use.
 */
#ifndef FD_ALLOCATOR_H
#define FD_ALLOCATOR_H

#include "memory_block.h"

/* The allocator of a device. The index must be in range and the driver started. */
struct fd_allocator;
struct fd_allocator *fd_allocator_of(int32_t device);
/* Returns the allocator that manages the address, whether or not a live block contains it. The
 * address must satisfy fd_space_is_own. */
struct fd_allocator *fd_allocator_owning(const void *pointer);
void fd_allocators_start(void);

/* The block takes over the caller's reference to `stream`. On failure, the caller keeps the
 * reference. */
fd_status fd_allocator_take(struct fd_allocator *allocator, uint64_t size, fd_stream *stream,
                            uint64_t *offset);
/* Returns FD_ERROR_INVALID_HANDLE unless `offset` is the first byte of a live block. */
fd_status fd_allocator_give(struct fd_allocator *allocator, uint64_t offset);
fd_status fd_allocator_record(struct fd_allocator *allocator, uint64_t offset, fd_stream *stream);
/* Finds the live block that contains `offset`. */
fd_status fd_allocator_find(struct fd_allocator *allocator, uint64_t offset,
                            struct fd_block *block);
/* Returns unused segments to the device. */
void fd_allocator_empty(struct fd_allocator *allocator);
void fd_allocator_get_stats(struct fd_allocator *allocator, struct fd_memory_stats *stats);
/* Calls `change` on the statistics, with the lock held. */
void fd_allocator_change_stats(struct fd_allocator *allocator,
                               void (*change)(struct fd_memory_stats *stats));

#endif
