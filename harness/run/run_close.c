/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Ends a run: decides whether it is complete, and its exit status. Called by supervisor.c.
 */
#include <string.h>

#include "assay/check.h"
#include "supervisor_state.h"

/* Returns 1 if no check has a good or a failing verdict. Such a target, for example a library that
 * loads but registers nothing, must not look like a good target. */
static int shows_nothing(const struct hn_supervisor *run)
{
    for (size_t i = 0; i < run->input->task_count; i++) {
        const struct hn_verdict_row *row = &hn_verdict_table[run->summary->verdicts[i]];
        if (row->good || row->fails)
            return 0;
    }
    return 1;
}

/* Returns 1 if the target claims to lack the capability, and its refusal check passed. */
static int is_shown_lacking(const struct hn_supervisor *run, size_t index)
{
    const struct hn_capability *capability = &run->input->capabilities[index];
    if (capability->claim != HN_CLAIM_NO || capability->refusal == HN_NONE)
        return 0;
    const enum hn_verdict seen = run->summary->verdicts[capability->refusal];
    return seen == HN_PASS || seen == HN_FLAKY;
}

/* Returns 1 if a lacking capability explains the skip of the check, or of a check it builds on. */
static int is_explained(const struct hn_supervisor *run, size_t index)
{
    const struct hn_task *task = &run->input->tasks[index];
    if (run->schedule.states[index].hub != HN_NONE)
        return 1; /* the check ran, and failed like its hub */
    if (run->summary->verdicts[index] != HN_SKIP)
        return 0;
    for (size_t i = 0; i < task->capabilities.count; i++)
        if (is_shown_lacking(run, task->capabilities.items[i]))
            return 1;
    for (size_t i = 0; i < task->builds_on.count; i++)
        if (is_explained(run, task->builds_on.items[i]))
            return 1;
    return 0;
}

static void listen_for_silence(const struct hn_supervisor *run)
{
    for (size_t i = 0; i < run->input->task_count; i++) {
        const struct hn_task *task = &run->input->tasks[i];
        if (!task->support && !task->warm_up && task->check->level == HN_MUST)
            hn_silence_add(&run->summary->silence, run->summary->verdicts[i], is_explained(run, i));
    }
}

/* Returns the exit status, which depends only on the levels that the user selected. */
static int exit_status(const struct hn_supervisor *run)
{
    if (run->summary->interrupted && !run->summary->complete)
        return HN_EXIT_STOPPED_BY(run->summary->interrupted);
    if (shows_nothing(run))
        return HN_EXIT_UNDECIDED;
    const enum hn_level limit = run->input->options.fail_on_should ? HN_SHOULD : HN_MUST;
    const int seen = run->summary->complete && !run->summary->refusal[0] &&
                     !hn_silence_prevails(&run->summary->silence);
    int status = seen ? HN_EXIT_OK : HN_EXIT_UNDECIDED;
    for (size_t i = 0; i < run->input->task_count; i++) {
        const struct hn_task *task = &run->input->tasks[i];
        /* A failure that follows from another failure still counts. */
        const int one = run->schedule.states[i].hub != HN_NONE
                            ? HN_EXIT_FAILED
                            : hn_verdict_table[run->summary->verdicts[i]].exit_status;
        if (task->support || task->check->level > limit)
            continue;
        if (one == HN_EXIT_FAILED)
            return one;
        status = one == HN_EXIT_OK ? status : one;
    }
    return status;
}

int hn_run_close(struct hn_supervisor *run)
{
    struct hn_run_summary *summary = run->summary;
    summary->complete = run->schedule.done == run->input->task_count;
    if (summary->complete)
        summary->why[0] = '\0';
    for (size_t i = 0; i < run->input->task_count; i++)
        if (summary->verdicts[i] == HN_NOTRUN && !run->input->tasks[i].support)
            summary->totals[HN_NOTRUN]++;
    listen_for_silence(run);
    summary->exit_status = exit_status(run);
    hn_progress_finish(&run->progress);
    if (run->status != HN_OK)
        return run->status;
    struct hn_record record = {.event = HN_EVENT_FINISH,
                               .finish = {.complete = summary->complete, .why = summary->why}};
    memcpy(record.finish.totals, summary->totals, sizeof summary->totals);
    return hn_journal_write(&run->journal, &record, run->error);
}
