/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Segments and the layout of their blocks. Called by the allocator. Must not depend on the choice
 * of a block or on the statistics.
 */
#include "memory_segment.h"

#include "address_space.h"

#include <stdlib.h>
#include <string.h>

/* limit for each segment, because poisoning commits real memory */
#define POISONED_AT_MOST (UINT64_C(1) << 20)

/* Returns the link at which to insert the new segment, and the segment's offset. */
static struct fd_memory_segment **find_gap(struct fd_memory_segment **list, uint64_t begin,
                                           uint64_t end, uint64_t size, uint64_t *offset)
{
    uint64_t low = begin;
    for (struct fd_memory_segment **link = list;; link = &(*link)->next) {
        const uint64_t high = *link ? (*link)->offset : end;
        if (high - low >= size) {
            *offset = low;
            return link;
        }
        if (!*link)
            return NULL;
        low = (*link)->offset + (*link)->size;
    }
}

/* With variant poisoned_new, memory that was never written reads as NaN or -1. */
static void make_unclean(uint64_t offset, uint64_t size)
{
    if (fd_variant_is_on("poisoned_new"))
        memset(fd_space_alias(fd_space_pointer(offset)), 0xff,
               size < POISONED_AT_MOST ? size : POISONED_AT_MOST);
}

struct fd_memory_segment *fd_segment_create(struct fd_memory_segment **list, uint64_t begin,
                                            uint64_t end, uint64_t size)
{
    uint64_t offset = 0;
    struct fd_memory_segment **link = find_gap(list, begin, end, size, &offset);
    if (!link)
        return NULL;
    struct fd_memory_segment *segment = calloc(1, sizeof *segment);
    struct fd_memory_block *block = calloc(1, sizeof *block);
    if (!segment || !block) {
        free(block);
        free(segment);
        return NULL;
    }
    *block = (struct fd_memory_block){.offset = offset, .reserved = size, .segment = segment};
    *segment =
        (struct fd_memory_segment){.offset = offset, .size = size, .first = block, .next = *link};
    *link = segment;
    make_unclean(offset, size);
    return segment;
}

void fd_segment_destroy(struct fd_memory_segment **list, struct fd_memory_segment *segment)
{
    struct fd_memory_segment **link = list;
    while (*link != segment)
        link = &(*link)->next;
    *link = segment->next;
    fd_space_discard(segment->offset, segment->size);
    free(segment->first);
    free(segment);
}

struct fd_memory_block *fd_segment_split(struct fd_memory_block *block, uint64_t size)
{
    struct fd_memory_block *rest = calloc(1, sizeof *rest);
    if (!rest || !fd_block_share_owner(block, rest)) {
        free(rest);
        return NULL;
    }
    rest->offset = block->offset + size;
    rest->reserved = block->reserved - size;
    rest->segment = block->segment;
    rest->before = block;
    rest->after = block->after;
    if (rest->after)
        rest->after->before = rest;
    block->after = rest;
    block->reserved = size;
    return rest;
}

int32_t fd_segment_join(struct fd_memory_block *block)
{
    struct fd_memory_block *absorbed = block->after;
    if (!fd_block_merge_use(block, absorbed))
        return 0;
    block->reserved += absorbed->reserved;
    block->after = absorbed->after;
    if (block->after)
        block->after->before = block;
    free(absorbed);
    return 1;
}
