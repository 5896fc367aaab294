/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Segments: pieces of a device's memory, each cut into blocks without gaps. The device's capacity
 * is its range of offsets, so fragmentation is as real as on a device without virtual memory.
 * The caller holds the allocator's lock.
 */
#ifndef FD_MEMORY_SEGMENT_H
#define FD_MEMORY_SEGMENT_H

#include "memory_block.h"

struct fd_memory_segment {
    uint64_t offset, size;
    int32_t pool; /* small or large blocks, never mixed */
    struct fd_memory_block *first;
    struct fd_memory_segment *next; /* by offset */
};

/* Takes the lowest gap of `size` bytes in [begin, end) and inserts a segment with one free block
 * into the list. NULL: no gap (or no host memory). */
struct fd_memory_segment *fd_segment_create(struct fd_memory_segment **list, uint64_t begin,
                                            uint64_t end, uint64_t size);
/* Removes a segment with one block that nobody uses, and gives its pages back. */
void fd_segment_destroy(struct fd_memory_segment **list, struct fd_memory_segment *segment);
/* Cuts a free block behind `size` bytes. The new block, or NULL: it stays in one piece. */
struct fd_memory_block *fd_segment_split(struct fd_memory_block *block, uint64_t size);
/* Joins `block` and its successor, both free, the successor being destroyed. 0: not possible. */
int32_t fd_segment_join(struct fd_memory_block *block);

#endif
