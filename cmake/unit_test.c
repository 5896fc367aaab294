/* SPDX-License-Identifier: BSD-3-Clause
 *
 * main() of every C test program. See unit_test.h.
 */
#include "unit_test.h"

#include <errno.h>

#define HANGS_S 300 /* long enough for a busy machine: this limit only ends tests that hang */

static struct unit_test *first, **end = &first;
static void (*before)(void), (*after)(void);

void unit_test_add(struct unit_test *test)
{
    *end = test;
    end = &test->next;
}

void unit_test_fixture(void (*setup)(void), void (*teardown)(void))
{
    before = setup;
    after = teardown;
}

int main(void)
{
    Suite *suite = suite_create(program_invocation_short_name);
    TCase *tests = tcase_create(program_invocation_short_name);
    tcase_set_timeout(tests, HANGS_S);
    tcase_add_checked_fixture(tests, before, after);
    for (struct unit_test *test = first; test; test = test->next)
        tcase_add_loop_test_raise_signal(tests, &test->check, test->signal, 0, test->times);
    suite_add_tcase(suite, tests);
    SRunner *runner = srunner_create(suite);
    srunner_run_all(runner, CK_ENV);
    const int failed = srunner_ntests_failed(runner);
    srunner_free(runner);
    return failed ? EXIT_FAILURE : EXIT_SUCCESS;
}
