/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Begins a run: makes the folder and the journal, and restores the state of an interrupted run.
 * Called by supervisor.c.
 */
#include <stdio.h>
#include <stdlib.h>

#include "clock.h"
#include "file.h"
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

/* If the supervisor died twice during a task, gives up this task, because it would probably kill
 * the supervisor again. */
static int give_up_lost(struct hn_supervisor *run, const size_t *lost, size_t count)
{
    int status = HN_OK;
    for (size_t i = 0; i < count && status == HN_OK; i++) {
        const struct hn_record record = {.event = HN_EVENT_END,
                                         .end = {.id = run->input->tasks[lost[i]].check->id,
                                                 .armed = run->input->tasks[lost[i]].armed,
                                                 .final = 1,
                                                 .verdict = HN_INCOMPLETE,
                                                 .reason = "the run died twice while this check "
                                                           "was under way"}};
        status = hn_journal_write(&run->journal, &record, run->error);
        hn_schedule_done(&run->schedule, lost[i], HN_INCOMPLETE);
    }
    return status;
}

static int write_resume(struct hn_supervisor *run)
{
    char date[HN_CLOCK_DATE_SIZE];
    hn_clock_date(date, sizeof date);
    const struct hn_record record = {.event = HN_EVENT_RESUME, .resume = {date}};
    return hn_journal_write(&run->journal, &record, run->error);
}

static int write_head(struct hn_supervisor *run)
{
    const struct hn_run_input *input = run->input;
    char date[HN_CLOCK_DATE_SIZE], seed[24];
    struct hn_record record = {.event = HN_EVENT_RUN, .run = input->options.header};
    struct hn_planned *checks = calloc(input->task_count + 1, sizeof *checks);
    if (!checks)
        return hn_error_nomem(run->error);
    for (size_t i = 0; i < input->task_count; i++)
        checks[i] = (struct hn_planned){input->tasks[i].check->id, input->tasks[i].check->level,
                                        input->tasks[i].support, input->tasks[i].armed};
    hn_clock_date(date, sizeof date);
    snprintf(seed, sizeof seed, "%llu", (unsigned long long)input->options.seed);
    record.run.date = date;
    record.run.seed = seed;
    record.run.checks = checks;
    record.run.check_count = input->task_count;
    const int status = hn_journal_write(&run->journal, &record, run->error);
    free(checks);
    return status;
}

/* Writes how the target is run, and what is known of it before the run. */
static int write_target(struct hn_supervisor *run)
{
    const struct hn_run_options *options = &run->input->options;
    struct hn_record record = {.event = HN_EVENT_ISOLATION,
                               .isolation = {run->mode, options->mode_reason}};
    int status = hn_journal_write(&run->journal, &record, run->error);
    if (status == HN_OK && options->preflight) {
        record = (struct hn_record){.event = HN_EVENT_PREFLIGHT, .preflight = *options->preflight};
        status = hn_journal_write(&run->journal, &record, run->error);
    }
    if (status == HN_OK && options->description) {
        record = (struct hn_record){.event = HN_EVENT_TARGET, .target = *options->description};
        status = hn_journal_write(&run->journal, &record, run->error);
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
        status = write_resume(run);
    if (status == HN_OK)
        status = give_up_lost(run, lost, lost_count);
    free(lost);
    return status;
}

/* Counts the verdicts of the interrupted run as if they had just arrived. */
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
        status = write_head(run);
    if (status == HN_OK)
        status = write_target(run);
    hn_progress_init(&run->progress, options->out, options->plain, run->input->task_count);
    run->progress.label = options->label;
    run->progress.counts_only = options->counts_only;
    run->progress.colour = options->colour;
    recount(run);
    return status;
}
