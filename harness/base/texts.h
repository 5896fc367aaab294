/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Texts that somebody else owns: a list, and one with a name.
 */
#ifndef HN_TEXTS_H
#define HN_TEXTS_H

#include <stddef.h>

struct hn_texts {
    const char *const *items;
    size_t count;
};

struct hn_note {
    const char *key, *text;
};

#endif
