/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Arena: memory that is freed together, such as a document, a catalogue or a plan. The size limit
 * of an arena is set when the arena is created.
 */
#ifndef HN_ARENA_H
#define HN_ARENA_H

#include <stddef.h>

#include "hn_error.h"

struct hn_arena;

/* Returns NULL when out of memory. `limit` is the largest total size of the allocated memory. */
struct hn_arena *hn_arena_create(size_t limit);
void hn_arena_destroy(struct hn_arena *arena); /* NULL is a no-op */
/* Allocates a zeroed struct in a new arena that the struct owns; both are freed together. Returns
 * NULL when out of memory. */
void *hn_arena_owner(size_t size, size_t limit, struct hn_arena **arena);

/* Returns zeroed memory that is aligned for any type, or NULL when out of memory or over the
 * limit. */
void *hn_arena_alloc(struct hn_arena *arena, size_t size);
/* Like hn_arena_alloc, for `count` items. Returns NULL if the product overflows. */
void *hn_arena_array(struct hn_arena *arena, size_t count, size_t size);
char *hn_arena_copy(struct hn_arena *arena, const char *text, size_t length);
char *hn_arena_text(struct hn_arena *arena, const char *format, ...) HN_PRINTF(2, 3);

#endif
