/* SPDX-License-Identifier: BSD-3-Clause
 *
 * All variants of the fake device: legal devices that differ from the usual one. README.md says
 * how to add one.
 */
#ifndef FD_VARIANT_TABLE_H
#define FD_VARIANT_TABLE_H

#include "settings.h"

struct fd_variant_row {
    struct fd_variant_info info;
    /* Changes the settings; NULL for a variant that others act on through fd_variant_is_on. */
    void (*apply)(struct fd_settings *settings);
};

extern const struct fd_variant_row fd_variant_table[];
extern const size_t fd_variant_table_size;

#endif
