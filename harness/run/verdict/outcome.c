/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The rules that turn evidence into a verdict. The rules are tried in order, and the first rule
 * that applies decides. Called by the supervisor for every job. This file must not use files or the
 * clock.
 */
#include "outcome.h"

#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "assay/check.h"

struct facts {
    const struct hn_check *check;
    const struct hn_found *found;
    const struct hn_ending *ending;
};

/* Writes the reason; returns 1 when the rule applies. */
typedef int (*rule)(const struct facts *facts, struct hn_outcome *outcome);

void hn_signal_name(int number, char *text, size_t size)
{
    const char *const name = sigabbrev_np(number);
    if (name)
        snprintf(text, size, "SIG%s", name);
    else
        snprintf(text, size, "signal %d", number);
}

/* Writes "SIGSEGV" or "exit status 3". */
static void describe_end(const struct hn_ending *ending, char *text, size_t size)
{
    if (ending->signal)
        hn_signal_name(ending->signal, text, size);
    else
        snprintf(text, size, "exit status %d", ending->status);
}

/* Writes ", last seen at check.c:12" if a line was marked, else "". */
static const char *last_line(const struct hn_ending *ending, char *text, size_t size)
{
    text[0] = '\0';
    if (ending->mark_line > 0)
        snprintf(text, size, ", last seen at %s:%d", ending->mark_file, ending->mark_line);
    return text;
}

static int meant_to_die(const struct hn_check *check)
{
    return check->expect_signal != 0 || check->expect_status >= 0;
}

static int cancelled(const struct facts *facts, struct hn_outcome *outcome)
{
    snprintf(outcome->reason, sizeof outcome->reason, "the run was stopped");
    return strcmp(facts->ending->cause, "cancel") == 0;
}

static int not_begun(const struct facts *facts, struct hn_outcome *outcome)
{
    snprintf(outcome->reason, sizeof outcome->reason,
             "not started: for ten seconds the machine allowed no new process; is a limit of "
             "processes (ulimit -u, a container's) used up?");
    return strcmp(facts->ending->cause, "refused") == 0;
}

static int machine_was_full(const struct facts *facts, struct hn_outcome *outcome)
{
    snprintf(outcome->reason, sizeof outcome->reason,
             "the process that watched the check ran out of memory or file descriptors");
    return facts->ending->host_poor;
}

static int lost_with_host(const struct facts *facts, struct hn_outcome *outcome)
{
    snprintf(outcome->reason, sizeof outcome->reason,
             "the process that watched the check %s with it",
             facts->ending->host_silent ? "fell silent" : "died");
    return facts->ending->host_lost;
}

static int still_at_work(const struct facts *facts, struct hn_outcome *outcome)
{
    const struct hn_ending *ending = facts->ending;
    snprintf(outcome->reason, sizeof outcome->reason,
             "had %.1f s and %.1f s more; %s was still running when that time was up",
             (double)ending->limit_ms / 1e3, (double)ending->extended_ms / 1e3, ending->at_work);
    return strcmp(ending->cause, "timeout") == 0 && ending->at_work[0] != '\0';
}

static int out_of_time(const struct facts *facts, struct hn_outcome *outcome)
{
    char where[300];
    snprintf(outcome->reason, sizeof outcome->reason, "the deadline of stage \"%s\" passed%s",
             facts->ending->stage, last_line(facts->ending, where, sizeof where));
    return strcmp(facts->ending->cause, "timeout") == 0;
}

static int out_of_space(const struct facts *facts, struct hn_outcome *outcome)
{
    snprintf(outcome->reason, sizeof outcome->reason, "the job's folder grew over its limit");
    return strcmp(facts->ending->cause, "folder") == 0;
}

static int died_as_expected(const struct facts *facts, struct hn_outcome *outcome)
{
    const struct hn_ending *ending = facts->ending;
    char how[40];
    describe_end(ending, how, sizeof how);
    snprintf(outcome->reason, sizeof outcome->reason, "ended by %s, as it must", how);
    if (!meant_to_die(facts->check) || facts->found->worst || facts->found->spoiled[0] ||
        facts->found->problem[0])
        return 0;
    return facts->check->expect_signal ? ending->signal == facts->check->expect_signal
                                       : !ending->signal && !facts->found->end &&
                                             ending->status == facts->check->expect_status;
}

static int died(const struct facts *facts, struct hn_outcome *outcome)
{
    char how[40], where[300];
    const struct hn_ending *ending = facts->ending;
    const int is_told = !facts->found->what[0]; /* end_record.c records it as the expected end */
    describe_end(ending, how, sizeof how);
    snprintf(
        outcome->reason, sizeof outcome->reason, "%s in stage \"%s\"%s%s%s", how, ending->stage,
        last_line(ending, where, sizeof where),
        is_told || !ending->under_way[0] ? "" : ", asking: ", is_told ? "" : ending->under_way);
    return ending->signal != 0 || ending->status != 0;
}

static int disk_was_full(const struct facts *facts, struct hn_outcome *outcome)
{
    snprintf(outcome->reason, sizeof outcome->reason,
             "the disk is full: the check's findings could not be written; --resume runs it again");
    return facts->ending->no_room;
}

static int has_problem(const struct facts *facts, struct hn_outcome *outcome)
{
    snprintf(outcome->reason, sizeof outcome->reason, "%.15s: %.2000s", facts->found->problem_stage,
             facts->found->problem);
    return facts->found->problem[0] != '\0';
}

static int is_spoiled(const struct facts *facts, struct hn_outcome *outcome)
{
    snprintf(outcome->reason, sizeof outcome->reason, "its evidence cannot be trusted: %s",
             facts->found->spoiled);
    return facts->found->spoiled[0] != '\0';
}

static int did_not_die(const struct facts *facts, struct hn_outcome *outcome)
{
    char wanted[40];
    const struct hn_ending expected = {.signal = facts->check->expect_signal,
                                       .status = facts->check->expect_status};
    describe_end(&expected, wanted, sizeof wanted);
    snprintf(outcome->reason, sizeof outcome->reason, "must end by %s, but finished normally",
             wanted);
    return meant_to_die(facts->check) && facts->found->end && !facts->found->worst;
}

static int has_no_end(const struct facts *facts, struct hn_outcome *outcome)
{
    snprintf(outcome->reason, sizeof outcome->reason,
             "exited with status 0 but without an end record: nothing was shown");
    return !facts->found->end;
}

/* Writes the text of a finding: the expected and the observed value. */
static void quote(const struct hn_found *found, struct hn_outcome *outcome)
{
    const char *between = found->seen[0] ? ": " : "";
    snprintf(outcome->reason, sizeof outcome->reason, "%.1000s%s%.1000s", found->what, between,
             found->seen);
}

/* If a finding names a clause that the check does not cover, the check has a bug. */
static int speaks_of_others(const struct facts *facts, struct hn_outcome *outcome)
{
    for (size_t i = 0; i < facts->found->clause_count; i++) {
        const char *id = facts->found->clauses[i].id;
        size_t k = 0;
        while (k < facts->check->clause_count && strcmp(facts->check->clauses[k].id, id) != 0)
            k++;
        snprintf(outcome->reason, sizeof outcome->reason, "it reports %s, which it does not cover",
                 id);
        if (k == facts->check->clause_count)
            return 1;
    }
    return 0;
}

static const struct {
    rule applies;
    enum hn_verdict verdict;
} rules[] = {
    /* Rules for a job that ended before it could reach a verdict. */
    {cancelled, HN_INCOMPLETE},
    {not_begun, HN_INCOMPLETE},
    {machine_was_full, HN_INCOMPLETE},
    {lost_with_host, HN_CRASH},
    /* Rules about the end of the process. */
    {still_at_work, HN_SLOW},
    {out_of_time, HN_TIMEOUT},
    {out_of_space, HN_BROKEN},
    {died_as_expected, HN_PASS},
    {died, HN_CRASH},
    /* Rules about the evidence itself. */
    {disk_was_full, HN_INCOMPLETE},
    {has_problem, HN_BROKEN},
    {is_spoiled, HN_BROKEN},
    {speaks_of_others, HN_BROKEN},
    {did_not_die, HN_FAIL},
    {has_no_end, HN_BROKEN},
};

/* If no rule applies, the worst finding of the check decides. */
static const enum hn_verdict verdict_of_finding[] = {
    HN_PASS,
    [ASSAY_FINDING_FAIL] = HN_FAIL,
    [ASSAY_FINDING_SKIP] = HN_SKIP,
    [ASSAY_FINDING_BLOCKED] = HN_BLOCKED,
    [ASSAY_FINDING_UNOBSERVABLE] = HN_UNOBSERVABLE,
    [ASSAY_FINDING_BROKEN] = HN_BROKEN,
    [ASSAY_FINDING_FALLBACK] = HN_FALLBACK,
    [ASSAY_FINDING_NOTED] = HN_NOTED,
};

enum hn_verdict hn_outcome_of_finding(int kind)
{
    return verdict_of_finding[kind];
}

void hn_outcome_decide(const struct hn_check *check, const struct hn_found *found,
                       const struct hn_ending *ending, struct hn_outcome *outcome)
{
    const struct facts facts = {check, found, ending};
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++)
        if (rules[i].applies(&facts, outcome)) {
            outcome->verdict = rules[i].verdict;
            return;
        }
    outcome->verdict = verdict_of_finding[found->worst];
    outcome->reason[0] = '\0';
    if (found->worst)
        quote(found, outcome);
}

void hn_outcome_late(const struct hn_ending *ending, int part, struct hn_outcome *outcome)
{
    const double limit = (double)ending->limit_ms / part / 1e3;
    if (outcome->verdict != HN_PASS && outcome->verdict != HN_NOTED)
        return;
    outcome->verdict = HN_SLOW;
    snprintf(outcome->reason, sizeof outcome->reason,
             "its deadline of %.1f s passed; alone and with more time it finished after "
             "%.1f s%s%s",
             limit, (double)ending->duration_us / 1e6,
             ending->at_work[0] ? " in which it waited for " : "", ending->at_work);
}
