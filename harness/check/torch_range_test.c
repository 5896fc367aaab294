/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of the releases of torch for which a clause applies.
 */

#include "torch_range.h"
#include "unit_test.h"

static const struct {
    const char *since, *until, *torch;
    int has;
} rows[] = {
    {"", "", "2.13.0", 1},
    {"2.13", "", "2.13.0.dev20260101+cpu", 1},
    {"2.13", "", "2.12.1", 0},
    {"2.9", "", "2.10.0", 1}, /* compared as numbers, not as text */
    {"3.0", "", "2.14.0", 0},
    {"2.12-2.13", "", "2.12.0", 0},
    {"2.12-2.13", "", "2.13.0", 1},
    {"1.13-2.x", "", "2.0.0", 1},
    {"<=2.13", "", "2.12.0", 1},
    {"", "2.12", "2.12.1", 1},
    {"", "2.12", "2.13.0", 0},
    {"2.11", "2.12", "2.10.0", 0},
    {"2.13", "", "2.13.0a0+git1234567", 1},
    {"99.0", "1.0", "", 1},
    {"99.0", "1.0", "unknown", 1},
};

TEST_EACH(torch_range_has_what_the_release_promises, rows)
{
    const struct hn_torch_range range = {rows[_i].since, rows[_i].until};
    ck_assert_msg(hn_torch_range_has(range, rows[_i].torch) == rows[_i].has, "row %d", _i);
}

TEST(torch_range_join_has_all_of_both)
{
    const struct hn_torch_range old = {"2.1", "2.11"}, new = {"2.12", ""}, late = {"2.13", "2.14"};
    ck_assert_str_eq(hn_torch_range_join(old, new).since, "2.1");
    ck_assert_str_eq(hn_torch_range_join(old, new).until, "");
    ck_assert_str_eq(hn_torch_range_join(late, old).since, "2.1");
    ck_assert_str_eq(hn_torch_range_join(late, old).until, "2.14");
}
