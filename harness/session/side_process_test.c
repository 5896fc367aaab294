/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of side_process.c: a process that grows, itself or in a child, is ended and reported.
 */
#include <check.h>
#include <stdlib.h>

#include "side_process.h"

#define GROWS "x = bytearray(b'1') * (96 << 20); import threading; threading.Event().wait()"

static const char *const programs[] = {
    GROWS, "import subprocess, sys; subprocess.run([sys.executable, '-c', \"" GROWS "\"])"};

START_TEST(side_process_that_grows_is_ended)
{
    const char *const words[] = {"python3", "-c", programs[_i], NULL};
    const struct hn_side_process process = {
        .words = words, .deadline_ms = 50000, .most_resident = (int64_t)64 << 20};
    char ended[HN_SIDE_ENDED];
    struct hn_error error;

    ck_assert_int_eq(hn_side_process_run(&process, ended, &error), HN_OK);
    ck_assert_str_eq(ended, "held more than 64 MiB of memory and was ended");
}
END_TEST

START_TEST(side_process_may_be_as_large_as_the_machine_allows)
{
    static const char *const words[] = {"python3", "-c", "x = bytearray(b'1') * (96 << 20)", NULL};
    const struct hn_side_process process = {.words = words, .deadline_ms = 50000};
    char ended[HN_SIDE_ENDED];
    struct hn_error error;

    ck_assert_int_eq(hn_side_process_run(&process, ended, &error), HN_OK);
    ck_assert_str_eq(ended, "");
}
END_TEST

int main(void)
{
    Suite *suite = suite_create("side_process");
    TCase *test = tcase_create("side_process");

    tcase_set_timeout(test, 120);
    tcase_add_loop_test(test, side_process_that_grows_is_ended, 0, 2);
    tcase_add_test(test, side_process_may_be_as_large_as_the_machine_allows);
    suite_add_tcase(suite, test);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
