/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the rules with a table: findings, the end of the process, the expected verdict.
 */
#include "outcome.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>

#include "assay/check.h"
#include "unit_test.h"

static const struct hn_check plain = {.id = "a.b", .expect_status = -1};
static const struct hn_check must_abort = {
    .id = "a.b", .expect_status = -1, .expect_signal = SIGABRT};
static const struct hn_check must_exit_3 = {.id = "a.b", .expect_status = 3};

static const struct {
    const char *name;
    const struct hn_check *check;
    struct hn_found found;
    struct hn_ending ending;
    enum hn_verdict verdict;
    const char *reason; /* a substring of it */
} cases[] = {
    {"end record and nothing else", &plain, {.end = 1}, {0}, HN_PASS, ""},
    {"no end record", &plain, {0}, {0}, HN_BROKEN, "without an end record"},
    {"spoiled", &plain, {.end = 1, .spoiled = "why"}, {0}, HN_BROKEN, "why"},
    {"problem", &plain, {.problem_stage = "load", .problem = "no"}, {0}, HN_BROKEN, "load: no"},
    {"signal", &plain, {0}, {.signal = SIGSEGV, .stage = "check"}, HN_CRASH, "SIGSEGV"},
    {"signal behind the end", &plain, {.end = 1}, {.signal = SIGABRT}, HN_CRASH, "SIGABRT"},
    {"status behind the end", &plain, {.end = 1}, {.status = 134}, HN_CRASH, "exit status 134"},
    {"mark", &plain, {0}, {.signal = 11, .mark_file = "c.c", .mark_line = 7}, HN_CRASH, "c.c:7"},
    {"signal after a finding",
     &plain,
     {.worst = ASSAY_FINDING_FAIL, .what = "it is refused"},
     {.signal = SIGABRT, .stage = "check", .under_way = "setDevice(-128)"},
     HN_CRASH,
     "\"check\", asking: setDevice(-128)"},
    {"timeout beats signal",
     &plain,
     {0},
     {.signal = SIGKILL, .cause = "timeout", .stage = "load"},
     HN_TIMEOUT,
     "\"load\""},
    {"timeout beats a finding",
     &plain,
     {.worst = ASSAY_FINDING_FAIL},
     {.signal = SIGTERM, .cause = "timeout"},
     HN_TIMEOUT,
     "deadline"},
    {"timeout with something at work",
     &plain,
     {0},
     {.cause = "timeout",
      .stage = "check",
      .at_work = "c++",
      .limit_ms = 1000,
      .extended_ms = 4000},
     HN_SLOW,
     "had 1.0 s and 4.0 s more; c++ was still running"},
    {"full disk", &plain, {0}, {.no_room = 1}, HN_INCOMPLETE, "the disk is full"},
    {"crash on a full disk", &plain, {0}, {.no_room = 1, .signal = SIGSEGV}, HN_CRASH, "SIGSEGV"},
    {"full folder", &plain, {.end = 1}, {.cause = "folder"}, HN_BROKEN, "limit"},
    {"host without memory",
     &plain,
     {.end = 1},
     {.host_lost = 1, .host_poor = 1},
     HN_INCOMPLETE,
     "memory"},
    {"host lost", &plain, {.end = 1}, {.host_lost = 1}, HN_CRASH, "watched"},
    {"stopped by the user", &plain, {0}, {.cause = "cancel"}, HN_INCOMPLETE, "stopped"},
    {"fail",
     &plain,
     {.end = 1, .finding_count = 1, .worst = ASSAY_FINDING_FAIL, .what = "w", .seen = "s"},
     {0},
     HN_FAIL,
     "w: s"},
    {"skip", &plain, {.end = 1, .worst = ASSAY_FINDING_SKIP}, {0}, HN_SKIP, ""},
    {"blocked", &plain, {.end = 1, .worst = ASSAY_FINDING_BLOCKED}, {0}, HN_BLOCKED, ""},
    {"fallback", &plain, {.end = 1, .worst = ASSAY_FINDING_FALLBACK}, {0}, HN_FALLBACK, ""},
    {"noted", &plain, {.end = 1, .worst = ASSAY_FINDING_NOTED}, {0}, HN_NOTED, ""},
    {"broken", &plain, {.end = 1, .worst = ASSAY_FINDING_BROKEN}, {0}, HN_BROKEN, ""},
    {"blind", &plain, {.end = 1, .worst = ASSAY_FINDING_UNOBSERVABLE}, {0}, HN_UNOBSERVABLE, ""},
    {"a finding without its end record",
     &plain,
     {.worst = ASSAY_FINDING_FAIL},
     {0},
     HN_BROKEN,
     "without an end record"},
    {"dies as it must", &must_abort, {0}, {.signal = SIGABRT}, HN_PASS, "as it must"},
    {"dies of another signal", &must_abort, {0}, {.signal = SIGSEGV}, HN_CRASH, "SIGSEGV"},
    {"must die and lives", &must_abort, {.end = 1}, {0}, HN_FAIL, "must end by SIGABRT"},
    {"dies as it must after a fail",
     &must_abort,
     {.worst = ASSAY_FINDING_FAIL},
     {.signal = SIGABRT},
     HN_CRASH,
     "SIGABRT"},
    {"dies as it must before it was loaded",
     &must_abort,
     {.problem = "no"},
     {.signal = SIGABRT},
     HN_CRASH,
     ""},
    {"exits as it must", &must_exit_3, {0}, {.status = 3}, HN_PASS, "exit status 3"},
    {"exits otherwise", &must_exit_3, {0}, {.status = 4}, HN_CRASH, "exit status 4"},
};

TEST_EACH(decide_of_each_case_is_as_written, cases)
{
    struct hn_outcome outcome;
    hn_outcome_decide(cases[_i].check, &cases[_i].found, &cases[_i].ending, &outcome);
    ck_assert_msg(outcome.verdict == cases[_i].verdict, "%s: %s, not %s", cases[_i].name,
                  hn_verdict_table[outcome.verdict].name, hn_verdict_table[cases[_i].verdict].name);
    ck_assert_msg(strstr(outcome.reason, cases[_i].reason) != NULL, "%s: %s", cases[_i].name,
                  outcome.reason);
}

TEST(late_of_a_good_end_is_slow_and_of_another_is_not)
{
    const struct hn_ending ending = {.limit_ms = 3000, .duration_us = 1500000};
    struct hn_outcome outcome = {.verdict = HN_PASS};
    hn_outcome_late(&ending, 3, &outcome);
    ck_assert_int_eq(outcome.verdict, HN_SLOW);
    ck_assert_str_eq(outcome.reason,
                     "its deadline of 1.0 s passed; alone and with more time it finished "
                     "after 1.5 s");
    outcome = (struct hn_outcome){.verdict = HN_FAIL, .reason = "no"};
    hn_outcome_late(&ending, 3, &outcome);
    ck_assert_int_eq(outcome.verdict, HN_FAIL);
    ck_assert_str_eq(outcome.reason, "no");
}
