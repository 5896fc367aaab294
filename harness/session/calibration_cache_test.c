/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests which calibrations are cached, and that a cached calibration is read back unchanged.
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "calibration_cache.h"
#include "isolation.h"
#include "unit_test.h"

static struct hn_calibration learnt(void)
{
    struct hn_calibration calibration = {.mode = hn_isolations[HN_FORK_CLEAN].name,
                                         .why = "loading took 14 s"};
    hn_notes_add(&calibration.notes, "devices", "0 1");
    return calibration;
}

TEST(calibration_under_load_is_measured_again)
{
    struct hn_calibration calibration = learnt();
    ck_assert_int_eq(hn_calibration_lasts(&calibration, 9.0, 2), 1);
    calibration.too_slow = 1;
    ck_assert_int_eq(hn_calibration_lasts(&calibration, 0.5, 2), 1);
    ck_assert_int_eq(hn_calibration_lasts(&calibration, 2.0, 2), 0);
}

TEST(calibration_that_learnt_nothing_is_measured_again)
{
    struct hn_calibration calibration = {.mode = hn_isolations[HN_FORK_CLEAN].name};
    ck_assert_int_eq(hn_calibration_lasts(&calibration, 0, 2), 0);
    calibration = learnt();
    calibration.fell = 1;
    ck_assert_int_eq(hn_calibration_lasts(&calibration, 0, 2), 0);
}

TEST(calibration_is_recalled_as_it_was_kept)
{
    char path[] = "/tmp/assay-calibration-XXXXXX", file[64];
    const struct hn_calibration kept = learnt();
    struct hn_calibration recalled;
    ck_assert_ptr_nonnull(mkdtemp(path));
    snprintf(file, sizeof file, "%s/x.json", path);
    hn_calibration_keep(file, &kept);
    ck_assert_int_eq(hn_calibration_recall(file, &recalled), 1);
    ck_assert_str_eq(recalled.mode, kept.mode);
    ck_assert_str_eq(recalled.why, kept.why);
    ck_assert_uint_eq(recalled.notes.count, 1);
    hn_calibration_forget(file);
    ck_assert_int_eq(hn_calibration_recall(file, &recalled), 0);
    rmdir(path);
}
