/* SPDX-License-Identifier: BSD-3-Clause
 *
 * "Did you mean": finds the most similar valid name.
 */
#ifndef HN_NEAREST_H
#define HN_NEAREST_H

#include <stddef.h>

/* Finds the candidate with the fewest edits (insert, delete, replace, swap of neighbours) from
 * `name`. A candidate is accepted only up to one edit, or up to a third of the length of the
 * name. Among equals the first is chosen. Names longer than 63 bytes have no near candidate. */
struct hn_nearest {
    const char *name, *best; /* best: NULL if no candidate is near */
    const char *prefix;      /* prefix of candidates in the hint, such as "--"; or NULL */
    size_t best_distance;
    char hint[128];
};
void hn_nearest_begin(struct hn_nearest *search, const char *name);
void hn_nearest_offer(struct hn_nearest *search, const char *candidate);
/* Offers all items of an array; each item begins with its name, a const char *. */
#define HN_NEAREST_OFFER_ALL(search, rows, count)                                                  \
    hn_nearest_offer_rows(search, rows, count, sizeof *(rows))
void hn_nearest_offer_rows(struct hn_nearest *search, const void *rows, size_t count, size_t size);

/* Returns "; did you mean \"guard\"?" or "". The text lives as long as the search. */
const char *hn_nearest_hint(struct hn_nearest *search);

#endif
