/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the verdicts of three clauses, the last one advisory, from the findings, the last position
 * and the verdict of the check.
 */
#include "clause_verdicts.h"

#include "assay/check.h"
#include "unit_test.h"

static const struct hn_clause clauses[] = {
    {"A-1", HN_MUST}, {"A-2", HN_SHOULD}, {"A-3", HN_ADVISORY}};
static const struct hn_check three = {.id = "a.b", .clauses = clauses, .clause_count = 3};
static const struct hn_check together = {
    .id = "a.b", .clauses = clauses, .clause_count = 3, .together = 1};
static const struct hn_check advisory = {.id = "a.b", .level = HN_ADVISORY};
static const struct hn_check alone = {.id = "a.b", .clauses = clauses, .clause_count = 1};

#define FAILS ASSAY_FINDING_FAIL
#define SKIPS ASSAY_FINDING_SKIP
#define NOTES ASSAY_FINDING_NOTED
#define ALL(a, b, c)                                                                               \
    {                                                                                              \
        a, b, c                                                                                    \
    }

static const struct {
    const char *name;
    struct hn_found found;
    enum hn_verdict verdict;   /* verdict of the check */
    enum hn_verdict clause[3]; /* expected verdicts of the clauses */
} cases[] = {
    {"all held",
     {.clauses = {{"A-1", 0}, {"A-2", 0}, {"A-3", 0}}, .clause_count = 3},
     HN_PASS,
     ALL(HN_PASS, HN_PASS, HN_PASS)},
    {"the second broke, the third was not reached",
     {.worst = FAILS, .clauses = {{"A-1", 0}, {"A-2", FAILS}}, .clause_count = 2},
     HN_FAIL,
     ALL(HN_PASS, HN_FAIL, HN_NOTRUN)},
    {"one was forgotten",
     {.clauses = {{"A-1", 0}, {"A-2", 0}}, .clause_count = 2},
     HN_PASS,
     ALL(HN_PASS, HN_PASS, HN_NOTRUN)},
    {"what is about none counts for all",
     {.worst = FAILS, .worst_of_all = FAILS, .clauses = {{"A-1", 0}}, .clause_count = 1},
     HN_FAIL,
     ALL(HN_FAIL, HN_FAIL, HN_NOTED)},
    {"a skip is for those behind it, too",
     {.worst = SKIPS, .clauses = {{"A-1", 0}, {"A-2", SKIPS}}, .clause_count = 2},
     HN_SKIP,
     ALL(HN_PASS, HN_SKIP, HN_SKIP)},
    {"a note beside what held",
     {.worst = NOTES, .clauses = {{"A-1", NOTES}, {"A-2", 0}, {"A-3", 0}}, .clause_count = 3},
     HN_NOTED,
     ALL(HN_NOTED, HN_PASS, HN_PASS)},
    {"advice",
     {.worst = FAILS, .clauses = {{"A-1", 0}, {"A-2", 0}, {"A-3", FAILS}}, .clause_count = 3},
     HN_NOTED,
     ALL(HN_PASS, HN_PASS, HN_NOTED)},
    {"died in the second",
     {.clauses = {{"A-1", 0}, {"A-2", 0}}, .clause_count = 2, .clause = 2},
     HN_CRASH,
     ALL(HN_PASS, HN_CRASH, HN_CRASH)},
    {"died in the second after the first broke",
     {.worst = FAILS, .clauses = {{"A-1", FAILS}, {"A-2", 0}}, .clause_count = 2, .clause = 2},
     HN_TIMEOUT,
     ALL(HN_FAIL, HN_TIMEOUT, HN_TIMEOUT)},
    {"died behind all of them",
     {.clauses = {{"A-1", 0}, {"A-2", 0}, {"A-3", 0}}, .clause_count = 3, .clause = 0},
     HN_CRASH,
     ALL(HN_CRASH, HN_CRASH, HN_CRASH)},
    {"follows from another",
     {.worst = FAILS, .clauses = {{"A-1", 0}, {"A-2", FAILS}}, .clause_count = 2},
     HN_BLOCKED,
     ALL(HN_PASS, HN_BLOCKED, HN_BLOCKED)},
    {"late",
     {.clauses = {{"A-1", 0}, {"A-2", 0}, {"A-3", 0}}, .clause_count = 3},
     HN_SLOW,
     ALL(HN_SLOW, HN_SLOW, HN_SLOW)},
    {"nobody can tell",
     {.clauses = {{"A-1", 0}, {"A-2", 0}}, .clause_count = 2},
     HN_BROKEN,
     ALL(HN_BROKEN, HN_BROKEN, HN_BROKEN)},
    {"did not die as it must",
     {.clauses = {{"A-1", 0}, {"A-2", 0}}, .clause_count = 2},
     HN_FAIL,
     ALL(HN_FAIL, HN_FAIL, HN_NOTED)},
};

TEST_EACH(decide_of_each_case_is_as_written, cases)
{
    struct hn_clause_verdict seen[HN_CLAUSES_MOST];
    ck_assert_uint_eq(hn_clauses_decide(&three, 1, &cases[_i].found, cases[_i].verdict, seen), 3);
    for (int i = 0; i < 3; i++) {
        ck_assert_str_eq(seen[i].id, clauses[i].id);
        ck_assert_msg(seen[i].verdict == cases[_i].clause[i], "%s: %s is %s", cases[_i].name,
                      seen[i].id, hn_verdict_table[seen[i].verdict].name);
    }
}

TEST(decide_without_a_word_of_clauses_leaves_it_to_the_check)
{
    struct hn_clause_verdict seen[HN_CLAUSES_MOST];
    const struct hn_found silent = {.worst = FAILS, .worst_of_all = FAILS};
    const struct hn_found spoke = {.clauses = {{"A-1", 0}}, .clause_count = 1};
    ck_assert_uint_eq(hn_clauses_decide(&three, 1, &silent, HN_FAIL, seen), 0);
    ck_assert_uint_eq(hn_clauses_decide(&together, 1, &spoke, HN_PASS, seen), 0);
    ck_assert_uint_eq(hn_clauses_decide(&alone, 1, &spoke, HN_PASS, seen), 0);
}

static enum hn_verdict advised(const struct hn_check *check, const struct hn_found *found,
                               enum hn_verdict verdict)
{
    struct hn_outcome outcome = {.verdict = verdict, .reason = "no"};
    hn_clauses_advise(check, found, &outcome);
    ck_assert_str_eq(outcome.reason, "no");
    return outcome.verdict;
}

TEST(advice_is_what_broke_advisory_clauses_alone)
{
    const struct hn_found advice = {
        .worst = FAILS, .clauses = {{"A-1", 0}, {"A-3", FAILS}}, .clause_count = 2};
    const struct hn_found more = {
        .worst = FAILS, .clauses = {{"A-2", FAILS}, {"A-3", FAILS}}, .clause_count = 2};
    const struct hn_found of_all = {.worst = FAILS, .worst_of_all = FAILS};
    const struct hn_found silent = {.worst = FAILS, .worst_of_all = FAILS};
    ck_assert_int_eq(advised(&three, &advice, HN_FAIL), HN_NOTED);
    ck_assert_int_eq(advised(&three, &more, HN_FAIL), HN_FAIL);
    ck_assert_int_eq(advised(&three, &of_all, HN_FAIL), HN_FAIL);
    ck_assert_int_eq(advised(&together, &advice, HN_FAIL), HN_FAIL);
    ck_assert_int_eq(advised(&advisory, &silent, HN_FAIL), HN_NOTED);
    ck_assert_int_eq(advised(&advisory, &silent, HN_CRASH), HN_CRASH);
}
