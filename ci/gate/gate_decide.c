/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The main function of the gate. This function judges the runs, the checks and the unadapted
 * backend of every target. The worst result decides. gate_decide.h names the callers.
 */
#include "gate_decide.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "clean_text.h"
#include "gate_internal.h"

/* Finds the value of --target in the command of the run, else the name of the target: several
 * profiles may have one name. Returns the length. The command is untrusted, so 0 is returned if a
 * shell or Markdown might interpret the value. */
static size_t find_option(const struct rp_run *run, const char **word)
{
    static const char option[] = " --target";
    const char *const found = strstr(run->command, option);
    const char after = found ? found[sizeof option - 1] : '\0';
    *word = after == '=' || after == ' ' ? found + sizeof option : run->target;
    const size_t length = strcspn(*word, " ");
    const size_t plain = strspn(*word, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
                                       "0123456789._/+-");
    return plain < length || **word == '-' || length > 200 ? 0 : length;
}

static int begin_target(struct ci_judge *judge)
{
    const struct rp_run *head = judge->now->head.run;
    const char *name = ci_clean_copy(judge->arena, head ? head->target : "", 100);
    const char *torch = ci_clean_copy(judge->arena, head ? head->torch_version : "", 100);
    const char *word = "";
    const size_t length = head ? find_option(head, &word) : 0;
    const char *option = hn_arena_copy(judge->arena, word, length);
    if (!name || !torch || !option)
        return hn_error_nomem(judge->error);
    *judge->target = (struct ci_target_decision){.target = name,
                                                 .torch = torch,
                                                 .option = length ? option : NULL,
                                                 .contract = head ? head->contract : 0};
    return HN_OK;
}

static int judge_target(struct ci_judge *judge)
{
    int status = begin_target(judge);
    if (!status)
        status = ci_judge_runs(judge);
    if (!status && judge->comparable)
        status = ci_judge_checks(judge);
    if (!status && judge->comparable)
        status = ci_judge_unadapted(judge);
    return status;
}

static int compare_causes(const void *a, const void *b)
{
    const struct ci_cause *first = a, *second = b;
    if (first->decides != second->decides)
        return first->decides > second->decides ? -1 : 1;
    if (first->rule != second->rule)
        return first->rule < second->rule ? -1 : 1;
    return first->order < second->order ? -1 : 1;
}

static int has_adaptation(const struct ci_result *result)
{
    for (size_t i = 0; i < result->cause_count; i++)
        if (ci_rules[result->causes[i].rule].kind == CI_ADAPTATION)
            return 1;
    return 0;
}

/* Changes a label only if the decision is pass: only a pass is evidence about adaptation. */
static void decide_labels(const struct ci_change *change, struct ci_result *result)
{
    const int adapt = has_adaptation(result);
    result->add_label = result->decision == CI_PASS && adapt;
    result->remove_label = result->decision == CI_PASS && !adapt && result->target_count;
    result->suggest_hint = adapt || change->reference_file || result->decision == CI_BLOCKED;
}

/* Writes " (guard.x and 3 more checks)". */
static void name_checks(const struct ci_cause *cause, char *text, size_t size)
{
    if (cause->check_count == 1)
        snprintf(text, size, " (%.200s)", cause->checks[0]);
    else if (cause->check_count)
        snprintf(text, size, " (%.200s and %zu more)", cause->checks[0], cause->check_count - 1);
}

static int write_summary(const struct ci_change *change, struct hn_arena *arena,
                         struct ci_result *result)
{
    const char *adapt = "", *says = "nothing was built or run yet";
    char which[300] = "";
    if (result->target_count)
        says = "no check that passed on base fails on head";
    else if (change->clusters.head)
        says = "PyTorch's own tests fail for no new cause";
    int length = (int)strlen(says);
    if (result->add_label)
        adapt = change->reference_file
                    ? "; backends must adapt, the reference backend was adapted here"
                    : "; backends must adapt";
    if (result->decision != CI_PASS) {
        const struct ci_cause *first = &result->causes[0];
        says = ci_rules[first->rule].text;
        length = (int)strcspn(says, ".:;");
        name_checks(first, which, sizeof which);
    }
    result->summary =
        hn_arena_text(arena, "%s: %.*s%s%s%s", ci_decision_names[result->decision], length, says,
                      which, adapt, result->overridden ? " (overridden by a label)" : "");
    return result->summary ? HN_OK : HN_ENOMEM;
}

static void add_target(struct ci_result *result, const struct ci_target_decision *target,
                       const struct rp_run *head)
{
    if (target->decision > result->decision)
        result->decision = target->decision;
    for (int i = 0; i < CI_COUNTERS; i++)
        result->counts.of[i] += target->counts.of[i];
    if (head && strcmp(head->date, result->date) > 0)
        result->date = head->date;
}

int ci_gate_decide(const struct ci_policy *policy, const struct ci_change *change,
                   const struct ci_case *cases, size_t count, struct hn_arena *arena,
                   struct ci_result *result, struct hn_error *error)
{
    struct ci_judge judge = {.policy = policy, .change = change, .arena = arena, .error = error};
    struct ci_target_decision *targets = hn_arena_array(arena, count + 1, sizeof *targets);
    int status = HN_OK;
    *result = (struct ci_result){.overridden = change->overridden, .date = ""};
    judge.lines = hn_arena_array(arena, policy->check_count + 1, sizeof *judge.lines);
    if (!targets || !judge.lines)
        return hn_error_nomem(error);
    for (size_t i = 0; !status && i < count; i++) {
        judge.now = &cases[i];
        judge.target = &targets[i];
        status = judge_target(&judge);
        add_target(result, &targets[i], cases[i].head.run);
    }
    if (!status)
        status = ci_judge_drift(&judge);
    if (!status)
        status = ci_judge_clusters(&judge, &result->decision);
    if (judge.cause_count)
        qsort(judge.causes, judge.cause_count, sizeof *judge.causes, compare_causes);
    result->causes = judge.causes;
    result->cause_count = judge.cause_count;
    result->warnings = judge.warnings;
    result->warning_count = judge.warning_count;
    result->targets = targets;
    result->target_count = count;
    decide_labels(change, result);
    if (!status && !(result->date = ci_clean_copy(arena, result->date, 100)))
        status = HN_ENOMEM;
    if (!status)
        status = write_summary(change, arena, result);
    return status == HN_ENOMEM ? hn_error_nomem(error) : status;
}

int ci_exit_status(const struct ci_result *result)
{
    static const int statuses[CI_DECISIONS] = {
        [CI_PASS] = HN_EXIT_OK, [CI_BLOCKED] = HN_EXIT_FAILED, [CI_UNDECIDED] = HN_EXIT_UNDECIDED};
    return result->overridden ? HN_EXIT_OK : statuses[result->decision];
}
