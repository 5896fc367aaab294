/* SPDX-License-Identifier: BSD-3-Clause
 *
 * "Did you mean": the nearest right name.
 */
#ifndef HN_NEAREST_H
#define HN_NEAREST_H

#include <stddef.h>

/* Looks for the candidate with the fewest edits (insert, delete, replace, swap of neighbours) from
 * `name`; none is near enough to be meant with more than a third of the name's length, or than one.
 * The first of equals. Names longer than 63 bytes are never near. */
struct hn_nearest {
    const char *name, *best; /* best: NULL when none is near */
    const char *prefix;      /* of candidates in the hint, such as "--"; NULL */
    size_t best_distance;
    char hint[128];
};
void hn_nearest_begin(struct hn_nearest *search, const char *name);
void hn_nearest_offer(struct hn_nearest *search, const char *candidate);
/* All of an array, each item of which begins with its name, a const char *. */
#define HN_NEAREST_OFFER_ALL(search, rows, count)                                                  \
    hn_nearest_offer_rows(search, rows, count, sizeof *(rows))
void hn_nearest_offer_rows(struct hn_nearest *search, const void *rows, size_t count, size_t size);

/* "; did you mean \"guard\"?" or "", as long as the search lives. */
const char *hn_nearest_hint(struct hn_nearest *search);

#endif
