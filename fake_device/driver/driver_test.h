/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The main program of a test file: FD_TESTS("names", a_test, b_test). Check runs each test in a
 * process of its own, forked before the driver starts, so each has a fresh driver.
 */
#ifndef FD_DRIVER_TEST_H
#define FD_DRIVER_TEST_H

#include <check.h>
#include <stdlib.h>

#include "fakedev.h"

#define ck_assert_ok(status) ck_assert_status(status, FD_OK)
/* Both are statuses; shows names and the driver's text. */
#define ck_assert_status(seen, demanded)                                                           \
    do {                                                                                           \
        const fd_status seen_ = (seen);                                                            \
        ck_assert_msg(seen_ == (demanded), "%s is %s (%s), not %s", #seen, fd_status_name(seen_),  \
                      fd_last_error_text(), fd_status_name(demanded));                             \
    } while (0)

static inline TCase *fd_test_case(const char *name, const TTest *const *tests, size_t count)
{
    TCase *test_case = tcase_create(name);
    tcase_set_timeout(test_case, 120);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(test_case, tests[i]);
    return test_case;
}

static inline int fd_run_tests(TCase *test_case)
{
    Suite *suite = suite_create("driver");
    suite_add_tcase(suite, test_case);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_NORMAL);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed == 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#define FD_TEST_CASE(name, ...)                                                                    \
    fd_test_case(name, (const TTest *const[]){__VA_ARGS__},                                        \
                 sizeof((const TTest *const[]){__VA_ARGS__}) / sizeof(const TTest *))
#define FD_TESTS(name, ...) fd_run_tests(FD_TEST_CASE(name, __VA_ARGS__))

#endif
