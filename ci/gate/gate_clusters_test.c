/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests how the gate judges PyTorch's own tests: new causes, causes that base has too, expected
 * causes, and invalid entries.
 */
#include "cluster_expectations.h"
#include "fixtures/gate_fixture.h"
#include "unit_test.h"

#define DAY "2026-11-23"
#define ENTRY(signature, expires)                                                                  \
    "target: foo\nexpected: []\nclusters:\n"                                                       \
    "  - {cause: wrong value, subject: \"aten::*\", tests: \"upstream.a.*\"" signature             \
    ", reason: R, issue: \"https://e.org/1\", expires: " expires "}\n"

static const char *const a_tests[] = {"upstream.a.T.t1", "upstream.a.T.t2"};
static const char *const b_tests[] = {"upstream.a.T.t3", "upstream.b.U.t"};
static const char *const a_class[] = {"upstream.a.T"}, *const b_class[] = {"upstream.b.U"},
                         *const both[] = {"upstream.a.T", "upstream.b.U"};
static const struct rp_cause wrong_add = {.cause = "wrong value",
                                          .subject = "aten::add",
                                          .words = "# differs",
                                          .example = "upstream.a.T.t1",
                                          .tests = {a_tests, 2}};
static const struct rp_cause wrong_everywhere = {.cause = "wrong value",
                                                 .subject = "aten::mul",
                                                 .words = "",
                                                 .example = "upstream.a.T.t3",
                                                 .tests = {b_tests, 2}};
static const struct rp_cause_list none = {.target = "foo", .classes = {both, 2}},
                                  none_of_b = {.target = "foo", .classes = {b_class, 1}},
                                  add = {"foo", &wrong_add, 1, {a_class, 1}, {0}},
                                  mul = {"foo", &wrong_everywhere, 1, {both, 2}, {0}},
                                  other_target = {"bar", &wrong_add, 1, {a_class, 1}, {0}};

/* clang-format off */
static const struct {
    const char *name;
    const struct rp_cause_list *head, *base;
    const char *entries, *proposed; /* texts of the lists; "": the list does not exist */
    enum ci_decision decision;
    const char *causes;
} rows[] = {
    {"nothing fails", &none, &none, NULL, NULL, CI_PASS, ""},
    {"new on head", &add, &none, NULL, NULL, CI_BLOCKED, "cluster_new "},
    {"on base, too", &add, &add, NULL, NULL, CI_PASS, "cluster_on_base "},
    {"gone on head", &none, &add, NULL, NULL, CI_PASS, ""},
    {"another cause", &add, &mul, NULL, NULL, CI_BLOCKED, "cluster_new "},
    {"base ran other tests", &add, &none_of_b, NULL, NULL, CI_UNDECIDED, "cluster_unsure "},
    {"no base", &add, NULL, NULL, NULL, CI_BLOCKED, "cluster_unexpected "},
    {"expected", &add, &none, ENTRY("", "2027-01-31"), NULL, CI_PASS, ""},
    {"expected without a base", &add, NULL, ENTRY(", signature: differs", "2027-01-31"), NULL, CI_PASS, ""},
    {"in other words", &add, &none, ENTRY(", signature: is missing", "2027-01-31"), NULL, CI_BLOCKED, "cluster_new expectation_wrong "},
    {"expired", &add, &none, ENTRY("", "2026-11-22"), NULL, CI_BLOCKED, "cluster_new expectation_wrong "},
    {"more tests than named", &mul, &none, ENTRY("", "2027-01-31"), NULL, CI_BLOCKED, "cluster_new expectation_wrong "},
    {"repaired on head", &none, &add, ENTRY("", "2027-01-31"), NULL, CI_BLOCKED, "expectation_fixed "},
    {"repaired long ago", &none, &none, ENTRY("", "2027-01-31"), NULL, CI_UNDECIDED, "expectation_wrong "},
    {"of tests that were not run", &none_of_b, &none_of_b, ENTRY("", "2027-01-31"), NULL, CI_PASS, ""},
    {"repaired and taken out", &none, &add, ENTRY("", "2027-01-31"), "", CI_PASS, ""},
    {"taken out and not repaired", &add, &none, ENTRY("", "2027-01-31"), "", CI_BLOCKED, "cluster_new "},
    {"excuses itself", &add, &none, "", ENTRY("", "2027-01-31"), CI_BLOCKED, "cluster_new expectation_added "},
    {"of another target", &other_target, &none, ENTRY("", "2027-01-31"), NULL, CI_BLOCKED, "cluster_new expectation_wrong "},
    {"not in order", &add, &none, "target: foo\nexpected: []\nclusters: [3]\n", NULL, CI_BLOCKED, "cluster_new expectation_wrong "},
};
/* clang-format on */

/* No check is judged. */
static const struct ci_policy policy = {.contract = 1,
                                        .fail_on = HN_MUST,
                                        .label_adaptation = "adapt",
                                        .label_override = "override",
                                        .label_hint = "hint"};

TEST_FIXTURE(test_folder_make, test_folder_remove);

TEST_EACH(gate_follows_the_causes_of_head_and_base, rows)
{
    struct ci_expectations *entries = fixture_expectations(rows[_i].entries),
                           *proposed = fixture_expectations(rows[_i].proposed);
    struct ci_change change = {
        .today = DAY,
        .clusters = {rows[_i].head, rows[_i].base, entries, rows[_i].proposed != NULL, proposed}};
    struct hn_arena *arena = hn_arena_create(1 << 20);
    struct ci_result result;
    struct hn_error error;
    char causes[200] = "", sorted[200];
    ck_assert_int_eq(ci_gate_decide(&policy, &change, NULL, 0, arena, &result, &error), 0);
    fixture_rules(result.causes, result.cause_count, causes, sizeof causes);
    snprintf(sorted, sizeof sorted, "%s", rows[_i].causes);
    ck_assert_msg(strlen(causes) == strlen(sorted), "%s: causes are %s", rows[_i].name, causes);
    for (char *rest, *word = strtok_r(sorted, " ", &rest); word; word = strtok_r(NULL, " ", &rest))
        ck_assert_msg(strstr(causes, word), "%s: causes are %s", rows[_i].name, causes);
    ck_assert_msg(result.decision == rows[_i].decision, "%s: %s", rows[_i].name, result.summary);
    ci_expectations_destroy(entries);
    ci_expectations_destroy(proposed);
    hn_arena_destroy(arena);
}

TEST(gate_tells_size_and_example_of_a_cause)
{
    const struct ci_change change = {.today = DAY, .clusters = {.head = &add, .base = &none}};
    struct hn_arena *arena = hn_arena_create(1 << 20);
    struct ci_result result;
    struct hn_error error;
    ck_assert_int_eq(ci_gate_decide(&policy, &change, NULL, 0, arena, &result, &error), 0);
    ck_assert_ptr_nonnull(
        strstr(result.causes[0].text, "wrong value: aten::add (2 tests, upstream.a.T.t1)."));
    hn_arena_destroy(arena);
}

TEST(gate_of_good_causes_alone_says_what_was_judged)
{
    const struct ci_change change = {.today = DAY, .clusters = {.head = &none}};
    struct hn_arena *arena = hn_arena_create(1 << 20);
    struct ci_result result;
    struct hn_error error;
    ck_assert_int_eq(ci_gate_decide(&policy, &change, NULL, 0, arena, &result, &error), 0);
    ck_assert_str_eq(result.summary, "pass: PyTorch's own tests fail for no new cause");
    hn_arena_destroy(arena);
}
