/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Runs for the tests of the gate: a journal in a scratch folder, made of a few words. Included by
 * one test program each.
 */
#ifndef CI_GATE_FIXTURE_H
#define CI_GATE_FIXTURE_H

#include <check.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "journal.h"
#include "run_intake.h"
#include "test_folder.h"

#define FIXTURE_IDS 8
static const char *const fixture_ids[FIXTURE_IDS] = {"m.a", "m.b", "m.c", "m.d",
                                                     "m.e", "s.a", "s.b", "v.a"};

struct fixture_run {      /* what differs from a clean run; zeroed is one in which all passes */
    const char *verdicts; /* a letter per check, see fixture_verdict(); "" or short: p */
    const char *
        clauses; /* a letter for each of two that the first check covers; else it says nothing of them */
    const char *reason; /* of every end */
    const char *target, *digest, *git, *date, *why;
    int contract, cut, checks; /* cut: no finish record; checks: how many there are, 0: all */
};

/* '-' of a clause: not reached. */
static enum hn_verdict fixture_verdict(char letter)
{
    static const struct {
        char letter;
        enum hn_verdict verdict;
    } rows[] = {{'p', HN_PASS},    {'f', HN_FAIL},   {'c', HN_CRASH},        {'t', HN_TIMEOUT},
                {'b', HN_BROKEN},  {'s', HN_SKIP},   {'k', HN_FALLBACK},     {'x', HN_BLOCKED},
                {'X', HN_BLOCKED}, {'S', HN_SLOW},   {'u', HN_UNOBSERVABLE}, {'y', HN_FLAKY},
                {'n', HN_NOTED},   {'l', HN_BROKEN}, {'-', HN_NOTRUN}};

    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        if (rows[i].letter == letter)
            return rows[i].verdict;
    ck_abort_msg("no verdict %c", letter);
    return HN_NOTRUN;
}

static const char *fixture_or(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

static void fixture_write(const struct hn_record *records, size_t count)
{
    struct hn_journal journal;

    unlink(test_path("journal.jsonl"));
    ck_assert_int_eq(hn_journal_create(&journal, test_path("journal.jsonl"), NULL), 0);
    for (size_t i = 0; i < count; i++)
        ck_assert_int_eq(hn_journal_write(&journal, &records[i], NULL), 0);
    hn_journal_close(&journal);
}

/* '-': never run; 'x': blocked by the first check; 'X': blocked by nothing of ours; 'l': broken
 * while loading. Returns how many records there are. */
static size_t fixture_end(struct hn_record *record, const struct fixture_run *run, int index)
{
    static struct hn_clause_verdict clauses[2];
    const size_t known = run->verdicts ? strlen(run->verdicts) : 0;
    const char letter = (size_t)index < known ? run->verdicts[index] : 'p';

    if (letter == '-')
        return 0;
    *record = (struct hn_record){.event = HN_EVENT_END,
                                 .end = {.id = fixture_ids[index],
                                         .attempt = 1,
                                         .final = 1,
                                         .verdict = fixture_verdict(letter),
                                         .reason = run->reason,
                                         .blocked_by = letter == 'x' ? fixture_ids[0] : "",
                                         .stage = letter == 'l' ? "load" : "ended"}};
    if (run->clauses && index == 0) {
        clauses[0] = (struct hn_clause_verdict){"A-1", fixture_verdict(run->clauses[0])};
        clauses[1] = (struct hn_clause_verdict){"A-2", fixture_verdict(run->clauses[1])};
        record->end.clauses = clauses;
        record->end.clause_count = 2;
    }
    return 1;
}

static void fixture_journal(const struct fixture_run *run)
{
    const int checks = run->checks ? run->checks : FIXTURE_IDS;
    struct hn_planned planned[FIXTURE_IDS];
    struct hn_record records[FIXTURE_IDS + 2] = {
        {.event = HN_EVENT_RUN,
         .run = {.date = fixture_or(run->date, "2026-11-21T10:00:00Z"),
                 .seed = "1",
                 .checks = planned,
                 .check_count = (size_t)checks,
                 .target = {.name = fixture_or(run->target, "foo")},
                 .torch = {"2.13", fixture_or(run->git, "abc"), ""},
                 .contract = {run->contract ? run->contract : 1, fixture_or(run->digest, "d1")}}}};
    size_t count = 1;

    for (int i = 0; i < checks; i++) {
        planned[i] = (struct hn_planned){fixture_ids[i], HN_MUST, 0, ""};
        count += fixture_end(&records[count], run, i);
    }
    if (!run->cut)
        records[count++] = (struct hn_record){.event = HN_EVENT_FINISH,
                                              .finish = {.complete = !run->why, .why = run->why}};
    fixture_write(records, count);
}

/* The run as the gate sees it; ci_side_finish() it. */
static struct ci_side fixture_side(const struct fixture_run *run, struct hn_arena *arena)
{
    struct ci_side side;
    struct hn_error error;

    fixture_journal(run);
    ck_assert_int_eq(ci_side_read(test_folder, arena, &side, &error), 0);
    return side;
}

/* Musts, then two shoulds, then an advisory one. */
__attribute__((unused)) static struct ci_policy fixture_policy(void)
{
    static const struct ci_promise checks[FIXTURE_IDS] = {
        {"m.a", "A.h:a", HN_MUST, HN_BACKEND, 1, {"", ""}, "It does that.", "Users lose data."},
        {"m.b", "B.h:b", HN_MUST, HN_BACKEND, 1, {"", ""}, "It does that.", "Users lose data."},
        {"m.c", "A.h:a", HN_MUST, HN_CORE, 1, {"", ""}, "It does that.", "Users lose data."},
        {"m.d", "", HN_MUST, HN_BACKEND, 1, {"", ""}, "It does that.", "Users lose data."},
        {"m.e", "E.h:e", HN_MUST, HN_BACKEND, 1, {"", ""}, "It does that.", "Users lose data."},
        {"s.a", "S.h:s", HN_SHOULD, HN_BACKEND, 1, {"", ""}, "It does that.", "Users lose data."},
        {"s.b", "S.h:s", HN_SHOULD, HN_BACKEND, 1, {"", ""}, "It does that.", "Users lose data."},
        {"v.a", "", HN_ADVISORY, HN_BACKEND, 1, {"", ""}, "It does that.", "Users lose data."},
    };

    return (struct ci_policy){.contract = 1,
                              .fail_on = HN_MUST,
                              .checks = checks,
                              .check_count = FIXTURE_IDS,
                              .label_adaptation = "adapt",
                              .label_override = "override",
                              .label_hint = "hint"};
}

#endif
