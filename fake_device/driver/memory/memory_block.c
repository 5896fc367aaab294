/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stream-aware reuse of blocks. A freed block records each of its streams, and the number of that
 * stream's newest task. Called by the allocator. This file only reads two numbers of a stream, so
 * it never waits. Also implements variant poisoned_free.
 */
#include "memory_block.h"

#include "address_space.h"
#include "error.h"
#include "fakedev_faults.h"
#include "settings.h"
#include "stream_internal.h"

#include <stdlib.h>
#include <string.h>

/* All bits set: a NaN in every floating type, -1 in every signed integer type. */
#define POISON 0xff

struct poison_arguments {
    void *alias;
    size_t size;
};

static fd_status poison_task(void *arguments)
{
    const struct poison_arguments *poison = arguments;
    memset(poison->alias, POISON, poison->size);
    return FD_OK;
}

static int32_t is_reached(const struct fd_mark *mark)
{
    return fd_stream_completed(mark->stream) >= mark->upto;
}

/* Overwrites a freed block: immediately if its stream has finished with the block, else by a task
 * on this stream. With eager streams, no task is launched, because the running task may need the
 * allocator's lock. On a graph's keeper, no task is launched, because its work ends only with the
 * graph. */
static void poison(struct fd_memory_block *block)
{
    const struct poison_arguments arguments = {fd_space_alias(fd_space_pointer(block->offset)),
                                               block->reserved};
    fd_stream *stream = block->owner.stream;
    if (is_reached(&block->owner)) {
        memset(arguments.alias, POISON, arguments.size);
        block->poison_due = 0;
    } else if (!fd_settings()->eager_streams && !fd_stream_is_keeper(stream) &&
               fd_stream_launch(stream, "poison", poison_task, &arguments, sizeof arguments) ==
                   FD_OK) {
        block->owner.upto = fd_stream_submitted(stream);
        block->poison_due = 0;
    }
}

static void forget_owner(struct fd_memory_block *block)
{
    fd_stream_release(block->owner.stream);
    block->owner.stream = NULL;
}

void fd_block_begin_use(struct fd_memory_block *block, fd_stream *stream)
{
    forget_owner(block);
    block->owner.stream = stream;
}

fd_status fd_block_record(struct fd_memory_block *block, fd_stream *stream)
{
    if (stream == block->owner.stream || fd_fault("allocator.ignores_record_stream"))
        return FD_OK;
    for (size_t i = 0; i < block->recorded_count; i++)
        if (block->recorded[i].stream == stream)
            return FD_OK;
    struct fd_mark *marks =
        realloc(block->recorded, (block->recorded_count + 1) * sizeof *block->recorded);
    if (!marks)
        return fd_fail(FD_ERROR_OUT_OF_MEMORY, "no host memory to note the use of a block");
    block->recorded = marks;
    fd_stream *retained = fd_stream_retain(stream);
    if (!retained)
        return fd_fail(FD_ERROR_INVALID_HANDLE, "the stream to record is not a live stream");
    marks[block->recorded_count++] = (struct fd_mark){retained, 0};
    return FD_OK;
}

void fd_block_end_use(struct fd_memory_block *block)
{
    for (size_t i = 0; i < block->recorded_count; i++)
        block->recorded[i].upto = fd_stream_submitted(block->recorded[i].stream);
    block->owner.upto = fd_stream_submitted(block->owner.stream);
    block->poison_due = fd_settings()->poisoned_free;
    (void)fd_block_settle(block);
}

int32_t fd_block_settle(struct fd_memory_block *block)
{
    for (size_t i = block->recorded_count; i-- > 0;) {
        if (!is_reached(&block->recorded[i]))
            continue;
        fd_stream_release(block->recorded[i].stream);
        block->recorded[i] = block->recorded[--block->recorded_count];
    }
    if (block->recorded_count > 0)
        return 0;
    free(block->recorded);
    block->recorded = NULL;
    if (block->poison_due)
        poison(block);
    if (!block->poison_due && block->owner.stream && is_reached(&block->owner))
        forget_owner(block);
    return !block->owner.stream;
}

int32_t fd_block_allows(struct fd_memory_block *block, const fd_stream *stream)
{
    if (fd_block_settle(block))
        return 1;
    if (block->recorded_count > 0 || block->poison_due)
        return 0;
    return block->owner.stream == stream || fd_fault("allocator.reuses_before_stream_is_done");
}

int32_t fd_block_share_owner(const struct fd_memory_block *block, struct fd_memory_block *part)
{
    if (!block->owner.stream)
        return 1;
    /* If the stream is being destroyed, fd_stream_retain fails and the block is not split. */
    part->owner.stream = fd_stream_retain(block->owner.stream);
    part->owner.upto = block->owner.upto;
    return part->owner.stream != NULL;
}

int32_t fd_block_merge_use(struct fd_memory_block *block, struct fd_memory_block *absorbed)
{
    const int32_t idle = fd_block_settle(block), absorbed_idle = fd_block_settle(absorbed);
    if (block->recorded_count > 0 || absorbed->recorded_count > 0 || block->poison_due ||
        absorbed->poison_due)
        return 0;
    if (idle) {
        block->owner = absorbed->owner;
        absorbed->owner.stream = NULL;
        return 1;
    }
    if (!absorbed_idle && absorbed->owner.stream != block->owner.stream)
        return 0;
    if (!absorbed_idle && block->owner.upto < absorbed->owner.upto)
        block->owner.upto = absorbed->owner.upto;
    forget_owner(absorbed);
    return 1;
}
