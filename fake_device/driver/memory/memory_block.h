/* SPDX-License-Identifier: BSD-3-Clause
 *
 * One block of device memory and who may still be using it. Owned by the allocator, whose lock the
 * caller of every function holds.
 */
#ifndef FD_MEMORY_BLOCK_H
#define FD_MEMORY_BLOCK_H

#include "fakedev.h"

/* The stream is done with a block once it has completed the task number `upto`. */
struct fd_mark {
    fd_stream *stream; /* retained; NULL: nobody */
    uint64_t upto;
};

struct fd_memory_block {
    uint64_t offset, reserved, requested;
    int32_t live;
    int32_t poison_due; /* freed, not yet overwritten (variant poisoned_free) */
    struct fd_mark owner;
    struct fd_mark *recorded; /* fd_memory_record_stream; on the heap, NULL if none */
    size_t recorded_count;
    struct fd_memory_segment *segment;
    struct fd_memory_block *before, *after;            /* neighbours in the segment */
    struct fd_memory_block *previous_free, *next_free; /* while not live */
};

/* The block now belongs to `stream`, whose reference it takes over. */
void fd_block_begin_use(struct fd_memory_block *block, fd_stream *stream);
/* `stream` uses the block too; a reference is taken. */
fd_status fd_block_record(struct fd_memory_block *block, fd_stream *stream);
/* The block is freed: marks where each of its streams stands now. */
void fd_block_end_use(struct fd_memory_block *block);
/* Forgets marks that are reached. 1 if nobody uses the block any more. Never blocks. */
int32_t fd_block_settle(struct fd_memory_block *block);
/* 1 if work enqueued on `stream` from now on may use the freed block. */
int32_t fd_block_allows(struct fd_memory_block *block, const fd_stream *stream);
/* Copies the owner's mark of a freed block to its split-off part. 0 if that is not possible. */
int32_t fd_block_share_owner(const struct fd_memory_block *block, struct fd_memory_block *part);
/* Merges the use of `absorbed` into `block`, both freed. 0 if they must stay apart. */
int32_t fd_block_merge_use(struct fd_memory_block *block, struct fd_memory_block *absorbed);

#endif
