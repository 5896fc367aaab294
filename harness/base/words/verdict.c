/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The table of verdicts. Called by the runner, the gate and every report. This file depends only on
 * error codes.
 */
#include "verdict.h"

#include <string.h>

#include "hn_error.h"

/* clang-format off */
const struct hn_verdict_row hn_verdict_table[HN_VERDICTS] = {
    /* name, fails, exit, gate, junit, rank, good, meaning */
    [HN_CRASH] = {"crash", 1, HN_EXIT_FAILED, HN_GATE_REGRESSION, HN_JUNIT_ERROR, 1, 0,
        "the process ended with a signal or an exit status that it must not have"},
    [HN_TIMEOUT] = {"timeout", 1, HN_EXIT_FAILED, HN_GATE_REGRESSION, HN_JUNIT_ERROR, 2, 0,
        "the deadline passed"},
    [HN_FAIL] = {"fail", 1, HN_EXIT_FAILED, HN_GATE_REGRESSION, HN_JUNIT_FAILURE, 3, 0,
        "the contract is violated"},
    [HN_BROKEN] = {"broken", 0, HN_EXIT_UNDECIDED, HN_GATE_UNDECIDED, HN_JUNIT_ERROR, 4, 0,
        "the check or its environment could not decide"},
    [HN_INCOMPLETE] = {"incomplete", 0, HN_EXIT_UNDECIDED, HN_GATE_UNDECIDED, HN_JUNIT_ERROR, 5, 0,
        "the run ended while the check was running"},
    [HN_NOTRUN] = {"notrun", 0, HN_EXIT_UNDECIDED, HN_GATE_UNDECIDED, HN_JUNIT_ERROR, 5, 0,
        "the run ended before the check started"},
    [HN_SLOW] = {"slow", 0, HN_EXIT_OK, HN_GATE_SLOW, HN_JUNIT_SKIPPED, 6, 1,
        "the check finished only with more time, or did not finish even then"},
    [HN_BLOCKED] = {"blocked", 0, HN_EXIT_OK, HN_GATE_LOST, HN_JUNIT_SKIPPED, 7, 0,
        "a means, or a check that it builds on, does not work"},
    [HN_FALLBACK] = {"fallback", 0, HN_EXIT_OK, HN_GATE_CAPABILITY, HN_JUNIT_PASSED, 8, 1,
        "right, but computed on the CPU and not on the device"},
    [HN_SKIP] = {"skip", 0, HN_EXIT_OK, HN_GATE_CAPABILITY, HN_JUNIT_SKIPPED, 9, 0,
        "the backend lacks the capability, proven by its refusal check"},
    [HN_UNOBSERVABLE] = {"unobservable", 0, HN_EXIT_OK, HN_GATE_IGNORED, HN_JUNIT_SKIPPED, 10, 1,
        "needs an instrumented device that this target does not offer"},
    [HN_FLAKY] = {"flaky", 0, HN_EXIT_OK, HN_GATE_WARN, HN_JUNIT_PASSED, 11, 1,
        "passed only when retried"},
    [HN_NOTED] = {"noted", 0, HN_EXIT_OK, HN_GATE_IGNORED, HN_JUNIT_PASSED, 12, 1,
        "advisory clause: the observation is recorded"},
    [HN_PASS] = {"pass", 0, HN_EXIT_OK, HN_GATE_PASS, HN_JUNIT_PASSED, 13, 1,
        "the contract is kept"},
};
/* clang-format on */

int hn_verdict_from_name(const char *name, enum hn_verdict *verdict)
{
    for (int i = 0; i < HN_VERDICTS; i++) {
        if (strcmp(hn_verdict_table[i].name, name) == 0) {
            *verdict = (enum hn_verdict)i;
            return HN_OK;
        }
    }
    return HN_EINPUT;
}

enum hn_verdict hn_verdict_worse(enum hn_verdict a, enum hn_verdict b)
{
    return hn_verdict_table[b].rank < hn_verdict_table[a].rank ? b : a;
}
