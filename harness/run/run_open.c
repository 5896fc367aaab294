/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The beginning of a run: folder, journal, and what an earlier life of it already knows. Called by
 * supervisor.c.
 */
#include <stdlib.h>

#include "file.h"
#include "record.h"
#include "replay.h"
#include "supervisor_state.h"

static int open_folder(struct hn_supervisor *run)
{
    char path[HN_PATH_SIZE];
    const struct hn_run_options *options = &run->input->options;
    int status = hn_path_join(path, sizeof path, options->folder, "jobs", run->error);
    if (status == HN_OK)
        status = hn_dir_make(path, run->error);
    if (status == HN_OK)
        status = hn_path_join(path, sizeof path, options->folder, HN_JOURNAL_FILE, run->error);
    if (status != HN_OK)
        return status;
    if (options->resume)
        return hn_journal_reopen(&run->journal, path, run->error);
    return hn_journal_create(&run->journal, path, run->error);
}

/* Twice the supervisor died while this task ran: a third time would prove nothing. */
static int give_up_lost(struct hn_supervisor *run, const size_t *lost, size_t count)
{
    const struct hn_outcome outcome = {HN_INCOMPLETE,
                                       "the run died twice while this check was under way"};
    int status = HN_OK;
    for (size_t i = 0; i < count && status == HN_OK; i++) {
        const struct hn_end_record end = {.task = &run->input->tasks[lost[i]], .outcome = &outcome};
        status = hn_record_end(&run->journal, &end, run->error);
        hn_schedule_done(&run->schedule, lost[i], HN_INCOMPLETE);
    }
    return status;
}

static int resume(struct hn_supervisor *run)
{
    char path[HN_PATH_SIZE];
    size_t lost_count = 0;
    size_t *lost = calloc(run->input->task_count + 1, sizeof *lost);
    if (!lost)
        return hn_error_nomem(run->error);
    int status =
        hn_path_join(path, sizeof path, run->input->options.folder, HN_JOURNAL_FILE, run->error);
    if (status == HN_OK)
        status = hn_replay(path, &run->schedule, lost, &lost_count, run->error);
    if (status == HN_OK)
        status = hn_record_resume(&run->journal, run->error);
    if (status == HN_OK)
        status = give_up_lost(run, lost, lost_count);
    free(lost);
    return status;
}

/* Verdicts of an earlier life count as if they had just come in. */
static void recount(struct hn_supervisor *run)
{
    for (size_t i = 0; i < run->input->task_count; i++) {
        const struct hn_task_state *state = &run->schedule.states[i];
        if (state->phase != HN_TASK_DONE)
            continue;
        run->summary->verdicts[i] = state->verdict;
        run->progress.done++;
        run->progress.totals[state->verdict]++;
        if (!run->input->tasks[i].support)
            run->summary->totals[state->verdict]++;
    }
}

int hn_run_open(struct hn_supervisor *run)
{
    const struct hn_run_options *options = &run->input->options;
    int status = hn_schedule_init(&run->schedule, run->input, options->shuffle);
    if (status != HN_OK)
        return hn_error_nomem(run->error);
    status = open_folder(run);
    if (status == HN_OK && options->resume)
        status = resume(run);
    else if (status == HN_OK)
        status = hn_record_run(&run->journal, run->input, run->error);
    if (status == HN_OK)
        status = hn_record_isolation(&run->journal, run->mode, options->mode_reason, run->error);
    if (status == HN_OK && options->preflight)
        status = hn_record_preflight(&run->journal, options->preflight, run->error);
    if (status == HN_OK && options->description)
        status = hn_record_target(&run->journal, options->description, run->error);
    hn_progress_init(&run->progress, options->out, options->plain, run->input->task_count);
    recount(run);
    return status;
}
