/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The main program of a test file:  return HN_TESTS("names", a_test, b_test);
 * With fixtures or loops:  TCase *tests = HN_TEST_CASE("names", a_test); ... return hn_run_tests(tests);
 */
#ifndef HN_UNIT_TEST_H
#define HN_UNIT_TEST_H

#include <check.h>

static inline TCase *hn_test_case(const char *name, const TTest *const *tests, size_t count)
{
    TCase *test_case = tcase_create(name);
    tcase_set_timeout(test_case, 25);
    for (size_t i = 0; i < count; i++)
        tcase_add_test(test_case, tests[i]);
    return test_case;
}

static inline int hn_run_tests(TCase *test_case)
{
    Suite *suite = suite_create("assay");
    suite_add_tcase(suite, test_case);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed != 0;
}

#define HN_TEST_CASE(name, ...)                                                                    \
    hn_test_case(name, (const TTest *const[]){__VA_ARGS__},                                        \
                 sizeof((const TTest *const[]){__VA_ARGS__}) / sizeof(const TTest *))
#define HN_TESTS(name, ...) hn_run_tests(HN_TEST_CASE(name, __VA_ARGS__))

#endif
