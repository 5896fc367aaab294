/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that a process is ended and reported if its memory or the memory of a child grows, or if
 * the process waits for ever.
 */

#include "side_process.h"
#include "unit_test.h"

#define GROWS "x = bytearray(b'1') * (96 << 20); import threading; threading.Event().wait()"

static const char *const programs[] = {
    GROWS, "import subprocess, sys; subprocess.run([sys.executable, '-c', \"" GROWS "\"])"};

TEST_TIMES(side_process_that_grows_is_ended, 2)
{
    const char *const words[] = {"python3", "-c", programs[_i], NULL};
    const struct hn_side_process process = {
        .words = words, .deadline_ms = 50000, .most_resident = (int64_t)64 << 20};
    char ended[HN_SIDE_ENDED];
    struct hn_error error;
    ck_assert_int_eq(hn_side_process_run(&process, ended, &error), HN_OK);
    ck_assert_str_eq(ended, "held more than 64 MiB of memory and was ended");
}

TEST(side_process_may_be_as_large_as_the_machine_allows)
{
    static const char *const words[] = {"python3", "-c", "x = bytearray(b'1') * (96 << 20)", NULL};
    const struct hn_side_process process = {.words = words, .deadline_ms = 50000};
    char ended[HN_SIDE_ENDED];
    struct hn_error error;
    ck_assert_int_eq(hn_side_process_run(&process, ended, &error), HN_OK);
    ck_assert_str_eq(ended, "");
}

#define WORKS "while __import__('time').process_time() < 2.5: pass"

static const struct {
    const char *program, *ended;
} activities[] = {
    {"import threading; threading.Event().wait()", "used no processor time for 2 s and was ended"},
    {"import subprocess, sys; subprocess.run([sys.executable, '-c', \"" WORKS "\"])", ""},
};

TEST_EACH(side_process_that_waits_for_ever_is_ended, activities)
{
    const char *const words[] = {"python3", "-c", activities[_i].program, NULL};
    const struct hn_side_process process = {.words = words, .deadline_ms = 50000, .idle_ms = 2000};
    char ended[HN_SIDE_ENDED];
    struct hn_error error;
    ck_assert_int_eq(hn_side_process_run(&process, ended, &error), HN_OK);
    ck_assert_str_eq(ended, activities[_i].ended);
}
