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

#include "buffer.h"
#include "run_intake.h"
#include "test_folder.h"

#define FIXTURE_IDS 8
static const char *const fixture_ids[FIXTURE_IDS] = {"m.a", "m.b", "m.c", "m.d",
                                                     "m.e", "s.a", "s.b", "v.a"};

struct fixture_run {      /* what differs from a clean run; zeroed is one in which all passes */
    const char *verdicts; /* a letter per check, see fixture_verdict(); "" or short: p */
    const char *reason;   /* of every end */
    const char *target, *digest, *git, *date, *why;
    int contract, cut, checks; /* cut: no finish record; checks: how many there are, 0: all */
};

static const char *fixture_verdict(char letter)
{
    static const struct {
        char letter;
        const char *name;
    } names[] = {{'p', "pass"},         {'f', "fail"},    {'c', "crash"},
                 {'t', "timeout"},      {'b', "broken"},  {'s', "skip"},
                 {'k', "fallback"},     {'x', "blocked"}, {'X', "blocked"},
                 {'u', "unobservable"}, {'y', "flaky"},   {'n', "noted"},
                 {'l', "broken"},       {'-', NULL}};

    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        if (names[i].letter == letter)
            return names[i].name;
    ck_abort_msg("no verdict %c", letter);
    return NULL;
}

static const char *fixture_or(const char *text, const char *otherwise)
{
    return text ? text : otherwise;
}

/* '-': never run; 'x': blocked by the first check; 'X': blocked by nothing of ours; 'l': broken
 * while loading. */
static void fixture_end(struct hn_buffer *out, const struct fixture_run *run, int index)
{
    const size_t known = run->verdicts ? strlen(run->verdicts) : 0;
    const char letter = (size_t)index < known ? run->verdicts[index] : 'p';

    if (letter == '-')
        return;
    hn_buffer_printf(
        out,
        "{\"event\":\"end\",\"id\":\"%s\",\"attempt\":1,\"final\":true,"
        "\"verdict\":\"%s\",\"reason\":\"%s\",\"blocked_by\":\"%s\",\"stage\":\"%s\"}\n",
        fixture_ids[index], fixture_verdict(letter), fixture_or(run->reason, ""),
        letter == 'x' ? fixture_ids[0] : "", letter == 'l' ? "load" : "ended");
}

static void fixture_journal(const struct fixture_run *run)
{
    const int checks = run->checks ? run->checks : FIXTURE_IDS;
    struct hn_buffer out;

    hn_buffer_init(&out, 1 << 20);
    hn_buffer_printf(&out,
                     "{\"event\":\"run\",\"schema\":\"assay/journal/1\",\"date\":\"%s\","
                     "\"seed\":\"1\",\"target\":{\"name\":\"%s\"},\"torch\":{\"version\":\"2.13\","
                     "\"git\":\"%s\"},\"contract\":{\"version\":%d,\"digest\":\"%s\"},\"checks\":[",
                     fixture_or(run->date, "2026-11-21T10:00:00Z"), fixture_or(run->target, "foo"),
                     fixture_or(run->git, "abc"), run->contract ? run->contract : 1,
                     fixture_or(run->digest, "d1"));
    for (int i = 0; i < checks; i++)
        hn_buffer_printf(&out, "%s{\"id\":\"%s\",\"level\":\"must\"}", i ? "," : "",
                         fixture_ids[i]);
    hn_buffer_puts(&out, "]}\n");
    for (int i = 0; i < checks; i++)
        fixture_end(&out, run, i);
    if (!run->cut)
        hn_buffer_printf(&out, "{\"event\":\"finish\",\"complete\":%s,\"why\":\"%s\"}\n",
                         run->why ? "false" : "true", fixture_or(run->why, ""));
    ck_assert_int_eq(out.status, 0);
    test_write("journal.jsonl", out.text, out.length);
    hn_buffer_finish(&out);
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
        {"m.a", "A.h:a", HN_MUST, HN_BACKEND, 1},   {"m.b", "B.h:b", HN_MUST, HN_BACKEND, 1},
        {"m.c", "A.h:a", HN_MUST, HN_CORE, 1},      {"m.d", "", HN_MUST, HN_BACKEND, 1},
        {"m.e", "E.h:e", HN_MUST, HN_BACKEND, 1},   {"s.a", "S.h:s", HN_SHOULD, HN_BACKEND, 1},
        {"s.b", "S.h:s", HN_SHOULD, HN_BACKEND, 1}, {"v.a", "", HN_ADVISORY, HN_BACKEND, 1},
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
