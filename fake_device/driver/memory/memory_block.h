/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One block of device memory and the streams that may still use it. Owned by the allocator. The
 * caller of every function holds the allocator's lock.
 */
#ifndef FD_MEMORY_BLOCK_H
#define FD_MEMORY_BLOCK_H

#include "fakedev.h"

/* The stream has finished with the block when task number `upto` of the stream is done. */
struct fd_mark {
    fd_stream *stream; /* owns a reference; NULL: no stream */
    uint64_t upto;
};

struct fd_memory_block {
    uint64_t offset, reserved, requested;
    int32_t live;
    int32_t poison_due; /* freed but not yet overwritten (variant poisoned_free) */
    struct fd_mark owner;
    struct fd_mark *recorded; /* from fd_memory_record_stream; heap array, NULL if empty */
    size_t recorded_count;
    struct fd_memory_segment *segment;
    struct fd_memory_block *before, *after;            /* neighbours in the segment */
    struct fd_memory_block *previous_free, *next_free; /* used while the block is not live */
};

/* Makes `stream` the owner of the block and takes over the caller's reference to it. */
void fd_block_begin_use(struct fd_memory_block *block, fd_stream *stream);
/* Adds `stream` to the streams that use the block. Takes a reference. */
fd_status fd_block_record(struct fd_memory_block *block, fd_stream *stream);
/* Frees the block: records the current position of each of its streams. */
void fd_block_end_use(struct fd_memory_block *block);
/* Removes marks that have been reached. Returns 1 if no stream uses the block any more. Never
 * blocks. */
int32_t fd_block_settle(struct fd_memory_block *block);
/* Returns 1 if work enqueued on `stream` from now on may use the freed block. */
int32_t fd_block_allows(struct fd_memory_block *block, const fd_stream *stream);
/* Copies the owner's mark of a freed block to the part that is split off. Returns 0 if the stream
 * is being destroyed. */
int32_t fd_block_share_owner(const struct fd_memory_block *block, struct fd_memory_block *part);
/* Merges the marks of `absorbed` into `block`. Both must be freed blocks. Returns 0 if the blocks
 * must stay separate. */
int32_t fd_block_merge_use(struct fd_memory_block *block, struct fd_memory_block *absorbed);

#endif
