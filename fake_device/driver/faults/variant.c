/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The selected variants. Written while the library is loaded and only read afterwards.
 */
#include "variant_table.h"

#include "error.h"
#include "names.h"

#include <stddef.h>

static uint64_t chosen; /* bit i: row i of the table */

static const char *name_at(size_t index)
{
    return index < fd_variant_table_size ? fd_variant_table[index].info.name : NULL;
}

static const struct fd_names names = {"variant", name_at};

static void choose(size_t index)
{
    chosen |= UINT64_C(1) << index;
}

int fd_variants_choose(const char *list, struct fd_settings *settings, char *message,
                       size_t message_size)
{
    chosen = 0;
    if (fd_names_choose(&names, list, choose, message, message_size) < 0)
        return -1;
    for (size_t i = 0; i < fd_variant_table_size; i++)
        if (((chosen >> i) & 1) && fd_variant_table[i].apply)
            fd_variant_table[i].apply(settings);
    return 0;
}

int32_t fd_variant_is_on(const char *name)
{
    return (chosen >> fd_names_demand(&names, name)) & 1;
}

fd_status fd_variant_get(size_t index, struct fd_variant_info *info)
{
    if (!info || index >= fd_variant_table_size)
        return fd_fail(FD_ERROR_INVALID_VALUE, "there are %zu variants, no variant %zu",
                       fd_variant_table_size, index);
    *info = fd_variant_table[index].info;
    return FD_OK;
}
