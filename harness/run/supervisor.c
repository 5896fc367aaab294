/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The main loop of a run: opens the folder, starts hosts, hands out jobs, receives results, writes
 * the journal, and stops. Called by session/session.c and calibrate.c. Each step has a file of its
 * own; supervisor_state.h lists them.
 */
#include "supervisor.h"

#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "descendants.h"
#include "isolation.h"
#include "patient_memory.h"
#include "supervisor_state.h"

#define CANCEL_PATIENCE_MS 8000 /* time to end the running jobs and the processes they left */
#define SECOND_MS 1000

/* ---- stopping ---- */

static int is_over(const struct hn_supervisor *run)
{
    return run->schedule.done == run->input->task_count;
}

static void close_shared_handles(struct hn_supervisor *run)
{
    uv_handle_t *const handles[] = {(uv_handle_t *)&run->interrupt, (uv_handle_t *)&run->terminate,
                                    (uv_handle_t *)&run->hang_up, (uv_handle_t *)&run->deadline,
                                    (uv_handle_t *)&run->second};
    for (size_t i = 0; i < sizeof handles / sizeof *handles; i++)
        if (!uv_is_closing(handles[i]))
            uv_close(handles[i], NULL);
}

/* Returns 1 if a starting host may be killed. Such a host reads no message, and has nothing to
 * clean up. A host that loads a target may hold locks of the target, so it is killed only if the
 * user interrupted the run. */
static int may_be_killed(const struct hn_slot *slot)
{
    return slot->phase == SLOT_STARTING &&
           (slot->run->interrupts || !hn_isolation_of(slot->mode)->loads_target);
}

/* Closes the links of idle hosts. The loop ends when the last host is gone. */
static void wind_up(struct hn_supervisor *run)
{
    int left = 0;
    for (size_t i = 0; i < run->slot_count; i++) {
        struct hn_slot *slot = &run->slots[i];
        const int kill = may_be_killed(slot);
        if (slot->phase == SLOT_IDLE || slot->phase == SLOT_STARTING) {
            slot->phase = SLOT_LEAVING;
            hn_link_hang_up(&slot->link);
        }
        if (kill)
            hn_link_kill(&slot->link);
        left += slot->phase != SLOT_EMPTY;
    }
    if (left == 0)
        close_shared_handles(run);
}

/* Starts nothing new and ends the running jobs. `why` is a sentence for people. */
static void stop(struct hn_supervisor *run, const char *why)
{
    const struct hn_wire cancel = {.type = HN_WIRE_CANCEL};
    if (!run->stopping && why != run->summary->why)
        snprintf(run->summary->why, sizeof run->summary->why, "%s", why);
    run->stopping = 1;
    for (size_t i = 0; i < run->slot_count; i++)
        if (run->slots[i].phase == SLOT_BUSY) {
            hn_link_send(&run->slots[i].link, &cancel);
            hn_link_expect(&run->slots[i].link, CANCEL_PATIENCE_MS);
        }
    wind_up(run);
}

/* Called if the run itself cannot continue, for example on a full disk or without memory. */
static void break_off(struct hn_supervisor *run, int status)
{
    if (run->status == HN_OK)
        run->status = status;
    stop(run, run->error->text);
}

static void on_interrupt(uv_signal_t *handle, int number)
{
    struct hn_supervisor *run = handle->data;
    run->summary->interrupted = number;
    if (++run->interrupts == 1) {
        hn_progress_say(&run->progress,
                        "stopping: running jobs are being ended; --resume continues from here");
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

/* Returns the name of the job for the progress line. */
static const char *under_way(const struct hn_supervisor *run)
{
    const char *what = "";
    for (size_t i = 0; i < run->slot_count; i++) {
        const struct hn_slot *slot = &run->slots[i];
        if (slot->phase == SLOT_BUSY && slot->at < slot->count)
            return slot->orders[slot->at].task->check->id;
        if (slot->phase == SLOT_STARTING)
            what = "starting a host";
    }
    return what;
}

static void on_second(uv_timer_t *timer)
{
    struct hn_supervisor *run = timer->data;
    hn_journal_sync(&run->journal);
    hn_progress_tick(&run->progress, under_way(run));
}

/* ---- continuing ---- */

static void follow(struct hn_supervisor *run, int next);

/* Checks that wait for each other in a cycle are a bug of the harness; the run must not hang
 * because of it. */
static int is_stuck(const struct hn_supervisor *run)
{
    int starting = 0;
    for (size_t i = 0; i < run->slot_count; i++)
        starting |= run->slots[i].phase == SLOT_STARTING || run->slots[i].phase == SLOT_LEAVING;
    return run->schedule.running == 0 && !starting;
}

/* Decides tasks, gives jobs to hosts, and ends the run when nothing is left. */
static void go_on(struct hn_supervisor *run)
{
    int next;
    while ((next = hn_judge_settle(run)) != HN_NEXT_NOTHING)
        follow(run, next);
    for (size_t i = 0; i < run->slot_count && !run->stopping; i++)
        follow(run, hn_dispatch_serve(&run->slots[i]));
    if (!run->stopping && !is_over(run) && is_stuck(run))
        stop(run, "the remaining checks wait for each other in a cycle");
    if (run->stopping || is_over(run))
        wind_up(run);
}

static void follow(struct hn_supervisor *run, int next)
{
    if (next < 0)
        break_off(run, next);
    else if (next == HN_NEXT_STOP)
        stop(run, run->why_stop);
    else if (next == HN_NEXT_GO_ON)
        go_on(run);
}

static void on_message(struct hn_link *link, const struct hn_wire *message)
{
    struct hn_slot *slot = link->owner;
    follow(slot->run, hn_hear_message(slot, message));
}

static void on_gone(struct hn_link *link)
{
    struct hn_slot *slot = link->owner;
    follow(slot->run, hn_hear_host_end(slot));
}

/* ---- beginning and ending ---- */

static int open_loop(struct hn_supervisor *run)
{
    run->slots = calloc(run->slot_count, sizeof *run->slots);
    if (!run->slots)
        return hn_error_nomem(run->error);
    uv_replace_allocator(hn_patient_malloc, hn_patient_realloc, hn_patient_calloc, free);
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
    uv_signal_init(&run->loop, &run->hang_up);
    uv_timer_init(&run->loop, &run->deadline);
    uv_timer_init(&run->loop, &run->second);
    run->interrupt.data = run->terminate.data = run->hang_up.data = run;
    run->deadline.data = run->second.data = run;
    uv_signal_start(&run->interrupt, on_interrupt, SIGINT);
    uv_signal_start(&run->terminate, on_interrupt, SIGTERM);
    uv_signal_start(&run->hang_up, on_interrupt, SIGHUP);
    uv_timer_start(&run->second, on_second, SECOND_MS, SECOND_MS);
    if (run->input->options.run_ms > 0)
        uv_timer_start(&run->deadline, on_run_deadline,
                       (uint64_t)hn_scaled_ms(run->input, run->input->options.run_ms), 0);
    return HN_OK;
}

/* Ignores SIGPIPE: if a message is sent to a dead host, the link reports it as an event. */
static void survive_dead_pipes(void)
{
    const struct sigaction ignore = {.sa_handler = SIG_IGN};
    sigaction(SIGPIPE, &ignore, NULL);
}

int hn_run(const struct hn_run_input *input, struct hn_run_summary *summary, struct hn_error *error)
{
    struct hn_supervisor run = {
        .input = input,
        .summary = summary,
        .error = error,
        .mode = input->target.mode,
        .slot_count = (size_t)(input->options.hosts > 0 ? input->options.hosts : 1),
        .journal = {.file = -1},
    };
    *summary = (struct hn_run_summary){0};
    summary->verdicts = malloc(input->task_count + 1);
    summary->took_us = calloc(input->task_count + 1, sizeof *summary->took_us);
    if (!summary->verdicts || !summary->took_us)
        return hn_error_nomem(error);
    memset(summary->verdicts, HN_NOTRUN, input->task_count + 1);
    hn_descendants_adopt();
    survive_dead_pipes();
    int status = hn_run_open(&run);
    if (status == HN_OK)
        status = open_loop(&run);
    if (status == HN_OK) {
        if (input->options.cannot_run)
            stop(&run, input->options.cannot_run);
        else
            go_on(&run);
        uv_run(&run.loop, UV_RUN_DEFAULT);
        uv_loop_close(&run.loop);
        status = hn_run_close(&run);
    }
    hn_journal_close(&run.journal);
    hn_schedule_finish(&run.schedule);
    free(run.slots);
    return status;
}

void hn_run_summary_finish(struct hn_run_summary *summary)
{
    free(summary->verdicts);
    free(summary->took_us);
    *summary = (struct hn_run_summary){0};
}
