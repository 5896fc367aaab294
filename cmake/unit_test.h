/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests of one C file, which Check runs in separate processes. The macro TEST registers the test,
 * and main() is in unit_test.c, so a test is written in one place:
 *
 *     TEST(buffer_that_is_full_takes_no_more)
 *     {
 *         ck_assert_int_eq(...);
 *     }
 */
#ifndef ASSAY_UNIT_TEST_H
#define ASSAY_UNIT_TEST_H

#include <check.h>
#include <stdlib.h>

struct unit_test {
    TTest check;
    int times, signal; /* signal: the signal that must end the process; 0: none */
    struct unit_test *next;
};

/* Called before main() by the macros below. */
void unit_test_add(struct unit_test *test);
void unit_test_fixture(void (*setup)(void), void (*teardown)(void));

/* Runs the test `count` times with _i from 0. Each run must end with this signal (0: none). */
#define TEST_DYING(name, count, number)                                                            \
    static void name(int _i);                                                                      \
    __attribute__((constructor)) static void name##_add(void)                                      \
    {                                                                                              \
        static struct unit_test test = {.check = {#name, name, __FILE__, __LINE__}};               \
        test.times = (int)(count);                                                                 \
        test.signal = number;                                                                      \
        unit_test_add(&test);                                                                      \
    }                                                                                              \
    static void name(__attribute__((unused)) int _i)
#define TEST_TIMES(name, count) TEST_DYING(name, count, 0)
/* Runs the test once for each item of an array, rows[_i]. */
#define TEST_EACH(name, rows) TEST_TIMES(name, sizeof(rows) / sizeof *(rows))
#define TEST(name) TEST_TIMES(name, 1)

/* Calls these before and after each test of the file, in its process. */
#define TEST_FIXTURE(setup, teardown)                                                              \
    __attribute__((constructor)) static void fixture_add(void)                                     \
    {                                                                                              \
        unit_test_fixture(setup, teardown);                                                        \
    }                                                                                              \
    _Static_assert(1, "a semicolon follows")

#endif
