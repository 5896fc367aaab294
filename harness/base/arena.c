/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory that is freed together. Called by the readers of whole documents. This file must not
 * depend on the rest of the harness.
 */
#include "arena.h"

#include <stdalign.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define BLOCK_SIZE ((size_t)64 * 1024)

struct block {
    struct block *next;
    size_t used, size;
    alignas(max_align_t) unsigned char bytes[];
};

struct hn_arena {
    struct block *blocks; /* newest first */
    size_t used, limit;
};

struct hn_arena *hn_arena_create(size_t limit)
{
    struct hn_arena *arena = calloc(1, sizeof *arena);
    if (arena)
        arena->limit = limit;
    return arena;
}

void hn_arena_destroy(struct hn_arena *arena)
{
    if (!arena)
        return;
    for (struct block *block = arena->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    free(arena);
}

static struct block *add_block(struct hn_arena *arena, size_t needed)
{
    const size_t size = needed > BLOCK_SIZE ? needed : BLOCK_SIZE;
    struct block *block = calloc(1, sizeof *block + size);
    if (!block)
        return NULL;
    block->size = size;
    block->next = arena->blocks;
    arena->blocks = block;
    return block;
}

void *hn_arena_alloc(struct hn_arena *arena, size_t size)
{
    const size_t unit = alignof(max_align_t);
    if (size > arena->limit - arena->used)
        return NULL;
    const size_t rounded = size ? (size + unit - 1) / unit * unit : unit;
    struct block *block = arena->blocks;
    if (!block || rounded > block->size - block->used)
        block = add_block(arena, rounded);
    if (!block)
        return NULL;
    void *result = block->bytes + block->used;
    block->used += rounded;
    arena->used += size;
    return result;
}

void *hn_arena_owner(size_t size, size_t limit, struct hn_arena **arena)
{
    *arena = hn_arena_create(limit);
    void *owner = *arena ? hn_arena_alloc(*arena, size) : NULL;
    if (!owner)
        hn_arena_destroy(*arena);
    return owner;
}

void *hn_arena_array(struct hn_arena *arena, size_t count, size_t size)
{
    if (size && count > SIZE_MAX / 2 / size)
        return NULL;
    return hn_arena_alloc(arena, count * size);
}

char *hn_arena_copy(struct hn_arena *arena, const char *text, size_t length)
{
    char *copy = length < SIZE_MAX / 2 ? hn_arena_alloc(arena, length + 1) : NULL;
    if (copy && length)
        memcpy(copy, text, length);
    return copy;
}

char *hn_arena_text(struct hn_arena *arena, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    char *text = length < 0 ? NULL : hn_arena_alloc(arena, (size_t)length + 1);
    if (!text)
        return NULL;
    va_start(arguments, format);
    vsnprintf(text, (size_t)length + 1, format, arguments);
    va_end(arguments);
    return text;
}
