/* SPDX-License-Identifier: BSD-3-Clause
 *
 * "Did you mean": the nearest right name.
 */
#ifndef HN_NEAREST_H
#define HN_NEAREST_H

#include <stddef.h>

/* The candidate with the fewest edits (insert, delete, replace, swap of neighbours) from `name`, or
 * NULL when none is near enough to be meant: at most a third of the name's length, at least one.
 * The first of equals. Names longer than 63 bytes are never near. */
const char *hn_nearest(const char *name, const char *const *candidates, size_t count);

/* The same, one candidate at a time, for lists that are not arrays of strings. */
struct hn_nearest {
    const char *name, *best;
    size_t best_distance;
};
void hn_nearest_begin(struct hn_nearest *search, const char *name);
void hn_nearest_offer(struct hn_nearest *search, const char *candidate);
/* All of an array, each item of which (`size` bytes) begins with its name, a const char *. */
void hn_nearest_offer_rows(struct hn_nearest *search, const void *rows, size_t count, size_t size);

/* "; did you mean \"guard\"?" or "" into `text`; returns `text`. */
const char *hn_nearest_hint(const char *best, char *text, size_t size);

#endif
