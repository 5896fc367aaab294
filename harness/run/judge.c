/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Turns the end of a job into its verdict, and a verdict into its consequences: another attempt,
 * the end of the run, verdicts of other checks. Called by hear.c, dispatch.c and supervisor.c.
 * The rules for a single verdict are in outcome.c.
 */
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include "cause_words.h"
#include "clause_verdicts.h"
#include "crash_words.h"
#include "end_record.h"
#include "evidence_read.h"
#include "hub.h"
#include "job_folder.h"
#include "last_words.h"
#include "second_look.h"
#include "supervisor_state.h"

#define LAST_WORDS 200

static int counts_as_failure(const struct hn_supervisor *run, size_t task, enum hn_verdict verdict)
{
    const enum hn_level limit = run->input->options.fail_on_should ? HN_SHOULD : HN_MUST;
    return hn_verdict_table[verdict].fails && run->input->tasks[task].check->level <= limit;
}

static int finish_task(struct hn_supervisor *run, size_t task, const struct hn_outcome *outcome)
{
    hn_schedule_done(&run->schedule, task, outcome->verdict);
    run->summary->verdicts[task] = (unsigned char)outcome->verdict;
    if (!run->input->tasks[task].support)
        run->summary->totals[outcome->verdict]++;
    hn_progress_verdict(&run->progress, &run->input->tasks[task], outcome);
    run->failures += counts_as_failure(run, task, outcome->verdict);
    if (!run->input->options.most_failures || run->failures < run->input->options.most_failures)
        return HN_NEXT_NOTHING;
    run->why_stop = run->failures == 1 ? "a check failed, and the first failure ends this run"
                                       : "as many checks failed as --maxfail allows";
    return HN_NEXT_STOP;
}

/* Decides tasks whose verdicts follow from other verdicts. */
int hn_judge_settle(struct hn_supervisor *run)
{
    struct hn_outcome outcome;
    size_t task, cause;
    int next = HN_NEXT_NOTHING;
    while (next == HN_NEXT_NOTHING && !run->stopping &&
           (task = hn_schedule_settle(&run->schedule, &outcome, &cause)) != HN_NONE) {
        const struct hn_record record = {
            .event = HN_EVENT_END,
            .end = {.id = run->input->tasks[task].check->id,
                    .armed = run->input->tasks[task].armed,
                    .final = 1,
                    .verdict = outcome.verdict,
                    .reason = outcome.reason,
                    .blocked_by = cause == HN_NONE ? NULL : run->input->tasks[cause].check->id},
        };
        next = hn_journal_write(&run->journal, &record, run->error);
        next = hn_next_of_both(next, finish_task(run, task, &outcome));
    }
    return next;
}

static int failed_to_load(const struct hn_ending *ending, enum hn_verdict verdict)
{
    const struct hn_verdict_row *row = &hn_verdict_table[verdict];
    return strcmp(ending->stage, "load") == 0 && (row->fails || verdict == HN_BROKEN);
}

static int is_past_loading(const char *stage)
{
    return *stage && strcmp(stage, "start") != 0 && strcmp(stage, "load") != 0;
}

/* Writes one sentence on why no check could be run; one check reports it for all checks. */
static void tell_refusal(struct hn_supervisor *run, const struct hn_job_order *order,
                         struct hn_outcome *outcome)
{
    const char *doubt = run->input->options.doubt;
    char seen[HN_OUTCOME_TEXT], last[LAST_WORDS] = "";
    const int explained = doubt && *doubt;
    memcpy(seen, outcome->reason, sizeof seen);
    if (outcome->verdict != HN_BROKEN) /* other sentences already name the reason */
        hn_last_words(order->folder, "err.txt", last, sizeof last);
    snprintf(outcome->reason, sizeof outcome->reason,
             "%.1000s%s%.600s%s%s%s%s; assay probe tells what each load step does",
             explained ? doubt : "", explained ? " (loading ended with: " : "", seen,
             explained ? ")" : "", *last ? "; its last output: \"" : "", last, *last ? "\"" : "");
    memcpy(run->summary->refusal, outcome->reason, sizeof run->summary->refusal);
}

/* Records whether the job loaded the target. Returns 1 if the job must be tried again. */
static int judge_loading(struct hn_supervisor *run, const struct hn_job_order *order, size_t task,
                         const struct hn_ending *ending, struct hn_outcome *outcome)
{
    if (run->input->tasks[task].setting)
        return 0; /* the setting may have broken loading */
    if (!failed_to_load(ending, outcome->verdict)) {
        if (is_past_loading(ending->stage))
            hn_schedule_loaded(&run->schedule, task);
        return 0;
    }
    if (hn_schedule_load_failed(&run->schedule, task, run->input->options.doubt != NULL))
        return 1;
    if (hn_schedule_refused(&run->schedule, task))
        tell_refusal(run, order, outcome);
    return 0;
}

/* Returns 1 if the job exceeded its normal deadline, perhaps because other jobs ran. */
static int may_only_be_slow(const struct hn_supervisor *run, const struct hn_task_state *state,
                            const struct hn_ending *ending)
{
    return strcmp(ending->cause, "timeout") == 0 && strcmp(ending->stage, "check") == 0 &&
           !ending->extended_ms && !state->late && !state->first && !run->stopping &&
           !run->input->options.hasty;
}

/* If the job ran beside other jobs, another job may have caused the failure, so the job is repeated
 * in a process of its own. A verdict such as a skip is not repeated, because no other job can cause
 * it. */
static int is_asked_alone(enum hn_verdict verdict)
{
    return verdict != HN_PASS && verdict != HN_SKIP && verdict != HN_UNOBSERVABLE;
}

static enum hn_again what_next(struct hn_slot *slot, size_t index, struct hn_outcome *outcome,
                               const struct hn_ending *ending)
{
    struct hn_supervisor *run = slot->run;
    const size_t task = slot->tasks[index];
    const struct hn_task_state *state = &run->schedule.states[task];
    const enum hn_verdict verdict = outcome->verdict;
    const struct hn_verdict_row *row = &hn_verdict_table[verdict];
    if (ending->host_poor && !run->stopping)
        return state->lost == 0 ? HN_AGAIN_HOST : HN_FINAL;
    if (verdict == HN_INCOMPLETE)
        return ending->no_room || strcmp(ending->cause, "refused") == 0 ? HN_FINAL : HN_AGAIN_LATER;
    if (!run->stopping && judge_loading(run, &slot->orders[index], task, ending, outcome))
        return HN_AGAIN_LOAD;
    if (hn_schedule_refused(&run->schedule, task))
        return HN_FINAL;
    if (ending->host_lost && state->lost == 0)
        return run->stopping ? HN_AGAIN_LATER : HN_AGAIN_HOST;
    if (slot->count > 1 && is_asked_alone(verdict))
        return HN_AGAIN_ALONE;
    if (may_only_be_slow(run, state, ending))
        return HN_AGAIN_TIME;
    if ((row->fails || verdict == HN_BROKEN) && !run->stopping &&
        state->retried < run->input->options.retries)
        return HN_AGAIN_RETRY;
    if (!run->stopping && hn_second_look_wanted(run->input->tasks[task].check, state, outcome))
        return HN_AGAIN_LOOK;
    return HN_FINAL;
}

static void begin_again(struct hn_supervisor *run, size_t task, enum hn_again again)
{
    struct hn_task_state *state = &run->schedule.states[task];
    char text[400];
    if (again == HN_AGAIN_RETRY)
        state->retried++;
    state->late = state->late || again == HN_AGAIN_TIME;
    if (again == HN_AGAIN_HOST) {
        state->lost++;
        snprintf(text, sizeof text, "a host died while %s was running: it runs again in a new host",
                 run->input->tasks[task].check->id);
        hn_progress_say(&run->progress, text);
    }
    hn_schedule_again(&run->schedule, task,
                      state->late || again == HN_AGAIN_ALONE || again == HN_AGAIN_HOST ||
                          again == HN_AGAIN_LOOK);
}

/* Reads the functions of a dead process from its last stack. An expected death is no crash. */
static void tell_death(const char *folder, const struct hn_ending *ending,
                       struct hn_outcome *outcome, struct hn_crash_words *words)
{
    char rest[HN_OUTCOME_TEXT];
    *words = (struct hn_crash_words){.overflow = 0};
    if (ending->goes_on || (outcome->verdict != HN_CRASH && outcome->verdict != HN_TIMEOUT))
        return;
    hn_crash_words_read(folder, words);
    memcpy(rest, outcome->reason, sizeof rest);
    if (ending->signal == SIGSEGV && (words->overflow || words->null_call))
        snprintf(outcome->reason, sizeof outcome->reason, "%s: %.1900s",
                 words->overflow ? "stack overflow" : "a call of the address 0", rest);
}

/* Plans a second look, or ends one: *judged becomes the attempt whose verdict is final. Without
 * memory there is no second look. */
static enum hn_again weigh_look(struct hn_slot *slot, size_t index, enum hn_again again,
                                struct hn_judged *judged)
{
    const struct hn_job_order *order = &slot->orders[index];
    struct hn_task_state *state = &slot->run->schedule.states[slot->tasks[index]];
    judged->folder = order->folder;
    judged->attempt = state->attempts;
    if (again == HN_AGAIN_LOOK && hn_second_look_plan(state, order, judged) != HN_OK)
        return HN_FINAL;
    if (again == HN_FINAL && state->first)
        hn_second_look_end(order->task->check, state, judged);
    return again;
}

/* If the check refuses with the words of a failed check that it builds on, the cause is that
 * failure and not a missing feature. */
static const char *attribute_refusal(struct hn_supervisor *run, size_t task,
                                     const struct hn_found *found, struct hn_outcome *outcome)
{
    char rest[HN_OUTCOME_TEXT];
    struct hn_task_state *state = &run->schedule.states[task];
    state->way = hn_cause_of_refusal(found->seen);
    const size_t hub = state->way == HN_CAUSE_NONE ? HN_NONE : hn_hub_of(&run->schedule, task);
    state->way = HN_CAUSE_NONE; /* it did not fail */
    if (hub == HN_NONE)
        return NULL;
    state->hub = hub;
    memcpy(rest, outcome->reason, sizeof rest);
    snprintf(outcome->reason, sizeof outcome->reason,
             "follows from %s, which fails with the same message: %.1500s",
             run->input->tasks[hub].check->id, rest);
    return run->input->tasks[hub].check->id;
}

/* If a check fails like a check that it builds on, attributes the failure to that check. */
static const char *attribute(struct hn_supervisor *run, size_t task, const struct hn_found *found,
                             struct hn_outcome *outcome)
{
    char rest[HN_OUTCOME_TEXT];
    struct hn_schedule *schedule = &run->schedule;
    if (outcome->verdict == HN_BLOCKED && !run->input->options.no_block)
        return attribute_refusal(run, task, found, outcome);
    if (outcome->verdict != HN_FAIL)
        return NULL;
    schedule->states[task].way = hn_cause_of(found->seen);
    if (run->input->options.no_block)
        return NULL;
    const size_t hub = schedule->states[task].hub = hn_hub_of(schedule, task);
    if (hub == HN_NONE)
        return NULL;
    memcpy(rest, outcome->reason, sizeof rest);
    outcome->verdict = HN_BLOCKED;
    snprintf(outcome->reason, sizeof outcome->reason,
             "follows from %s, which fails the same way: %.1500s", run->input->tasks[hub].check->id,
             rest);
    return run->input->tasks[hub].check->id;
}

/* Decides the final verdict of the check. Returns the hub that it follows from, or NULL. */
static const char *say_last_word(struct hn_slot *slot, size_t index, const struct hn_ending *ending,
                                 struct hn_judged *judged)
{
    struct hn_outcome *outcome = &judged->outcome;
    const struct hn_task *task = slot->orders[index].task;
    const struct hn_task_state *state = &slot->run->schedule.states[slot->tasks[index]];
    /* A second look has its own time limit, so its result is no evidence about the deadline. */
    if (!state->first && (state->late || judged->ending.extended_ms))
        hn_outcome_late(&judged->ending, state->late ? HN_LATE_TIMES : 1, outcome);
    if (outcome->verdict == HN_PASS && state->retried) {
        outcome->verdict = HN_FLAKY;
        snprintf(outcome->reason, sizeof outcome->reason, "passed only at attempt %d",
                 state->attempts);
    }
    if (ending->host_lost && !ending->host_poor && !state->first)
        snprintf(outcome->reason, sizeof outcome->reason,
                 "its host %s while it was running, as another host did before",
                 ending->host_silent ? "fell silent" : "died");
    /* under a switch, a violated advisory clause counts: the check has detected the fault */
    if (!task->armed)
        hn_clauses_advise(task->check, &judged->found, outcome);
    return attribute(slot->run, slot->tasks[index], &judged->found, outcome);
}

int hn_judge_job(struct hn_slot *slot, size_t index, const struct hn_ending *ending)
{
    struct hn_supervisor *run = slot->run;
    const size_t task = slot->tasks[index];
    struct hn_task_state *state = &run->schedule.states[task];
    const struct hn_job_order *order = &slot->orders[index];
    struct hn_judged judged = {.ending = *ending};
    struct hn_outcome *outcome = &judged.outcome;
    struct hn_crash_words words;
    char folder[300];
    hn_evidence_read(order->folder, order->nonce, &judged.found);
    if (order->task->warm_up)
        run->summary->notes = judged.found.notes;
    if (ending->left_memory[0])
        hn_notes_add(&judged.found.notes, "left memory", ending->left_memory);
    hn_outcome_decide(order->task->check, &judged.found, ending, outcome);
    const int was_refused = outcome->verdict == HN_BLOCKED;
    run->summary->took_us[task] += ending->duration_us;
    run->summary->left_changed += hn_notes_have(&judged.found.notes, "left changed");
    const enum hn_again again =
        weigh_look(slot, index, what_next(slot, index, outcome, ending), &judged);
    tell_death(judged.folder, &judged.ending, outcome, &words);
    const char *const hub = again == HN_FINAL ? say_last_word(slot, index, ending, &judged) : NULL;
    const int keep =
        run->input->options.keep || (outcome->verdict != HN_PASS && outcome->verdict != HN_NOTED);
    hn_job_folder_name(order->task->check->id, order->task->armed, judged.attempt, folder,
                       sizeof folder);
    if (!keep)
        hn_job_folder_remove(judged.folder);
    struct hn_end_texts texts;
    struct hn_clause_verdict clauses[HN_CLAUSES_MOST];
    struct hn_record record = {
        .event = HN_EVENT_END,
        .end = {.id = order->task->check->id,
                .armed = order->task->armed,
                .attempt = state->attempts,
                .final = again == HN_FINAL,
                /* The machine is the cause, so a resumed run repeats the check. */
                .again =
                    again == HN_FINAL && outcome->verdict == HN_INCOMPLETE ? HN_AGAIN_LATER : again,
                .verdict = outcome->verdict,
                .reason = outcome->reason,
                .blocked_by = hub,
                .refused = hub && was_refused,
                .folder = keep ? folder : NULL},
    };
    record.end.frames = words.frames;
    record.end.said = words.said;
    record.end.clauses = clauses;
    record.end.clause_count = hn_clauses_decide(order->task->check, !order->task->armed,
                                                &judged.found, outcome->verdict, clauses);
    hn_end_record_fill(&record.end, &judged.found, &judged.ending, &texts);
    const int status = hn_journal_write(&run->journal, &record, run->error);
    if (again == HN_FINAL)
        return hn_next_of_both(status, finish_task(run, task, outcome));
    begin_again(run, task, again);
    return status;
}

/* Puts the jobs back into the queue that were handed out together and never started. */
void hn_judge_take_back(struct hn_slot *slot, size_t from)
{
    for (size_t i = from; i < slot->count; i++) {
        hn_job_folder_remove(slot->orders[i].folder);
        hn_schedule_again(&slot->run->schedule, slot->tasks[i], 0);
    }
    slot->count = slot->at = 0;
}
