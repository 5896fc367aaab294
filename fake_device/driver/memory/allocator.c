/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The caching allocator: finds the best fit among freed blocks, splits and merges blocks, takes
 * segments from the device and returns them, and keeps statistics. Called by the public memory
 * calls. Accesses streams only through the marks of blocks.
 */
#include "allocator.h"

#include "address_space.h"
#include "error.h"
#include "fakedev_faults.h"
#include "memory_segment.h"
#include "memory_stats.h"
#include "settings.h"
#include "stream_internal.h"

#include <pthread.h>
#include <search.h>

#define SMALL_REQUEST (UINT64_C(1) << 20) /* requests up to this size use the small pool */
/* granularity of segments; a small segment has exactly this size */
#define SEGMENT_SIZE (UINT64_C(2) << 20)
#define LARGE_REMAINDER (UINT64_C(1) << 20) /* smallest remainder that is split off a large block */
#define DEVICE_PAGE UINT64_C(4096)

enum { SMALL, LARGE, POOLS };

struct fd_allocator {
    pthread_mutex_t lock;
    int32_t device;
    uint64_t begin, end; /* range of the device's memory, as offsets */
    struct fd_memory_segment *segments;
    struct fd_memory_block *free_blocks[POOLS];
    void *live; /* tree of live blocks, sorted by address (search.h) */
    struct fd_memory_stats stats;
};

static struct fd_allocator allocators[FD_MAX_DEVICES];

void fd_allocators_start(void)
{
    const struct fd_settings *settings = fd_settings();
    for (int32_t i = 0; i < settings->devices; i++) {
        struct fd_allocator *allocator = &allocators[i];
        *allocator = (struct fd_allocator){.device = i,
                                           .begin = (uint64_t)i * settings->memory,
                                           .end = (uint64_t)(i + 1) * settings->memory};
        (void)pthread_mutex_init(&allocator->lock, NULL);
    }
}

struct fd_allocator *fd_allocator_of(int32_t device)
{
    return &allocators[device];
}

struct fd_allocator *fd_allocator_owning(const void *pointer)
{
    return fd_allocator_of((int32_t)(fd_space_offset(pointer) / fd_settings()->memory));
}

static void lock(struct fd_allocator *allocator)
{
    (void)pthread_mutex_lock(&allocator->lock);
}

static void unlock(struct fd_allocator *allocator)
{
    (void)pthread_mutex_unlock(&allocator->lock);
}

/* ---- live blocks by address ------------------------------------------------------------------ */

/* Overlapping ranges compare equal, so a lookup with one byte finds the block around it. */
static int compare_ranges(const void *left, const void *right)
{
    const struct fd_memory_block *a = left, *b = right;
    if (a->offset + a->reserved <= b->offset)
        return -1;
    return b->offset + b->reserved <= a->offset;
}

static struct fd_memory_block *find_live(struct fd_allocator *allocator, uint64_t offset)
{
    const struct fd_memory_block key = {.offset = offset, .reserved = 1};
    struct fd_memory_block *const *node = tfind(&key, &allocator->live, compare_ranges);
    return node ? *node : NULL;
}

static struct fd_memory_block *find_live_base(struct fd_allocator *allocator, uint64_t offset)
{
    struct fd_memory_block *block = find_live(allocator, offset);
    return block && block->offset == offset ? block : NULL;
}

/* ---- free blocks ----------------------------------------------------------------------------- */

static void add_free(struct fd_allocator *allocator, struct fd_memory_block *block)
{
    struct fd_memory_block **head = &allocator->free_blocks[block->segment->pool];
    block->previous_free = NULL;
    block->next_free = *head;
    if (*head)
        (*head)->previous_free = block;
    *head = block;
    fd_stat_grow(&allocator->stats.inactive_blocks, 1);
    fd_stat_grow(&allocator->stats.inactive_bytes, block->reserved);
}

static void remove_free(struct fd_allocator *allocator, struct fd_memory_block *block)
{
    if (block->previous_free)
        block->previous_free->next_free = block->next_free;
    else
        allocator->free_blocks[block->segment->pool] = block->next_free;
    if (block->next_free)
        block->next_free->previous_free = block->previous_free;
    fd_stat_shrink(&allocator->stats.inactive_blocks, 1);
    fd_stat_shrink(&allocator->stats.inactive_bytes, block->reserved);
}

/* Merges a free block with its successor if the successor is also free. */
static int32_t join_next(struct fd_allocator *allocator, struct fd_memory_block *block)
{
    struct fd_memory_block *next = block->after;
    if (!next || next->live || block->live)
        return 0;
    remove_free(allocator, block);
    remove_free(allocator, next);
    const int32_t joined = fd_segment_join(block);
    if (!joined)
        add_free(allocator, next);
    add_free(allocator, block);
    return joined;
}

static struct fd_memory_block *best_fit(struct fd_allocator *allocator, int32_t pool, uint64_t need,
                                        const fd_stream *stream)
{
    struct fd_memory_block *best = NULL;
    for (struct fd_memory_block *b = allocator->free_blocks[pool]; b; b = b->next_free) {
        if (b->reserved < need || (best && b->reserved >= best->reserved))
            continue;
        if (fd_block_allows(b, stream))
            best = b;
        if (best && best->reserved == need)
            break;
    }
    return best;
}

/* ---- segments -------------------------------------------------------------------------------- */

static uint64_t round_up(uint64_t value, uint64_t unit)
{
    return (value + unit - 1) / unit * unit;
}

static struct fd_memory_block *add_segment(struct fd_allocator *allocator, int32_t pool,
                                           uint64_t need)
{
    /* Without a cache, each block is a segment. A segment has whole pages, because only whole pages
     * can be returned to the system. */
    const struct fd_settings *settings = fd_settings();
    const uint64_t page = settings->alignment > DEVICE_PAGE ? settings->alignment : DEVICE_PAGE;
    const uint64_t size = round_up(need, settings->caching ? SEGMENT_SIZE : page);
    struct fd_memory_segment *segment =
        fd_segment_create(&allocator->segments, allocator->begin, allocator->end, size);
    if (!segment)
        return NULL;
    segment->pool = pool;
    add_free(allocator, segment->first);
    fd_stat_grow(&allocator->stats.segments, 1);
    fd_stat_grow(&allocator->stats.reserved_bytes, size);
    allocator->stats.device_allocations++;
    return segment->first;
}

static void return_segment(struct fd_allocator *allocator, struct fd_memory_segment *segment)
{
    remove_free(allocator, segment->first);
    fd_stat_shrink(&allocator->stats.segments, 1);
    fd_stat_shrink(&allocator->stats.reserved_bytes, segment->size);
    allocator->stats.device_frees++;
    fd_segment_destroy(&allocator->segments, segment);
}

static void empty_locked(struct fd_allocator *allocator)
{
    if (fd_fault("allocator.empty_cache_keeps_everything"))
        return;
    struct fd_memory_segment *next;
    for (struct fd_memory_segment *segment = allocator->segments; segment; segment = next) {
        next = segment->next;
        /* Merge the blocks that streams still used when the blocks were freed. */
        for (struct fd_memory_block *b = segment->first; b;)
            b = join_next(allocator, b) ? b : b->after;
        const struct fd_memory_block *first = segment->first;
        if (first->live && fd_fault("allocator.empty_cache_drops_live"))
            fd_space_discard(segment->offset, segment->size);
        if (!first->live && !first->after && fd_block_settle(segment->first))
            return_segment(allocator, segment);
    }
}

/* ---- take ------------------------------------------------------------------------------------ */

/* Returns the allocated size for a request. `size` must not exceed the device's memory. */
static uint64_t rounded(uint64_t size)
{
    const uint64_t alignment = fd_settings()->alignment;
    uint64_t need = round_up(size, alignment);
    if (fd_fault("allocator.misaligned"))
        need += 8;
    if (fd_fault("allocator.overlaps") && need > alignment)
        need -= alignment;
    return need;
}

static void split_off_rest(struct fd_allocator *allocator, struct fd_memory_block *block,
                           uint64_t need)
{
    const uint64_t rest = block->reserved - need;
    const uint64_t least =
        block->segment->pool == SMALL ? fd_settings()->alignment : LARGE_REMAINDER;
    if (rest < least || !fd_settings()->caching)
        return;
    struct fd_memory_block *part = fd_segment_split(block, need);
    if (part)
        add_free(allocator, part);
}

static struct fd_memory_block *take_once(struct fd_allocator *allocator, uint64_t need,
                                         const fd_stream *stream)
{
    const int32_t pool = need <= SMALL_REQUEST ? SMALL : LARGE;
    if (!fd_settings()->caching)
        empty_locked(allocator);
    struct fd_memory_block *block = best_fit(allocator, pool, need, stream);
    if (!block)
        block = add_segment(allocator, pool, need);
    if (!block)
        return NULL;
    remove_free(allocator, block);
    split_off_rest(allocator, block, need);
    return block;
}

/* If no free block fits, empties the cache and tries again. If streams still use cached blocks,
 * waits for the device and tries a third time. */
static struct fd_memory_block *take_or_retry(struct fd_allocator *allocator, uint64_t need,
                                             const fd_stream *stream)
{
    struct fd_memory_block *block = take_once(allocator, need, stream);
    if (block || allocator->stats.inactive_blocks.current == 0)
        return block;
    allocator->stats.retries++;
    empty_locked(allocator);
    block = take_once(allocator, need, stream);
    if (block || allocator->stats.inactive_blocks.current == 0)
        return block;
    int32_t in_use = 0;
    for (int32_t pool = 0; pool < POOLS; pool++)
        for (struct fd_memory_block *b = allocator->free_blocks[pool]; b; b = b->next_free)
            in_use |= !fd_block_settle(b);
    if (!in_use)
        return NULL;
    unlock(allocator);
    (void)fd_streams_synchronize(allocator->device);
    lock(allocator);
    empty_locked(allocator);
    return take_once(allocator, need, stream);
}

/* Adds a block from take_or_retry to the live blocks. If host memory is exhausted, returns 0 and
 * leaves the block free. */
static int32_t make_live(struct fd_allocator *allocator, struct fd_memory_block *block,
                         uint64_t size)
{
    if (!tsearch(block, &allocator->live, compare_ranges)) {
        add_free(allocator, block);
        return 0;
    }
    block->live = 1;
    block->requested = size;
    fd_stat_grow(&allocator->stats.blocks, 1);
    fd_stat_grow(&allocator->stats.requested_bytes, size);
    fd_stat_grow(&allocator->stats.allocated_bytes, block->reserved);
    return 1;
}

static fd_status refuse(struct fd_allocator *allocator, uint64_t size)
{
    const struct fd_memory_stats *stats = &allocator->stats;
    if (!fd_fault("allocator.oom_not_counted"))
        allocator->stats.out_of_memory++;
    if (fd_fault("allocator.oom_leaks_reservation"))
        fd_stat_grow(&allocator->stats.allocated_bytes, size);
    return fd_fail(FD_ERROR_OUT_OF_MEMORY,
                   "device %d is out of memory: %llu bytes requested, %llu of %llu in use, %llu "
                   "cached",
                   allocator->device, (unsigned long long)size,
                   (unsigned long long)stats->allocated_bytes.current,
                   (unsigned long long)(allocator->end - allocator->begin),
                   (unsigned long long)stats->inactive_bytes.current);
}

fd_status fd_allocator_take(struct fd_allocator *allocator, uint64_t size, fd_stream *stream,
                            uint64_t *offset)
{
    if (fd_fault("allocator.huge_size_wraps"))
        size = (uint32_t)size;
    if (fd_fault("allocator.zero_bytes_behind_pointer"))
        size = 1;
    lock(allocator);
    struct fd_memory_block *block = NULL;
    if (size <= allocator->end - allocator->begin)
        block = take_or_retry(allocator, rounded(size), stream);
    fd_status status = FD_OK;
    if (block && make_live(allocator, block, size)) {
        fd_block_begin_use(block, stream);
        *offset = block->offset;
    } else {
        status = refuse(allocator, size);
    }
    unlock(allocator);
    return status;
}

/* ---- give, record, find ---------------------------------------------------------------------- */

static void give_block(struct fd_allocator *allocator, struct fd_memory_block *block)
{
    (void)tdelete(block, &allocator->live, compare_ranges);
    block->live = 0;
    fd_stat_shrink(&allocator->stats.blocks, 1);
    fd_stat_shrink(&allocator->stats.requested_bytes, block->requested);
    fd_stat_shrink(&allocator->stats.allocated_bytes,
                   fd_fault("allocator.stats_drift") ? block->requested : block->reserved);
    fd_block_end_use(block);
    add_free(allocator, block);
    (void)join_next(allocator, block);
    if (block->before)
        (void)join_next(allocator, block->before);
    if (!fd_settings()->caching)
        empty_locked(allocator);
}

static fd_status no_such_block(uint64_t offset)
{
    return fd_fail(FD_ERROR_INVALID_HANDLE, "%p is not the address of a live block",
                   fd_space_pointer(offset));
}

fd_status fd_allocator_give(struct fd_allocator *allocator, uint64_t offset)
{
    lock(allocator);
    struct fd_memory_block *block = find_live_base(allocator, offset);
    if (block)
        give_block(allocator, block);
    unlock(allocator);
    return block ? FD_OK : no_such_block(offset);
}

fd_status fd_allocator_record(struct fd_allocator *allocator, uint64_t offset, fd_stream *stream)
{
    lock(allocator);
    struct fd_memory_block *block = find_live(allocator, offset);
    const fd_status status = block ? fd_block_record(block, stream) : no_such_block(offset);
    unlock(allocator);
    return status;
}

fd_status fd_allocator_find(struct fd_allocator *allocator, uint64_t offset, struct fd_block *found)
{
    lock(allocator);
    const struct fd_memory_block *block = find_live(allocator, offset);
    if (block)
        *found = (struct fd_block){.device = allocator->device,
                                   .base = fd_space_pointer(block->offset),
                                   .size = block->requested,
                                   .reserved = block->reserved};
    unlock(allocator);
    return block ? FD_OK : no_such_block(offset);
}

/* ---- cache and statistics -------------------------------------------------------------------- */

void fd_allocator_empty(struct fd_allocator *allocator)
{
    lock(allocator);
    empty_locked(allocator);
    unlock(allocator);
}

void fd_allocator_get_stats(struct fd_allocator *allocator, struct fd_memory_stats *stats)
{
    lock(allocator);
    *stats = allocator->stats;
    unlock(allocator);
}

void fd_allocator_change_stats(struct fd_allocator *allocator,
                               void (*change)(struct fd_memory_stats *stats))
{
    lock(allocator);
    change(&allocator->stats);
    unlock(allocator);
}
