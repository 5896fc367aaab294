/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Segments: ranges of a device's memory, each divided into blocks without gaps. A device's memory
 * is one range of offsets, so the memory fragments as on a device without virtual memory. The
 * caller holds the allocator's lock.
 */
#ifndef FD_MEMORY_SEGMENT_H
#define FD_MEMORY_SEGMENT_H

#include "memory_block.h"

struct fd_memory_segment {
    uint64_t offset, size;
    int32_t pool; /* small or large blocks, never both */
    struct fd_memory_block *first;
    struct fd_memory_segment *next; /* in order of offset */
};

/* Finds the lowest gap of `size` bytes in [begin, end) and inserts a segment with one free block
 * into the list. Returns NULL if there is no gap or no host memory. */
struct fd_memory_segment *fd_segment_create(struct fd_memory_segment **list, uint64_t begin,
                                            uint64_t end, uint64_t size);
/* Removes a segment with a single unused block and returns its pages to the system. */
void fd_segment_destroy(struct fd_memory_segment **list, struct fd_memory_segment *segment);
/* Splits a free block after `size` bytes. Returns the new block, or NULL if there is none. */
struct fd_memory_block *fd_segment_split(struct fd_memory_block *block, uint64_t size);
/* Merges `block` with its successor and destroys the successor. Both must be free. Returns 0 if the
 * blocks were not merged. */
int32_t fd_segment_join(struct fd_memory_block *block);

#endif
