/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the errors of a file, the matching of entries with a run, and that an update does not
 * change text that people wrote.
 */
#include "expectations_update.h"
#include "fixtures/gate_fixture.h"
#include "unit_test.h"

#define HEAD "target: foo\nexpected:\n"
#define REST ", reason: R, issue: \"https://e.org/1\", expires: 2027-01-31}\n"
#define A_FAILS "  - {check: m.a, verdict: fail, signature: \"returned #, expected #\"" REST
#define REASON "exchange(0x7f3) returned 1, expected 0"

/* clang-format off */
static const struct { const char *text; int line; const char *says; } wrong[] = {
    {"[]\n", 1, "must be a map"},
    {"target: foo\n", 1, "\"expected\" is missing"},
    {"expected: []\n", 1, "\"target\" is missing"},
    {"target: foo\nexpected: yes\n", 2, "must be a list"},
    {HEAD "  - m.a\n", 3, "must be a map"},
    {HEAD "  - {chekc: m.a, verdict: fail" REST, 3, "chekc"},
    {HEAD "  - {check: m.a, verdict: flaky, issue: \"https://e.org/1\", expires: 2027-01-31}\n", 3, "\"reason\" is missing"},
    {HEAD "  - {check: m.a, verdict: flaky, reason: R, expires: 2027-01-31}\n", 3, "\"issue\" is missing"},
    {HEAD "  - {check: m.a, verdict: flaky, reason: R, issue: \"https://e.org/1\"}\n", 3, "\"expires\" is missing"},
    {HEAD "  - {check: m.a, verdict: fail" REST, 3, "\"signature\" is missing"},
    {HEAD "  - {check: m.a, verdict: fail, signature: \"\"" REST, 3, "must be text, not"},
    {HEAD "  - {check: m.a, verdict: broken, signature: \"long enough\"" REST, 3, "is none of: crash"},
    {HEAD "  - {check: \"*\", verdict: flaky" REST, 3, "is too broad"},
    {HEAD "  - {check: \"m.*\", verdict: flaky" REST, 3, "is too broad"},
    {HEAD "  - {check: \"m.*ore\", verdict: flaky" REST, 3, "has a star before its end"},
    {HEAD "  - {check: \"<b>\", verdict: flaky" REST, 3, "cannot be the id of a check"},
    {HEAD "  - {check: m.a, verdict: flaky, reason: R, issue: \"12\", expires: 2027-01-31}\n", 3, "is not a link"},
    {HEAD "  - {check: m.a, verdict: flaky, reason: R, issue: \"https://e.org/1\", expires: 2027-02-30}\n", 3, "is not a day"},
    {HEAD "  - {check: m.a, verdict: flaky, reason: R, issue: \"https://e.org/1\", expires: soon}\n", 3, "is not a day"},
    {HEAD A_FAILS "\n" A_FAILS, 5, "contradicts line 3"},
    {HEAD "  - {check: guard.abcd, verdict: flaky" REST "  - {check: \"guard.abc*\", verdict: flaky" REST, 4, "contradicts line 3"},
    {HEAD "  - {check: \"guard.ab*\", verdict: flaky" REST "  - {check: \"guard.abc*\", verdict: flaky" REST, 3, "is too broad"},
};
TEST_FIXTURE(test_folder_make, test_folder_remove);

/* clang-format on */

TEST_EACH(expectations_read_names_what_is_wrong_and_where, wrong)
{
    struct ci_expectations *all = fixture_expectations(wrong[_i].text);
    int found = 0;
    for (size_t i = 0; i < all->findings.count; i++)
        found |= all->findings.items[i].line == wrong[_i].line &&
                 strstr(all->findings.items[i].text, wrong[_i].says) != NULL;
    ck_assert_msg(found, "%s: %s", wrong[_i].text,
                  all->findings.count ? all->findings.items[0].text : "nothing is wrong");
    ci_expectations_destroy(all);
}

TEST(expectations_read_takes_lists_that_are_empty)
{
    static const char *const texts[] = {"target: foo\nexpected: []\n", "target: foo\nexpected:\n"};
    for (size_t i = 0; i < 2; i++) {
        struct ci_expectations *all = fixture_expectations(texts[i]);
        ck_assert_uint_eq(all->findings.total, 0);
        ck_assert_uint_eq(all->count, 0);
        ci_expectations_destroy(all);
    }
}

TEST(expectations_read_of_no_file_is_an_error)
{
    struct ci_expectations *all;
    struct hn_error error;
    ck_assert_int_eq(ci_expectations_read("/nonexistent/x.yaml", &all, &error), HN_ENOTFOUND);
    ck_assert_ptr_null(all);
}

struct applied {
    const char *name, *text, *head, *base, *date, *causes, *says;
    enum ci_decision decision;
    size_t expected;
    const char *today;
};

/* clang-format off */
static const struct applied applied[] = {
    {"listed", HEAD A_FAILS, "f", "f", NULL, "", NULL, CI_PASS, 1, NULL},
    {"listed, passed on base", HEAD A_FAILS, "f", "p", NULL, "", NULL, CI_PASS, 1, NULL},
    {"other signature", HEAD "  - {check: m.a, verdict: fail, signature: \"something else\"" REST, "f", "p", NULL, "regression ", "m.a", CI_BLOCKED, 0, NULL},
    {"short signature", HEAD "  - {check: m.a, verdict: fail, signature: \"returned\"" REST, "f", "p", NULL, "", NULL, CI_PASS, 1, NULL},
    {"too short to be a part", HEAD "  - {check: m.a, verdict: fail, signature: \"return\"" REST, "f", "p", NULL, "regression ", "m.a", CI_BLOCKED, 0, NULL},
    {"other verdict", HEAD A_FAILS, "c", "p", NULL, "regression ", "m.a", CI_BLOCKED, 0, NULL},
    {"fixed here", HEAD A_FAILS, "p", "f", NULL, "expectation_fixed ", "foo.yaml:3: m.a: is to fail, but m.a does not", CI_BLOCKED, 0, NULL},
    {"stale before", HEAD A_FAILS, "p", "p", NULL, "expectation_wrong ", "foo.yaml:3: m.a: is to fail", CI_UNDECIDED, 0, NULL},
    {"skipped now", HEAD A_FAILS, "s", "f", NULL, "expectation_fixed ", "m.a", CI_BLOCKED, 0, NULL},
    {"blocked now", HEAD "  - {check: m.b, verdict: fail, signature: \"returned #, expected #\"" REST, "fx", "ff", NULL, "already_broken ", "m.a", CI_PASS, 0, NULL},
    {"last day", HEAD A_FAILS, "f", "f", "2027-01-31T23:59:59Z", "", NULL, CI_PASS, 1, NULL},
    {"expired", HEAD A_FAILS, "f", "f", "2027-02-01T00:00:00Z", "expectation_wrong already_broken ", "expired on 2027-01-31, and today is 2027-02-01", CI_UNDECIDED, 0, NULL},
    {"expired, and a run of the past", HEAD A_FAILS, "f", "f", "1999-01-01T00:00:00Z", "expectation_wrong already_broken ", "expired on 2027-01-31, and today is 2027-02-01", CI_UNDECIDED, 0, "2027-02-01T00:00:00Z"},
    {"expired, and a date that is none", HEAD A_FAILS, "f", "f", "~", "head_unusable ", NULL, CI_UNDECIDED, 0, NULL},
    {"unmatched", HEAD "  - {check: m.z, verdict: flaky" REST, "p", "p", NULL, "expectation_wrong ", "the contract has no such check", CI_UNDECIDED, 0, NULL},
    {"flaky listed", HEAD "  - {check: m.a, verdict: flaky" REST, "y", "p", NULL, "", NULL, CI_PASS, 0, NULL},
    {"flaky listed and good", HEAD "  - {check: m.a, verdict: flaky" REST, "p", "p", NULL, "", NULL, CI_PASS, 0, NULL},
    {"flaky listed and failed", HEAD "  - {check: m.a, verdict: flaky" REST, "f", "p", NULL, "flaky_failed ", "m.a", CI_UNDECIDED, 0, NULL},
    {"file of another target", "target: bar\nexpected: []\n", "p", "p", NULL, "expectation_wrong ", "is about target bar; the head run is of foo", CI_UNDECIDED, 0, NULL},
    {"file with a slip", HEAD "  - 1\n", "p", "p", NULL, "expectation_wrong ", "foo.yaml:3:5: this must be a map", CI_UNDECIDED, 0, NULL},
    {"contradiction", HEAD A_FAILS A_FAILS, "f", "f", NULL, "expectation_wrong already_broken ", "foo.yaml:4: m.a contradicts line 3", CI_UNDECIDED, 0, NULL},
};
/* clang-format on */

/* clang-format off */
static const struct {
    const char *base_list, *proposed_list, *head, *base, *causes;
    enum ci_decision decision;
} proposals[] = {
    /* repaired, and the entry removed */
    {HEAD A_FAILS, "target: foo\nexpected: []\n", "p", "f", "", CI_PASS},
    /* the entry was removed too early */
    {HEAD A_FAILS, "target: foo\nexpected: []\n", "f", "f", "already_broken ", CI_PASS},
    /* repaired, but the entry still exists */
    {HEAD A_FAILS, HEAD A_FAILS, "p", "f", "expectation_fixed ", CI_BLOCKED},
    {"target: foo\nexpected: []\n", HEAD A_FAILS, "f", "p", "regression expectation_added ", CI_BLOCKED},
    {"target: foo\nexpected: []\n", HEAD A_FAILS, "p", "p", "expectation_added ", CI_UNDECIDED},
    {HEAD A_FAILS, HEAD "  - 1\n", "f", "f", "expectation_wrong already_broken ", CI_UNDECIDED},
};
/* clang-format on */

TEST_EACH(expectations_of_a_change_may_go_and_not_come, proposals)
{
    const struct ci_policy policy = fixture_policy();
    const struct ci_change change = {0};
    const struct fixture_run head = {.verdicts = proposals[_i].head, .reason = REASON};
    const struct fixture_run base = {.verdicts = proposals[_i].base, .reason = REASON};
    struct hn_arena *arena = hn_arena_create(1 << 24);
    struct ci_expectations *all = fixture_expectations(proposals[_i].base_list);
    struct ci_expectations *proposed = fixture_expectations(proposals[_i].proposed_list);
    struct ci_case now = {.head = fixture_side(&head, arena),
                          .base = fixture_side(&base, arena),
                          .expectations = all,
                          .is_proposed = 1,
                          .proposed = proposed};
    struct ci_result result;
    struct hn_error error;
    char names[400] = "";
    ck_assert_int_eq(ci_gate_decide(&policy, &change, &now, 1, arena, &result, &error), 0);
    fixture_rules(result.causes, result.cause_count, names, sizeof names);
    fixture_rules(result.warnings, result.warning_count, names, sizeof names);
    ck_assert_str_eq(names, proposals[_i].causes);
    ck_assert_int_eq(result.decision, proposals[_i].decision);
    ci_side_finish(&now.head);
    ci_side_finish(&now.base);
    ci_expectations_destroy(all);
    ci_expectations_destroy(proposed);
    hn_arena_destroy(arena);
}

TEST_EACH(expectations_excuse_only_what_they_describe, applied)
{
    const struct applied *row = &applied[_i];
    const struct ci_policy policy = fixture_policy();
    struct ci_change change = {0};
    const struct fixture_run head = {.verdicts = row->head, .reason = REASON, .date = row->date};
    const struct fixture_run base = {.verdicts = row->base, .reason = REASON};
    struct hn_arena *arena = hn_arena_create(1 << 24);
    struct ci_expectations *all = fixture_expectations(row->text);
    struct ci_case now = {.head = fixture_side(&head, arena),
                          .base = fixture_side(&base, arena),
                          .expectations = all};
    struct ci_result result;
    struct hn_error error;
    char names[400] = "";
    int said = !row->says;
    snprintf(change.today, sizeof change.today, "%s", fixture_or(row->today, ""));
    ck_assert_int_eq(ci_gate_decide(&policy, &change, &now, 1, arena, &result, &error), 0);
    fixture_rules(result.causes, result.cause_count, names, sizeof names);
    for (size_t i = 0; i < result.cause_count; i++)
        said |= row->says && strstr(result.causes[i].text, row->says);
    ck_assert_msg(strcmp(names, row->causes) == 0, "%s: %s", row->name, names);
    ck_assert_msg(said, "%s: %s", row->name, result.cause_count ? result.causes[0].text : "");
    ck_assert_msg(result.decision == row->decision, "%s: %s", row->name, result.summary);
    ck_assert_uint_eq(result.counts.of[CI_COUNT_EXPECTED], row->expected);
    ci_side_finish(&now.head);
    ci_side_finish(&now.base);
    ci_expectations_destroy(all);
    hn_arena_destroy(arena);
}

/* Uses its own contract, because entries with a star need longer names. */
static void judge_star(const char *first, const char *second, size_t checks, const char *says)
{
    static char ids[40][24];
    struct ci_promise promises[40] = {{0}};
    struct ci_policy policy = fixture_policy();
    const struct ci_change change = {0};
    struct hn_arena *arena = hn_arena_create(1 << 24);
    struct hn_planned planned[40];
    struct hn_record records[42] = {{.event = HN_EVENT_RUN,
                                     .run = {.date = "2026-11-21T10:00:00Z",
                                             .checks = planned,
                                             .check_count = checks,
                                             .target = {.name = "foo"},
                                             .contract = {1, ""}}}};
    struct hn_error error;
    struct ci_case now = {0};
    struct ci_result result;
    for (size_t i = 0; i < checks; i++) {
        enum hn_verdict verdict = HN_NOTRUN;
        snprintf(ids[i], sizeof ids[i], "guard.abc_%zu", i);
        promises[i] = (struct ci_promise){ids[i], "", HN_MUST, HN_BACKEND, 1, {"", ""}, NULL, NULL};
        planned[i] = (struct hn_planned){ids[i], HN_MUST, 0, ""};
        ck_assert_int_eq(hn_verdict_from_name(i == 1 ? second : first, &verdict), 0);
        records[i + 1] = (struct hn_record){
            .event = HN_EVENT_END,
            .end = {.id = ids[i], .final = 1, .verdict = verdict, .reason = REASON}};
    }
    records[checks + 1] = (struct hn_record){.event = HN_EVENT_FINISH, .finish = {.complete = 1}};
    fixture_write(records, checks + 2);
    policy.checks = promises;
    policy.check_count = checks;
    now.expectations =
        fixture_expectations(HEAD "  - {check: \"guard.abc_*\", verdict: fail, signature: "
                                  "\"returned #, expected #\"" REST);
    ck_assert_int_eq(ci_side_read(test_folder, arena, &now.head, &error), 0);
    ck_assert_int_eq(ci_gate_decide(&policy, &change, &now, 1, arena, &result, &error), 0);
    if (says) {
        ck_assert_uint_gt(result.cause_count, 0);
        ck_assert_int_ne(result.decision, CI_PASS);
        int said = 0;
        for (size_t i = 0; i < result.cause_count; i++)
            said |= strstr(result.causes[i].text, says) != NULL;
        ck_assert_msg(said, "%s", result.causes[0].text);
    } else {
        ck_assert_int_eq(result.decision, CI_PASS);
        ck_assert_uint_eq(result.counts.of[CI_COUNT_EXPECTED], checks);
    }
    ci_side_finish(&now.head);
    ci_expectations_destroy((struct ci_expectations *)(uintptr_t)now.expectations);
    hn_arena_destroy(arena);
}

TEST(expectations_with_a_star_fit_few_checks_that_all_fail)
{
    judge_star("fail", "fail", 3, NULL);
    judge_star("fail", "pass", 3, "also fits guard.abc_1, which does not fail");
    judge_star("fail", "fail", 21, "fits 21 checks; an entry may fit 20");
    judge_star("pass", "pass", 3, "is to fail, but guard.abc_0 does not");
}

TEST(expectation_matches_short_words_as_a_whole_and_no_words_too)
{
    struct ci_expectation entry = {.verdict = HN_FAIL, .signature = "# != #"};
    struct rp_check check = {.verdict = HN_FAIL, .reason = "12 != 0x3f", .seen = ""};
    char text[200];
    ck_assert_int_eq(ci_expectation_matches(&entry, &check), 1);
    check.reason = "at 12 != 0x3f";
    ck_assert_int_eq(ci_expectation_matches(&entry, &check), 0);
    check.reason = "";
    ci_expectation_signature(&check, text, sizeof text);
    ck_assert_str_eq(text, "(no words)");
    entry.signature = text;
    ck_assert_int_eq(ci_expectation_matches(&entry, &check), 1);
    check.seen = "something";
    ck_assert_int_eq(ci_expectation_matches(&entry, &check), 0);
}

static void update_text(const char *before, const struct fixture_run *first,
                        const struct fixture_run *second, const char *after)
{
    static const struct ci_entry_words words = {"Why: \"so\"", "https://e.org/2", "2027-05-01"};
    struct hn_arena *arena = hn_arena_create(1 << 24);
    struct ci_side sides[2] = {fixture_side(first, arena), {0}};
    struct ci_expectations *old = fixture_expectations(before);
    struct hn_buffer out;
    struct ci_update update;
    struct hn_error error;
    if (second)
        sides[1] = fixture_side(second, arena);
    const struct rp_run *runs[2] = {sides[0].run, sides[1].run};
    hn_buffer_init(&out, 1 << 20);
    ck_assert_int_eq(
        ci_expectations_update(before, old, runs, second ? 2 : 1, &words, &out, &update, &error),
        0);
    ck_assert_str_eq(out.text, after);
    struct ci_expectations *again = fixture_expectations(out.text);
    ck_assert_uint_eq(again->findings.total, 0);
    ci_expectations_destroy(again);
    ci_expectations_destroy(old);
    hn_buffer_finish(&out);
    ci_side_finish(&sides[0]);
    ci_side_finish(&sides[1]);
    hn_arena_destroy(arena);
}

#define NEW_ENTRY(id)                                                                              \
    "  - check: " id                                                                               \
    "\n    verdict: fail\n    signature: \"exchange(#) returned #, expected #\"\n"                 \
    "    reason: \"Why: \\\"so\\\"\"\n    issue: \"https://e.org/2\"\n    expires: 2027-05-01\n"

TEST(expectations_update_of_nothing_writes_a_file)
{
    const struct fixture_run fails = {.verdicts = "pf", .reason = REASON};
    update_text(
        NULL, &fails, NULL,
        "# What foo is known not to do yet. See ci/gate/README.md.\n" HEAD NEW_ENTRY("m.b"));
}

TEST(expectations_update_keeps_comments_and_what_still_holds)
{
    const struct fixture_run fails = {.verdicts = "fpfp", .reason = REASON};
    update_text("# top\ntarget: foo # inline\n\nexpected:\n# before\n" A_FAILS
                "  # about m.b\n  - check: m.b\n    verdict: flaky\n    # inside\n    reason: >\n"
                "      long\n      words\n    issue: \"https://e.org/1\"\n    expires: 2027-01-31\n"
                "  - {check: m.d, verdict: fail, signature: \"gone by now\"" REST "# end",
                &fails, NULL,
                "# top\ntarget: foo # inline\n\nexpected:\n# before\n" A_FAILS
                "  # about m.b\n  - check: m.b\n    verdict: flaky\n    # inside\n    reason: >\n"
                "      long\n      words\n    issue: \"https://e.org/1\"\n    expires: 2027-01-31\n"
                "# end\n" NEW_ENTRY("m.c"));
}

TEST(expectations_update_keeps_an_entry_that_no_run_has_decided)
{
    const struct fixture_run other = {.verdicts = "psbn", .reason = REASON};
    static const char before[] =
        HEAD "  - {check: m.b, verdict: fail, signature: \"skipped now\"" REST
             "  - {check: m.c, verdict: fail, signature: \"blocked now\"" REST
             "  - {check: m.z, verdict: fail, signature: \"not selected\"" REST
             "  - {check: none.abc_*, verdict: fail, signature: \"not selected\"" REST;
    update_text(before, &other, NULL, before);
}

TEST(expectations_update_rewrites_an_entry_that_fails_otherwise)
{
    const struct fixture_run fails = {.verdicts = "c", .reason = REASON};
    update_text(HEAD
                "    - check: m.a\n      # kept\n      verdict: fail\n      signature: \"another "
                "one\"\n      reason: R\n      issue: \"https://e.org/1\"\n      expires: "
                "2027-01-31\n",
                &fails, NULL,
                HEAD "      # kept\n    - check: m.a\n      verdict: crash\n      signature: "
                     "\"exchange(#) returned #, expected #\"\n      reason: \"R\"\n      issue: "
                     "\"https://e.org/1\"\n      expires: 2027-01-31\n");
}

TEST(expectations_update_of_runs_that_disagree_lists_flaky)
{
    const struct fixture_run fails = {.verdicts = "f", .reason = REASON}, good = {.verdicts = "p"};
    update_text("target: foo\nexpected: []\n", &fails, &good,
                HEAD "  - check: m.a\n    verdict: flaky\n    reason: \"Why: \\\"so\\\"\"\n    "
                     "issue: \"https://e.org/2\"\n    expires: 2027-05-01\n");
}

TEST(expectations_update_without_words_for_new_entries_is_refused)
{
    const struct fixture_run fails = {.verdicts = "ff", .reason = REASON};
    const struct ci_entry_words words = {"R", NULL, NULL};
    struct hn_arena *arena = hn_arena_create(1 << 24);
    struct ci_side side = fixture_side(&fails, arena);
    struct hn_buffer out;
    struct ci_update update;
    struct hn_error error;
    hn_buffer_init(&out, 1 << 20);
    ck_assert_int_eq(
        ci_expectations_update(NULL, NULL, &side.run, 1, &words, &out, &update, &error), HN_EUSAGE);
    ck_assert_str_eq(update.first_added, "m.a");
    ck_assert_uint_eq(update.added, 2);
    hn_buffer_finish(&out);
    hn_buffer_init(&out, 30);
    const struct ci_entry_words all = {"R", "https://e.org/1", "2027-01-31"};
    ck_assert_int_eq(ci_expectations_update(NULL, NULL, &side.run, 1, &all, &out, &update, &error),
                     HN_ELIMIT);
    hn_buffer_finish(&out);
    ci_side_finish(&side);
    hn_arena_destroy(arena);
}
