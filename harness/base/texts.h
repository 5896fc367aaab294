/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Lists that borrow their items (texts, or indices into another list), and a text with a name.
 */
#ifndef HN_TEXTS_H
#define HN_TEXTS_H

#include <stddef.h>
#include <string.h>

struct hn_texts {
    const char *const *items;
    size_t count;
};

struct hn_indices {
    const size_t *items;
    size_t count;
};

struct hn_note {
    const char *key, *text;
};

static inline int hn_texts_contain(const struct hn_texts *texts, const char *text)
{
    for (size_t i = 0; i < texts->count; i++)
        if (strcmp(texts->items[i], text) == 0)
            return 1;
    return 0;
}

#endif
