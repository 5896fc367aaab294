/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rules of the gate are one table with the decision, attribution and text of each rule. Used by
 * all other files in this folder. This file must not depend on files and runs. README.md has the
 * same table for people.
 */
#include "gate_rules.h"

#include <assert.h>

const char *const ci_decision_names[CI_DECISIONS] = {"pass", "undecided", "blocked"};
const char *const ci_kind_names[CI_KINDS] = {"pr", "base", "adaptation", "harness"};
const char *const ci_counter_names[CI_COUNTERS] = {
    "checks", "good",  "regressed", "lost",      "already_broken", "expected",
    "fixed",  "flaky", "skipped",   "undecided", "adaptation",
};

#define FAILS (CI_BIT(HN_CRASH) | CI_BIT(HN_TIMEOUT) | CI_BIT(HN_FAIL))
#define UNKNOWN (CI_BIT(HN_BROKEN) | CI_BIT(HN_INCOMPLETE) | CI_BIT(HN_NOTRUN))
#define GOOD (CI_BIT(HN_PASS) | CI_BIT(HN_NOTED))
#define UNSEEN CI_BIT(HN_UNOBSERVABLE)
#define FLAKY CI_BIT(HN_FLAKY)
#define SKIP CI_BIT(HN_SKIP)
#define FALLBACK CI_BIT(HN_FALLBACK)
#define BLOCKED CI_BIT(HN_BLOCKED)
#define SLOW CI_BIT(HN_SLOW)
#define NO_BASE CI_BIT(CI_NO_BASE)
#define NOT_IN_BASE CI_BIT(CI_NOT_IN_BASE)
#define ANY (~0u)
#define NOWHERE CI_COUNTERS

/* clang-format off */
const struct ci_rule ci_rules[CI_RULES] = {
    /* ---- a whole run: name, -, -, decides, kind, counter, silent, text */
    [CI_HEAD_UNUSABLE] = {"head_unusable", 0, 0, CI_UNDECIDED, CI_HARNESS, NOWHERE, 0,
        "The head run cannot be used. Run the checks again."},
    [CI_BASE_UNUSABLE] = {"base_unusable", 0, 0, CI_UNDECIDED, CI_HARNESS, NOWHERE, 0,
        "The base run cannot be used, so nothing can be attributed. Run base again."},
    [CI_UNADAPTED_UNUSABLE] = {"unadapted_unusable", 0, 0, CI_UNDECIDED, CI_HARNESS, NOWHERE, 0,
        "The run of the unadapted backend cannot be used, so it is unknown whether backends must adapt. Run it again."},
    [CI_CONTRACT_DIFFERS] = {"contract_differs", 0, 0, CI_UNDECIDED, CI_HARNESS, NOWHERE, 0,
        "Runs of different versions of the contract are not compared. Make all runs with this version of assay."},
    [CI_SUITE_DIFFERS] = {"suite_differs", 0, 0, CI_UNDECIDED, CI_HARNESS, NOWHERE, 0,
        "The runs were made by different versions of the suites. Make all runs with the same version."},
    [CI_TARGET_DIFFERS] = {"target_differs", 0, 0, CI_UNDECIDED, CI_HARNESS, NOWHERE, 0,
        "The runs are of different backends. Give runs of one backend."},
    [CI_TORCH_DIFFERS] = {"torch_differs", 0, 0, CI_UNDECIDED, CI_HARNESS, NOWHERE, 0,
        "The unadapted backend ran with a different PyTorch from head. Run it with head's."},
    [CI_HEAD_IS_A_SHARD] = {"head_is_a_shard", 0, 0, CI_UNDECIDED, CI_HARNESS, NOWHERE, 0,
        "The head run is one shard of several. Merge the shards with assay merge."},
    [CI_HEAD_INCOMPLETE] = {"head_incomplete", 0, 0, CI_UNDECIDED, CI_HARNESS, NOWHERE, 0,
        "The head run was cut off before its end. Run it again, or continue it with assay run --resume."},
    [CI_FEWER_CHECKS] = {"fewer_checks", 0, 0, CI_UNDECIDED, CI_HARNESS, NOWHERE, 0,
        "The head run has fewer checks than the contract promises. Run all of them, or name the intended checks with --select."},
    [CI_HEAD_SILENT] = {"head_silent", 0, 0, CI_UNDECIDED, CI_HARNESS, NOWHERE, 0,
        "The head run decides nothing: more than half of its musts have no verdict. assay report shows the reasons."},
    [CI_BACKEND_UNBUILDABLE] = {"backend_unbuildable", 0, 0, CI_BLOCKED, CI_PR, NOWHERE, 0,
        "The backend no longer builds. Rework the change, or adapt the in-tree backend in the same pull request."},
    [CI_BACKEND_UNBUILDABLE_BEFORE] = {"backend_unbuildable_before", 0, 0, CI_UNDECIDED, CI_BASE, NOWHERE, 0,
        "The backend does not build or load on base either, so nothing was checked. Repair base first."},
    [CI_BACKEND_STEP_UNDECIDED] = {"backend_step_undecided", 0, 0, CI_UNDECIDED, CI_HARNESS, NOWHERE, 0,
        "The backend was not built, and the machine may be to blame. Run it again."},
    [CI_BACKEND_NOT_LOADED] = {"backend_not_loaded", 0, 0, CI_UNDECIDED, CI_HARNESS, NOWHERE, 0,
        "The backend did not load on head, so nothing was checked. The cause may be the change or the environment; the message says which. Repair it and run again."},
    [CI_UNKNOWN_CHECKS] = {"unknown_checks", 0, 0, CI_PASS, CI_HARNESS, NOWHERE, 0,
        "The head run holds checks that the contract does not know; they are ignored."},

    /* ---- a check: name, on head, on base, ...; tried from the top, the first match decides */
    [CI_COULD_NOT_DECIDE] = {"could_not_decide", UNKNOWN, ANY, CI_UNDECIDED, CI_HARNESS, CI_COUNT_UNDECIDED, 0,
        "Could not be decided on head: the check or its environment failed, not the backend. Run it again."},
    [CI_REGRESSION] = {"regression", FAILS, GOOD | UNSEEN, CI_BLOCKED, CI_PR, CI_COUNT_REGRESSED, 0,
        "Passed on base, fails on head. Rework the change, or adapt the in-tree backend in the same pull request."},
    [CI_NEW_VIOLATION] = {"new_violation", FAILS, SKIP | FALLBACK, CI_BLOCKED, CI_PR, CI_COUNT_REGRESSED, 0,
        "Did not fail on base (skipped, or computed on the CPU), fails on head."},
    [CI_HIDDEN_BEFORE] = {"hidden_before", FAILS, BLOCKED, CI_PASS, CI_BASE, CI_COUNT_BROKEN_BEFORE, 0,
        "Fails on head; it could not run on base, because something that it builds on failed."},
    [CI_ALREADY_BROKEN] = {"already_broken", FAILS, FAILS, CI_PASS, CI_BASE, CI_COUNT_BROKEN_BEFORE, 0,
        "Fails on base as it does on head: this pull request is not the cause. List it in the expectations or repair it."},
    [CI_VIOLATION] = {"violation", FAILS, NO_BASE, CI_BLOCKED, CI_PR, CI_COUNT_REGRESSED, 0,
        "Fails on head and is not listed as expected. There is no base run to compare with."},
    [CI_BASE_UNSURE] = {"base_unsure", FAILS | SKIP | FALLBACK, UNKNOWN | FLAKY | SLOW | NOT_IN_BASE, CI_UNDECIDED, CI_HARNESS, CI_COUNT_UNDECIDED, 0,
        "Does not pass on head, and base does not say whether it should: it was not decided there, is flaky or slow there, or was not run. Run base again."},
    [CI_TOO_SLOW] = {"too_slow", SLOW, GOOD | UNSEEN | FLAKY, CI_UNDECIDED, CI_HARNESS, CI_COUNT_UNDECIDED, 0,
        "Passed on base; on head it finished only with more time. Run it again."},
    [CI_LOST] = {"lost", BLOCKED, GOOD | FLAKY | SLOW, CI_BLOCKED, CI_PR, CI_COUNT_LOST, 0,
        "Passed on base; on head something it builds on does not work."},
    [CI_KERNEL_LOST] = {"kernel_lost", FALLBACK, GOOD, CI_BLOCKED, CI_PR, CI_COUNT_LOST, 0,
        "The device computed it on base; the CPU computes it on head."},
    [CI_CAPABILITY_LOST] = {"capability_lost", SKIP, GOOD, CI_BLOCKED, CI_PR, CI_COUNT_LOST, 0,
        "Passed on base; on head the backend lacks the capability."},
    [CI_CAPABILITY_SHRUNK] = {"capability_shrunk", SKIP, FALLBACK, CI_PASS, CI_PR, CI_COUNT_LOST, 0,
        "The CPU computed it on base; the backend refuses it on head."},
    [CI_FAILURE_VANISHED] = {"failure_vanished", SKIP | FALLBACK, FAILS, CI_PASS, CI_PR, CI_COUNT_SKIPPED, 0,
        "Failed on base; on head it is skipped or computed on the CPU rather than repaired."},
    [CI_FLAKY] = {"flaky", FLAKY, ANY, CI_PASS, CI_HARNESS, CI_COUNT_FLAKY, 0,
        "Passed only when retried. List it as flaky in the expectations, with an issue, or repair it."},
    [CI_UNOBSERVED] = {"unobserved", UNSEEN, GOOD, CI_PASS, CI_HARNESS, CI_COUNT_GOOD, 0,
        "Passed on base; on head the device does not offer the instrument that it needs."},
    [CI_SKIPPED] = {"skipped", SKIP | FALLBACK | BLOCKED | SLOW, ANY, CI_PASS, CI_PR, CI_COUNT_SKIPPED, 1,
        "Skipped, blocked, slow or computed on the CPU, and not better on base."},
    [CI_FIXED] = {"fixed", GOOD | UNSEEN, FAILS, CI_PASS, CI_PR, CI_COUNT_FIXED, 1,
        "Failed on base, passes on head."},
    [CI_GOOD] = {"good", GOOD | UNSEEN, ANY, CI_PASS, CI_PR, CI_COUNT_GOOD, 1,
        "Passes on head."},

    /* ---- a check and its entry in the expectations; tried before the pairs */
    [CI_EXPECTED] = {"expected", 0, 0, CI_PASS, CI_BASE, CI_COUNT_EXPECTED, 1,
        "Fails as the expectations say."},
    [CI_LISTED_FLAKY] = {"listed_flaky", 0, 0, CI_PASS, CI_HARNESS, CI_COUNT_FLAKY, 1,
        "Passed only when retried, as the expectations say."},
    [CI_FLAKY_FAILED] = {"flaky_failed", 0, 0, CI_UNDECIDED, CI_HARNESS, CI_COUNT_UNDECIDED, 0,
        "Is listed as flaky and failed in every attempt. Run it again; if it keeps failing, change its entry."},
    [CI_EXPECTATION_FIXED] = {"expectation_fixed", 0, 0, CI_BLOCKED, CI_PR, NOWHERE, 0,
        "Listed in the expectations, but no longer fails. Remove the entry in the same pull request."},
    [CI_EXPECTATION_WRONG] = {"expectation_wrong", 0, 0, CI_UNDECIDED, CI_HARNESS, NOWHERE, 0,
        "The expectations contain errors. Correct the file."},
    [CI_EXPECTATION_ADDED] = {"expectation_added", 0, 0, CI_UNDECIDED, CI_PR, NOWHERE, 0,
        "The pull request adds or changes entries of the expectations, so it would excuse itself. Let somebody else add them on base first."},

    /* ---- the unadapted backend: base's backend built against head's PyTorch */
    [CI_ADAPT_BUILD] = {"adapt_build", 0, 0, CI_PASS, CI_ADAPTATION, NOWHERE, 0,
        "Backends must adapt: the unadapted backend no longer builds or loads with head's PyTorch."},
    [CI_ADAPT_CHECKS] = {"adapt_checks", 0, 0, CI_PASS, CI_ADAPTATION, CI_COUNT_ADAPTATION, 0,
        "Backends must adapt: passes on head, but not with the unadapted backend."},
    [CI_ADAPT_UNSURE] = {"adapt_unsure", 0, 0, CI_UNDECIDED, CI_HARNESS, NOWHERE, 0,
        "Unknown whether backends must adapt: passes on head, undecided with the unadapted backend. Run it again."},
    [CI_ADAPT_REFERENCE] = {"adapt_reference", 0, 0, CI_PASS, CI_ADAPTATION, NOWHERE, 0,
        "The reference backend was changed in this pull request, so other backends may have to follow. There is no run of the unadapted backend."},
    [CI_ADAPT_DRIFT] = {"adapt_drift", 0, 0, CI_PASS, CI_ADAPTATION, NOWHERE, 0,
        "Backends must adapt: PyTorch changed an interface that they use."},

    /* ---- PyTorch's own tests: a cause of failures */
    [CI_CLUSTER_NEW] = {"cluster_new", 0, 0, CI_BLOCKED, CI_PR, NOWHERE, 0,
        "PyTorch's own tests fail on head for a cause that base does not have. Rework the change, or adapt the in-tree backend in the same pull request."},
    [CI_CLUSTER_UNEXPECTED] = {"cluster_unexpected", 0, 0, CI_BLOCKED, CI_PR, NOWHERE, 0,
        "PyTorch's own tests fail on head for a cause that is not listed as expected. There are no causes of base to compare with."},
    [CI_CLUSTER_UNSURE] = {"cluster_unsure", 0, 0, CI_UNDECIDED, CI_HARNESS, NOWHERE, 0,
        "PyTorch's own tests fail on head for a cause that base does not have, and base ran none of these tests. Run them on base."},
    [CI_CLUSTER_ON_BASE] = {"cluster_on_base", 0, 0, CI_PASS, CI_BASE, NOWHERE, 0,
        "PyTorch's own tests fail on base for the same cause, so this pull request did not add it. List it in the expectations or repair it."},
    [CI_CLUSTER_EXPECTED] = {"cluster_expected", 0, 0, CI_PASS, CI_BASE, NOWHERE, 1,
        "PyTorch's own tests fail for a cause that the expectations list."},
};
/* clang-format on */

enum ci_rule_id ci_rule_of_pair(enum hn_verdict head, int base)
{
    for (int i = CI_COULD_NOT_DECIDE; i <= CI_GOOD; i++)
        if (ci_rules[i].head & CI_BIT(head) && ci_rules[i].base & CI_BIT(base))
            return (enum ci_rule_id)i;
    assert(!"a pair of verdicts has no rule");
    return CI_COULD_NOT_DECIDE;
}
