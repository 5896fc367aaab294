/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The story of a run, in the order things happen: open the folder, start hosts, hand out jobs, hear
 * how they went, write it down, stop. Called by cli/cmd_run.c and calibrate.c. Every callback only
 * dispatches to a step of the story.
 */
#include "supervisor.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <uv.h>

#include "descendants.h"
#include "evidence_read.h"
#include "file.h"
#include "host_link.h"
#include "host_message.h"
#include "job_folder.h"
#include "progress.h"
#include "record.h"
#include "replay.h"
#include "schedule.h"

#define BATCH_ROOM 32
#define START_PATIENCE_MS 120000 /* importing torch on a cold disk */
#define SYNC_MS 1000
#define HOPELESS 3 /* hosts in a row that do not get ready */

enum slot_phase { SLOT_EMPTY, SLOT_STARTING, SLOT_IDLE, SLOT_BUSY, SLOT_LEAVING };

/* One place for a host, and the jobs of the process under way in it. */
struct slot {
    struct hn_link link;
    struct supervisor *run;
    enum slot_phase phase;
    int python;
    size_t tasks[BATCH_ROOM];
    struct hn_job_order orders[BATCH_ROOM];
    size_t count, at; /* jobs handed out; the one under way */
};

struct supervisor {
    const struct hn_run_input *input;
    struct hn_run_summary *summary;
    struct hn_error *error;
    const char *mode;
    struct hn_schedule schedule;
    struct hn_journal journal;
    struct hn_progress progress;
    uv_loop_t loop;
    uv_signal_t interrupt, terminate;
    uv_timer_t deadline, sync;
    struct slot *slots;
    size_t slot_count;
    int32_t *answers; /* what is known of each capability, for the next message */
    int failed_starts;
    int stopping; /* nothing new is begun */
    int interrupts;
    int status; /* HN_OK, or why the run itself broke */
};

static void give_work(struct supervisor *run);

/* ---- stopping ---- */

static int is_over(const struct supervisor *run)
{
    return run->schedule.done == run->input->task_count;
}

static void close_shared_handles(struct supervisor *run)
{
    uv_handle_t *const handles[] = {(uv_handle_t *)&run->interrupt, (uv_handle_t *)&run->terminate,
                                    (uv_handle_t *)&run->deadline, (uv_handle_t *)&run->sync};
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
        if (!uv_is_closing(handles[i]))
            uv_close(handles[i], NULL);
}

/* Sends idle hosts home; the loop ends when the last one is gone. */
static void wind_up(struct supervisor *run)
{
    int left = 0;
    for (size_t i = 0; i < run->slot_count; i++) {
        struct slot *slot = &run->slots[i];
        if (slot->phase == SLOT_IDLE || slot->phase == SLOT_STARTING) {
            slot->phase = SLOT_LEAVING;
            hn_link_hang_up(&slot->link);
        }
        left += slot->phase != SLOT_EMPTY;
    }
    if (left == 0)
        close_shared_handles(run);
}

static void stop(struct supervisor *run, const char *why)
{
    const struct hn_wire cancel = {.type = HN_WIRE_CANCEL};
    if (!run->stopping)
        snprintf(run->summary->why, sizeof run->summary->why, "%s", why);
    run->stopping = 1;
    for (size_t i = 0; i < run->slot_count; i++)
        if (run->slots[i].phase == SLOT_BUSY)
            hn_link_send(&run->slots[i].link, &cancel);
    wind_up(run);
}

/* The run itself cannot go on: a full disk, no memory. */
static void break_off(struct supervisor *run, int status)
{
    if (status == HN_OK)
        return;
    if (run->status == HN_OK)
        run->status = status;
    stop(run, run->error->text);
}

static void on_interrupt(uv_signal_t *handle, int number)
{
    struct supervisor *run = handle->data;
    (void)number;
    if (++run->interrupts == 1) {
        hn_progress_say(&run->progress,
                        "stopping: jobs under way are ended, --resume goes on here");
        stop(run, "interrupted");
        return;
    }
    for (size_t i = 0; i < run->slot_count; i++)
        hn_link_kill(&run->slots[i].link);
}

static void on_run_deadline(uv_timer_t *timer)
{
    stop(timer->data, "the deadline of the whole run passed");
}

static void on_sync(uv_timer_t *timer)
{
    hn_journal_sync(&((struct supervisor *)timer->data)->journal);
}

/* ---- a verdict ---- */

static int counts_as_failure(const struct supervisor *run, size_t task, enum hn_verdict verdict)
{
    const enum hn_level limit = run->input->options.fail_on_should ? HN_SHOULD : HN_MUST;
    return hn_verdict_table[verdict].fails && run->input->tasks[task].level <= limit;
}

static void finish_task(struct supervisor *run, size_t task, const struct hn_outcome *outcome)
{
    hn_schedule_done(&run->schedule, task, outcome->verdict);
    run->summary->verdicts[task] = (unsigned char)outcome->verdict;
    if (!run->input->tasks[task].support)
        run->summary->totals[outcome->verdict]++;
    hn_progress_verdict(&run->progress, &run->input->tasks[task], outcome);
    if (run->input->options.fail_fast && counts_as_failure(run, task, outcome->verdict))
        stop(run, "a check failed, and the first failure ends this run");
}

/* Verdicts that follow from other verdicts. */
static void settle(struct supervisor *run)
{
    struct hn_outcome outcome;
    size_t task, cause;
    while (!run->stopping &&
           (task = hn_schedule_settle(&run->schedule, &outcome, &cause)) != HN_NONE) {
        const struct hn_end_record end = {
            .task = &run->input->tasks[task],
            .final = 1,
            .blocked_by = cause == HN_NONE ? NULL : run->input->tasks[cause].id,
            .outcome = &outcome,
        };
        break_off(run, hn_record_end(&run->journal, &end, run->error));
        finish_task(run, task, &outcome);
    }
}

/* What a verdict leads to, besides being written down. */
enum next_step { STEP_FINAL, STEP_ALONE, STEP_RETRY, STEP_LATER };

static enum next_step next_step(const struct supervisor *run, const struct slot *slot, size_t task,
                                const struct hn_outcome *outcome)
{
    const struct hn_task_state *state = &run->schedule.states[task];
    const struct hn_verdict_row *row = &hn_verdict_table[outcome->verdict];
    if (outcome->verdict == HN_INCOMPLETE)
        return STEP_LATER;
    /* In company, a neighbour may be to blame: the word of a process of its own counts. */
    if (slot->count > 1 && outcome->verdict != HN_PASS)
        return STEP_ALONE;
    if ((row->fails || outcome->verdict == HN_BROKEN) && !run->stopping &&
        state->attempts <= run->input->options.retries + (state->alone ? 1 : 0))
        return STEP_RETRY;
    return STEP_FINAL;
}

static void judge(struct slot *slot, size_t index, const struct hn_ending *ending)
{
    struct supervisor *run = slot->run;
    const size_t task = slot->tasks[index];
    struct hn_task_state *state = &run->schedule.states[task];
    const struct hn_job_order *order = &slot->orders[index];
    struct hn_outcome outcome;
    struct hn_found found;
    char folder[300];

    hn_evidence_read(order->folder, order->nonce, &found);
    hn_outcome_decide(order->task, &found, ending, &outcome);
    const enum next_step step = next_step(run, slot, task, &outcome);
    if (step == STEP_FINAL && outcome.verdict == HN_PASS && state->retried) {
        outcome.verdict = HN_FLAKY;
        snprintf(outcome.reason, sizeof outcome.reason, "passed only at attempt %d",
                 state->attempts);
    }
    const int keep =
        run->input->options.keep || (outcome.verdict != HN_PASS && outcome.verdict != HN_NOTED);
    hn_job_folder_name(order->task->id, state->attempts, folder, sizeof folder);
    if (!keep)
        hn_job_folder_remove(order->folder);
    const struct hn_end_record end = {
        .task = order->task,
        .attempt = state->attempts,
        .final = step == STEP_FINAL,
        .folder = keep ? folder : NULL,
        .outcome = &outcome,
        .found = &found,
        .ending = ending,
    };
    break_off(run, hn_record_end(&run->journal, &end, run->error));
    if (step == STEP_FINAL) {
        finish_task(run, task, &outcome);
        return;
    }
    state->retried |= step == STEP_RETRY;
    hn_schedule_again(&run->schedule, task, step == STEP_ALONE);
}

/* Jobs that were handed out with the last one and never begun. */
static void take_back(struct slot *slot, size_t from)
{
    for (size_t i = from; i < slot->count; i++) {
        hn_job_folder_remove(slot->orders[i].folder);
        hn_schedule_again(&slot->run->schedule, slot->tasks[i], 0);
    }
    slot->count = slot->at = 0;
}

/* ---- hearing from hosts ---- */

static int64_t job_patience_ms(const struct supervisor *run, const struct slot *slot)
{
    const struct hn_run_target *target = &run->input->target;
    const int64_t own = slot->orders[slot->at].task->check_ms;
    const int64_t check = own > target->check_ms ? own : target->check_ms;
    return hn_scaled_ms(run->input, target->load_ms + 2 * check) + run->input->options.silence_ms +
           3 * run->input->options.grace_ms;
}

static void hear_ready(struct slot *slot, const struct hn_wire *message)
{
    struct supervisor *run = slot->run;
    const char *failed = hn_wire_text(message, "failed");
    const char *device_file = hn_wire_text(message, "device-file");
    const int threads = (int)hn_wire_number(message, "threads", 1);
    if (slot->phase != SLOT_STARTING)
        return;
    if (threads > run->summary->most_threads)
        run->summary->most_threads = threads;
    if (device_file)
        snprintf(run->summary->device_file, sizeof run->summary->device_file, "%s", device_file);
    if (failed) {
        snprintf(run->summary->why, sizeof run->summary->why, "%s: %s", failed,
                 hn_wire_text(message, "problem"));
        slot->phase = SLOT_LEAVING;
        run->failed_starts++;
        hn_link_hang_up(&slot->link);
        return;
    }
    run->failed_starts = 0;
    slot->phase = SLOT_IDLE;
    hn_link_expect(&slot->link, 0);
    give_work(run);
}

/* The first start of a process was written down before it was sent. */
static void hear_started(struct slot *slot, const struct hn_wire *message)
{
    struct supervisor *run = slot->run;
    (void)message;
    hn_link_expect(&slot->link, job_patience_ms(run, slot));
    if (slot->at == 0)
        return;
    struct hn_task_state *state = &run->schedule.states[slot->tasks[slot->at]];
    state->attempts++;
    break_off(run, hn_record_start(&run->journal, slot->orders[slot->at].task->id, state->attempts,
                                   run->error));
}

static void hear_finished(struct slot *slot, const struct hn_wire *message)
{
    struct hn_ending ending;
    if (slot->phase != SLOT_BUSY || slot->at >= slot->count)
        return;
    hn_message_ending(message, &ending);
    judge(slot, slot->at++, &ending);
    if (!ending.goes_on)
        take_back(slot, slot->at);
}

static void hear_idle(struct slot *slot, const struct hn_wire *message)
{
    (void)message;
    if (slot->phase != SLOT_BUSY)
        return;
    slot->phase = SLOT_IDLE;
    hn_link_expect(&slot->link, 0);
    give_work(slot->run);
}

static void on_message(struct hn_link *link, const struct hn_wire *message)
{
    static void (*const handlers[])(struct slot *slot, const struct hn_wire *message) = {
        [HN_WIRE_READY] = hear_ready,
        [HN_WIRE_STARTED] = hear_started,
        [HN_WIRE_FINISHED] = hear_finished,
        [HN_WIRE_IDLE] = hear_idle,
    };
    if (message->type < sizeof handlers / sizeof *handlers && handlers[message->type])
        handlers[message->type](link->owner, message);
}

/* Whatever the dead host's jobs left now hangs on us. */
static void end_strays(struct supervisor *run)
{
    pid_t spared[64];
    size_t count = 0;
    for (size_t i = 0; i < run->slot_count && count < sizeof spared / sizeof *spared; i++)
        if (run->slots[i].link.running)
            spared[count++] = (pid_t)run->slots[i].link.process.pid;
    hn_descendants_end(spared, count);
}

static void on_gone(struct hn_link *link)
{
    const struct hn_ending lost = {.host_lost = 1};
    struct slot *slot = link->owner;
    struct supervisor *run = slot->run;
    const enum slot_phase phase = slot->phase;
    end_strays(run);
    slot->phase = SLOT_EMPTY;
    if (phase == SLOT_STARTING && ++run->failed_starts)
        snprintf(run->summary->why, sizeof run->summary->why,
                 "a host died before it was ready; its words are in host.log");
    if (phase == SLOT_BUSY && slot->at < slot->count) {
        judge(slot, slot->at, run->interrupts ? &(struct hn_ending){.cause = "cancel"} : &lost);
        take_back(slot, slot->at + 1);
    }
    if (run->failed_starts >= HOPELESS && !run->stopping) {
        char why[512];
        snprintf(why, sizeof why, "%s", run->summary->why);
        stop(run, why);
    }
    give_work(run);
}

/* ---- handing out ---- */

static int start_host(struct slot *slot, int python)
{
    struct supervisor *run = slot->run;
    char log[HN_PATH_SIZE];
    struct hn_wire setup = {0};
    const struct hn_programs *programs = &run->input->programs;
    int status = hn_path_join(log, sizeof log, run->input->options.folder, "host.log", run->error);
    const struct hn_link_start start = {
        .program = python ? programs->python : programs->native,
        .environment = run->input->target.environment,
        .environment_count = run->input->target.environment_count,
        .log = log,
    };
    if (status == HN_OK && !start.program)
        status = hn_error_set(run->error, HN_EINPUT, "there is no Python to run Python checks in");
    if (status == HN_OK)
        status = hn_link_start(&slot->link, &run->loop, &start, run->error);
    if (status != HN_OK)
        return status;
    slot->phase = SLOT_STARTING;
    slot->python = python;
    hn_message_setup(&setup, run->input, run->mode);
    hn_link_send(&slot->link, &setup);
    hn_wire_finish(&setup);
    hn_link_expect(&slot->link,
                   START_PATIENCE_MS + hn_scaled_ms(run->input, run->input->target.load_ms));
    return HN_OK;
}

static int prepare_order(struct slot *slot, size_t index)
{
    struct supervisor *run = slot->run;
    struct hn_job_order *order = &slot->orders[index];
    const size_t task = slot->tasks[index];
    char name[300];
    order->task = &run->input->tasks[task];
    order->seed = hn_job_seed(run->input->options.seed, order->task->id);
    hn_job_folder_name(order->task->id, run->schedule.states[task].attempts + 1, name, sizeof name);
    if (hn_nonce_make(order->nonce) != 0)
        return hn_error_errno(run->error, "no random numbers");
    int status = hn_path_join(order->folder, sizeof order->folder, run->input->options.folder, name,
                              run->error);
    if (status == HN_OK)
        status = hn_job_folder_make(order->folder, run->error);
    return status;
}

static void send_jobs(struct slot *slot)
{
    struct supervisor *run = slot->run;
    struct hn_wire message = {0};
    struct hn_task_state *first = &run->schedule.states[slot->tasks[0]];
    int status = HN_OK;
    for (size_t i = 0; status == HN_OK && i < slot->count; i++)
        status = prepare_order(slot, i);
    if (status == HN_OK)
        status =
            hn_record_start(&run->journal, slot->orders[0].task->id, ++first->attempts, run->error);
    if (status != HN_OK) {
        take_back(slot, 0);
        break_off(run, status);
        return;
    }
    slot->at = 0;
    slot->phase = SLOT_BUSY;
    for (size_t i = 0; i < run->input->capability_count; i++)
        run->answers[i] = hn_schedule_capability(&run->schedule, i);
    hn_message_run(&message, run->input, run->answers, slot->orders, slot->count);
    hn_link_send(&slot->link, &message);
    hn_wire_finish(&message);
    hn_link_expect(&slot->link, job_patience_ms(run, slot));
}

static size_t take(struct slot *slot, int python)
{
    const int batch = strcmp(slot->run->mode, "batch") == 0;
    slot->count = hn_schedule_take(&slot->run->schedule, python, batch, BATCH_ROOM, slot->tasks);
    return slot->count;
}

/* Kind of host that some ready task wants; -1: none is ready. */
static int wanted_kind(struct supervisor *run)
{
    size_t task;
    for (int python = 0; python <= 1; python++)
        if (hn_schedule_peek(&run->schedule, python, &task))
            return python;
    return -1;
}

static void serve_slot(struct slot *slot)
{
    struct supervisor *run = slot->run;
    if (slot->phase == SLOT_IDLE && take(slot, slot->python) > 0) {
        send_jobs(slot);
        return;
    }
    if (slot->phase != SLOT_IDLE && slot->phase != SLOT_EMPTY)
        return;
    const int kind = wanted_kind(run);
    if (kind < 0)
        return;
    if (slot->phase == SLOT_EMPTY) {
        const int status = start_host(slot, kind);
        break_off(run, status);
    } else if (kind != slot->python) {
        slot->phase = SLOT_LEAVING; /* comes back empty, and is then started as the other kind */
        hn_link_hang_up(&slot->link);
    }
}

/* A plan whose rest waits for itself is a mistake of ours; it must not look like a hang. */
static int is_stuck(const struct supervisor *run)
{
    int starting = 0;
    for (size_t i = 0; i < run->slot_count; i++)
        starting |= run->slots[i].phase == SLOT_STARTING || run->slots[i].phase == SLOT_LEAVING;
    return run->schedule.running == 0 && !starting;
}

static void give_work(struct supervisor *run)
{
    settle(run);
    for (size_t i = 0; i < run->slot_count && !run->stopping; i++)
        serve_slot(&run->slots[i]);
    if (!run->stopping && !is_over(run) && is_stuck(run))
        stop(run, "the rest of the plan waits for itself");
    if (run->stopping || is_over(run))
        wind_up(run);
}

/* ---- beginning ---- */

static int open_folder(struct supervisor *run)
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
static int give_up_lost(struct supervisor *run, const size_t *lost, size_t count)
{
    const struct hn_outcome outcome = {HN_INCOMPLETE,
                                       "the run died twice while this check was under way"};
    int status = HN_OK;
    for (size_t i = 0; i < count && status == HN_OK; i++) {
        const struct hn_end_record end = {
            .task = &run->input->tasks[lost[i]], .final = 1, .outcome = &outcome};
        status = hn_record_end(&run->journal, &end, run->error);
        hn_schedule_done(&run->schedule, lost[i], HN_INCOMPLETE);
    }
    return status;
}

static int resume(struct supervisor *run)
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
static void recount(struct supervisor *run)
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

static int open_run(struct supervisor *run)
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
    hn_progress_init(&run->progress, options->out, options->plain, run->input->task_count);
    recount(run);
    return status;
}

static int open_loop(struct supervisor *run)
{
    run->slots = calloc(run->slot_count, sizeof *run->slots);
    run->answers = calloc(run->input->capability_count + 1, sizeof *run->answers);
    if (!run->slots || !run->answers)
        return hn_error_nomem(run->error);
    if (uv_loop_init(&run->loop) != 0)
        return hn_error_set(run->error, HN_ESYSTEM, "no event loop");
    for (size_t i = 0; i < run->slot_count; i++) {
        run->slots[i].run = run;
        run->slots[i].link.owner = &run->slots[i];
        run->slots[i].link.on_message = on_message;
        run->slots[i].link.on_gone = on_gone;
    }
    uv_signal_init(&run->loop, &run->interrupt);
    uv_signal_init(&run->loop, &run->terminate);
    uv_timer_init(&run->loop, &run->deadline);
    uv_timer_init(&run->loop, &run->sync);
    run->interrupt.data = run->terminate.data = run->deadline.data = run->sync.data = run;
    uv_signal_start(&run->interrupt, on_interrupt, SIGINT);
    uv_signal_start(&run->terminate, on_interrupt, SIGTERM);
    uv_timer_start(&run->sync, on_sync, SYNC_MS, SYNC_MS);
    if (run->input->options.run_ms > 0)
        uv_timer_start(&run->deadline, on_run_deadline,
                       (uint64_t)hn_scaled_ms(run->input, run->input->options.run_ms), 0);
    return HN_OK;
}

/* ---- ending ---- */

/* Every check was skipped or blocked, also those that others build on: a target of which nothing
 * was seen, like a library that loads and registers nothing, must not look like a good one. */
static int shows_nothing(const struct supervisor *run)
{
    for (size_t i = 0; i < run->input->task_count; i++) {
        const struct hn_verdict_row *row = &hn_verdict_table[run->summary->verdicts[i]];
        if (row->good || row->fails)
            return 0;
    }
    return 1;
}

/* Must before should before may: only levels the user asked about decide the exit status. */
static int exit_status(const struct supervisor *run)
{
    if (shows_nothing(run))
        return HN_EXIT_UNDECIDED;
    const enum hn_level limit = run->input->options.fail_on_should ? HN_SHOULD : HN_MUST;
    int status = run->summary->complete ? HN_EXIT_OK : HN_EXIT_UNDECIDED;
    for (size_t i = 0; i < run->input->task_count; i++) {
        const struct hn_task *task = &run->input->tasks[i];
        const int one = hn_verdict_table[run->summary->verdicts[i]].exit_status;
        if (task->support || task->level > limit)
            continue;
        if (one == HN_EXIT_FAILED)
            return one;
        status = one == HN_EXIT_OK ? status : one;
    }
    return status;
}

static int close_run(struct supervisor *run)
{
    struct hn_run_summary *summary = run->summary;
    summary->complete = is_over(run);
    if (summary->complete)
        summary->why[0] = '\0';
    for (size_t i = 0; i < run->input->task_count; i++)
        if (summary->verdicts[i] == HN_NOTRUN && !run->input->tasks[i].support)
            summary->totals[HN_NOTRUN]++;
    summary->exit_status = exit_status(run);
    hn_progress_finish(&run->progress);
    if (run->status != HN_OK)
        return run->status;
    return hn_record_finish(&run->journal, summary->complete, summary->why, summary->totals,
                            run->error);
}

int hn_run(const struct hn_run_input *input, struct hn_run_summary *summary, struct hn_error *error)
{
    struct supervisor run = {
        .input = input,
        .summary = summary,
        .error = error,
        .mode = input->target.mode,
        .slot_count = (size_t)(input->options.hosts > 0 ? input->options.hosts : 1),
        .journal = {.file = -1},
    };
    *summary = (struct hn_run_summary){0};
    summary->verdicts = malloc(input->task_count + 1);
    if (!summary->verdicts)
        return hn_error_nomem(error);
    memset(summary->verdicts, HN_NOTRUN, input->task_count + 1);
    hn_descendants_adopt();
    int status = open_run(&run);
    if (status == HN_OK)
        status = open_loop(&run);
    if (status == HN_OK) {
        if (input->options.stillborn)
            stop(&run, input->options.stillborn);
        else
            give_work(&run);
        uv_run(&run.loop, UV_RUN_DEFAULT);
        uv_loop_close(&run.loop);
        status = close_run(&run);
    }
    hn_journal_close(&run.journal);
    hn_schedule_finish(&run.schedule);
    free(run.slots);
    free(run.answers);
    return status;
}

void hn_run_summary_finish(struct hn_run_summary *summary)
{
    free(summary->verdicts);
    *summary = (struct hn_run_summary){0};
}
