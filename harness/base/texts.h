/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A list of texts that somebody else owns.
 */
#ifndef HN_TEXTS_H
#define HN_TEXTS_H

#include <stddef.h>

struct hn_texts {
    const char *const *items;
    size_t count;
};

#endif
