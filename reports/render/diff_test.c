/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of the changes from one run to another: the kinds, the order, and each format against
 * its golden file testdata/diffs/mixed-later.<format> (GOLDEN_WRITE=1 writes them again).
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "file.h"
#include "render_diff.h"
#include "unit_test.h"

static struct rp_run *runs[2];

static void setup(void)
{
    static const char *const folders[] = {TEST_DATA "/runs/mixed", TEST_DATA "/runs/later"};
    struct hn_error error;
    ck_assert_int_eq(rp_runs_read(folders, 2, runs, &error), HN_OK);
    /* The path of the checkout must not be compared. */
    runs[0]->folder = "mixed";
    runs[1]->folder = "later";
}

static void teardown(void)
{
    rp_run_destroy(runs[0]);
    rp_run_destroy(runs[1]);
}

static struct rp_diff *diff_of(const struct rp_run *from, const struct rp_run *to)
{
    struct rp_diff *diff;
    struct hn_error error;
    ck_assert_int_eq(rp_diff_make(from, to, &diff, &error), HN_OK);
    return diff;
}

TEST_FIXTURE(setup, teardown);

TEST(diff_formats_are_golden)
{
    struct rp_diff *diff = diff_of(runs[0], runs[1]);
    for (size_t i = 0; i < rp_diff_format_count; i++) {
        struct hn_buffer out;
        char path[600], *expected;
        size_t length;

        hn_buffer_init(&out, 1 << 20);
        ck_assert_int_eq(rp_diff_formats[i].render(diff, 0, &out), HN_OK);
        snprintf(path, sizeof path, "%s/diffs/mixed-later.%s", TEST_DATA, rp_diff_formats[i].name);
        if (getenv("GOLDEN_WRITE"))
            ck_assert_int_eq(hn_file_write(path, out.text, out.length, NULL), HN_OK);
        ck_assert_msg(hn_file_read(path, 1 << 20, &expected, &length, NULL) == HN_OK, "%s", path);
        ck_assert_str_eq(out.text, expected);
        free(expected);
        hn_buffer_finish(&out);
    }
    rp_diff_destroy(diff);
}

TEST(diff_of_a_run_with_itself_is_empty)
{
    struct rp_diff *diff = diff_of(runs[0], runs[0]);
    struct hn_buffer out;
    ck_assert_uint_eq(diff->change_count, 0);
    hn_buffer_init(&out, 1 << 20);
    ck_assert_int_eq(rp_diff_text(diff, 0, &out), HN_OK);
    ck_assert_ptr_nonnull(strstr(out.text, "nothing changed"));
    hn_buffer_clear(&out);
    ck_assert_int_eq(rp_diff_markdown(diff, 0, &out), HN_OK);
    ck_assert_ptr_nonnull(strstr(out.text, "Nothing changed."));
    hn_buffer_finish(&out);
    rp_diff_destroy(diff);
    rp_diff_destroy(NULL);
}

TEST(diff_backwards_has_the_blocked_under_their_cause)
{
    struct rp_diff *diff = diff_of(runs[1], runs[0]);
    ck_assert_uint_gt(diff->counts[RP_WORSE], 3);
    ck_assert_str_eq(diff->changes[0].to->id, "guard.exchange_device_returns_the_previous_device");
    ck_assert_int_eq(diff->changes[0].under, 0);
    ck_assert_str_eq(diff->changes[1].to->id, "guard.device_guard_restores_the_device");
    ck_assert_int_eq(diff->changes[1].under, 1);
    rp_diff_destroy(diff);
}

/* A run of one check with a verdict and an observation. */
static struct rp_diff *diff_of_one(enum hn_verdict from, const char *first, enum hn_verdict to,
                                   const char *second)
{
    struct rp_check *one = (struct rp_check *)(uintptr_t)&runs[0]->checks[0];
    struct rp_check *two = (struct rp_check *)(uintptr_t)rp_run_check(runs[1], one->id);
    one->verdict = from;
    one->seen = first;
    two->verdict = to;
    two->seen = second;
    return diff_of(runs[0], runs[1]);
}

TEST(diff_kind_follows_from_the_two_verdicts)
{
    static const struct {
        enum hn_verdict from, to;
        const char *seen;
        enum rp_change_kind kind;
    } table[] = {
        {HN_PASS, HN_FAIL, "a", RP_WORSE},
        {HN_FLAKY, HN_BLOCKED, "a", RP_WORSE},
        {HN_BLOCKED, HN_CRASH, "a", RP_VISIBLE},
        {HN_BROKEN, HN_FAIL, "a", RP_VISIBLE},
        {HN_NOTRUN, HN_FAIL, "a", RP_VISIBLE},
        {HN_SKIP, HN_FAIL, "a", RP_WORSE},
        {HN_BLOCKED, HN_SKIP, "a", RP_OTHER},
        {HN_SKIP, HN_PASS, "a", RP_BETTER},
        {HN_FAIL, HN_NOTED, "a", RP_BETTER},
        {HN_FAIL, HN_BLOCKED, "a", RP_OTHER},
        {HN_FAIL, HN_UNOBSERVABLE, "a", RP_MENDED},
        {HN_CRASH, HN_UNOBSERVABLE, "a", RP_MENDED},
        {HN_BLOCKED, HN_UNOBSERVABLE, "a", RP_OTHER},
        {HN_PASS, HN_UNOBSERVABLE, "a", RP_WORSE},
        {HN_FLAKY, HN_PASS, "a", RP_OTHER},
        {HN_FAIL, HN_CRASH, "a", RP_OTHER},
        {HN_FAIL, HN_FAIL, "b", RP_SEEN},
        {HN_FAIL, HN_FAIL, "a", RP_CHANGE_KINDS},
        {HN_SKIP, HN_SKIP, "b", RP_CHANGE_KINDS},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct rp_diff *diff = diff_of_one(table[i].from, "a", table[i].to, table[i].seen);
        enum rp_change_kind kind = RP_CHANGE_KINDS;
        for (size_t j = 0; j < diff->change_count; j++)
            if (diff->changes[j].from == &runs[0]->checks[0])
                kind = diff->changes[j].kind;
        ck_assert_msg(kind == table[i].kind, "row %zu: %d", i, (int)kind);
        rp_diff_destroy(diff);
    }
}

TEST(diff_says_that_the_rest_of_a_mended_check_cannot_be_observed)
{
    static const char words[] = "no longer fails; the rest cannot be observed on this device: 1";
    struct rp_diff *diff = diff_of_one(HN_FAIL, "a", HN_UNOBSERVABLE, "");
    struct hn_buffer out;
    hn_buffer_init(&out, 1 << 20);
    ck_assert_int_eq(rp_diff_text(diff, 0, &out), HN_OK);
    ck_assert_ptr_nonnull(strstr(out.text, words));
    hn_buffer_clear(&out);
    ck_assert_int_eq(rp_diff_markdown(diff, 0, &out), HN_OK);
    ck_assert_ptr_nonnull(strstr(out.text, words));
    hn_buffer_clear(&out);
    ck_assert_int_eq(rp_diff_json(diff, 0, &out), HN_OK);
    ck_assert_ptr_nonnull(strstr(out.text, "\"no_longer_fails\": 1"));
    hn_buffer_finish(&out);
    rp_diff_destroy(diff);
}

TEST(diff_of_other_targets_says_so_in_text_and_markdown)
{
    struct hn_buffer out;
    runs[1]->target = "other\x1b[2J";
    struct rp_diff *diff = diff_of(runs[0], runs[1]);
    hn_buffer_init(&out, 1 << 20);
    ck_assert_int_eq(rp_diff_text(diff, 1, &out), HN_OK);
    ck_assert_ptr_nonnull(strstr(out.text, "the target differs: foo.yaml, then other\\x1b[2J"));
    hn_buffer_clear(&out);
    ck_assert_int_eq(rp_diff_markdown(diff, 0, &out), HN_OK);
    ck_assert_ptr_nonnull(strstr(out.text, "**the target differs**"));
    hn_buffer_finish(&out);
    rp_diff_destroy(diff);
}
