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
    /* Changes the settings. NULL for a variant that is queried with fd_variant_is_on where it
     * acts. */
    void (*apply)(struct fd_settings *settings);
};

extern const struct fd_variant_row fd_variant_table[];
extern const size_t fd_variant_table_size;

#endif
