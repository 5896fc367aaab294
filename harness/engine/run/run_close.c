/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The end of a run: is it complete, and what does the user's shell hear? Called by supervisor.c.
 */
#include <string.h>

#include "supervisor_state.h"

/* Every check was skipped or blocked, also those that others build on: a target of which nothing
 * was seen, like a library that loads and registers nothing, must not look like a good one. */
static int shows_nothing(const struct hn_supervisor *run)
{
    for (size_t i = 0; i < run->input->task_count; i++) {
        const struct hn_verdict_row *row = &hn_verdict_table[run->summary->verdicts[i]];
        if (row->good || row->fails)
            return 0;
    }
    return 1;
}

/* Must before should before may: only levels the user asked about decide the exit status. */
static int exit_status(const struct hn_supervisor *run)
{
    if (run->summary->interrupted && !run->summary->complete)
        return HN_EXIT_STOPPED_BY(run->summary->interrupted);
    if (shows_nothing(run))
        return HN_EXIT_UNDECIDED;
    const enum hn_level limit = run->input->options.fail_on_should ? HN_SHOULD : HN_MUST;
    const int seen = run->summary->complete && !run->summary->refusal[0];
    int status = seen ? HN_EXIT_OK : HN_EXIT_UNDECIDED;
    for (size_t i = 0; i < run->input->task_count; i++) {
        const struct hn_task *task = &run->input->tasks[i];
        /* What follows from another failure is none of its own, but it did fail. */
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
    summary->exit_status = exit_status(run);
    hn_progress_finish(&run->progress);
    if (run->status != HN_OK)
        return run->status;
    struct hn_record record = {.event = HN_EVENT_FINISH,
                               .finish = {.complete = summary->complete, .why = summary->why}};
    memcpy(record.finish.totals, summary->totals, sizeof summary->totals);
    return hn_journal_write(&run->journal, &record, run->error);
}
