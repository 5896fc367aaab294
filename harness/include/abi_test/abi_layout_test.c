/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Prints the layout of the public ABI and compares it with abi_layout.golden. A released struct
 * must not change, except for new fields at its end. CMake also builds it as C11, C17, C++17 and
 * C++20.
 */
#include "abi_layout.h"
#include "unit_test.h"

#include <stdio.h>

struct layout_row {
    const char *type, *field;
    size_t offset, size;
};

#define ABI_ROW(type, field, offset)                                                               \
    {#type, #field, offsetof(struct type, field), sizeof(((struct type *)0)->field)},

static const struct layout_row rows[] = {ABI_FIELDS(ABI_ROW)};

TEST(layout_of_every_struct_equals_golden_file)
{
    FILE *golden = fopen(ABI_GOLDEN, "r");
    ck_assert_ptr_nonnull(golden);
    char expected[160], actual[160];
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        snprintf(actual, sizeof actual, "%s.%s %zu %zu\n", rows[i].type, rows[i].field,
                 rows[i].offset, rows[i].size);
        ck_assert_ptr_nonnull(fgets(expected, sizeof expected, golden));
        ck_assert_str_eq(actual, expected);
    }
    ck_assert_ptr_null(fgets(expected, sizeof expected, golden));
    fclose(golden);
}

TEST(has_of_short_struct_is_false)
{
    struct assay_plugin plugin = {.struct_size = 8, .name = "present but outside"};
    ck_assert(!ASSAY_HAS(&plugin, struct assay_plugin, name));
    plugin.struct_size = sizeof plugin;
    ck_assert(ASSAY_HAS(&plugin, struct assay_plugin, name));
    ck_assert(!ASSAY_HAS(&plugin, struct assay_plugin, build));
    ck_assert(ASSAY_HAS_FIELD(&plugin, struct assay_plugin, build));
}
