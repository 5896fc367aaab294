/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All variants of the fake device: legal devices that differ from the default one. README.md
 * describes how to add a variant.
 */
#ifndef FD_VARIANT_TABLE_H
#define FD_VARIANT_TABLE_H

#include "settings.h"

struct fd_variant_row {
    struct fd_variant_info info;
    /* Changes the settings. NULL if the variant acts in code that queries fd_variant_is_on(). */
    void (*apply)(struct fd_settings *settings);
};

extern const struct fd_variant_row fd_variant_table[];
extern const size_t fd_variant_table_size;

/* Selects the variants of a comma-separated list, which may change `settings`. Returns 0, or -1
 * with one sentence in `message`. Must be called only while the library is loaded (and in tests).
 * To query a variant, use fd_variant_is_on(). */
int fd_variants_choose(const char *list, struct fd_settings *settings, char *message,
                       size_t message_size);

#endif
