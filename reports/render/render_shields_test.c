/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the colour and the text of the badge, and that only a decided, complete run is green.
 */
#include <stdio.h>
#include <string.h>

#include "render.h"
#include "unit_test.h"

/* Renders the badge of a run with one check and one requirement of the level. */
static void render(enum hn_level level, enum hn_verdict verdict, int complete, size_t requirements,
                   const char *select, struct hn_buffer *out)
{
    static const struct rp_options plain = {0};
    const struct rp_check check = {.id = "m.a", .level = level, .verdict = verdict};
    const struct rp_requirement requirement = {.level = level, .verdict = verdict};
    const struct rp_run run = {.target = "foo",
                               .select = select,
                               .checks = &check,
                               .check_count = 1,
                               .requirements = &requirement,
                               .requirement_count = requirements,
                               .complete = complete};
    const struct rp_run *const runs[] = {&run};
    hn_buffer_init(out, 4096);
    ck_assert_int_eq(rp_render_shields(runs, 1, &plain, out), HN_OK);
}

TEST(render_shields_of_a_run_has_its_colour_and_words)
{
    static const struct {
        enum hn_level level;
        enum hn_verdict verdict;
        int complete;
        size_t requirements;
        const char *message, *colour, *is_error, *select;
    } table[] = {
        {HN_MUST, HN_PASS, 1, 1, "1 of 1 musts kept", "brightgreen", "false", ""},
        {HN_MUST, HN_FAIL, 1, 1, "0 of 1 musts kept", "red", "true", ""},
        {HN_MUST, HN_FAIL, 1, 1, "0 of 1 asked musts kept", "red", "true", "smoke"},
        {HN_MUST, HN_BROKEN, 1, 1, "0 of 1 musts kept", "lightgrey", "true", ""},
        {HN_MUST, HN_PASS, 0, 1, "run not complete", "lightgrey", "true", ""},
        {HN_MUST, HN_CRASH, 0, 1, "run not complete", "red", "true", ""},
        {HN_SHOULD, HN_FAIL, 1, 1, "0 of 1 checks passed", "yellow", "false", ""},
        {HN_SHOULD, HN_PASS, 1, 1, "1 of 1 checks passed", "brightgreen", "false", ""},
        {HN_MUST, HN_PASS, 1, 0, "1 of 1 checks passed", "brightgreen", "false", ""},
    };
    for (size_t i = 0; i < sizeof table / sizeof *table; i++) {
        struct hn_buffer out;
        char colour[40], is_error[40];
        render(table[i].level, table[i].verdict, table[i].complete, table[i].requirements,
               table[i].select, &out);
        snprintf(colour, sizeof colour, "\"color\": \"%s\"", table[i].colour);
        snprintf(is_error, sizeof is_error, "\"isError\": %s", table[i].is_error);
        ck_assert_msg(strstr(out.text, table[i].message) != NULL, "%zu: %s", i, out.text);
        ck_assert_msg(strstr(out.text, colour) != NULL, "%zu: %s", i, out.text);
        ck_assert_msg(strstr(out.text, is_error) != NULL, "%zu: %s", i, out.text);
        hn_buffer_finish(&out);
    }
}
