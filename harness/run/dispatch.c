/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Starts hosts and hands out jobs. Called by supervisor.c after every change of state.
 */
#include <string.h>

#include "clock.h"
#include "file.h"
#include "isolation.h"
#include "job_folder.h"
#include "second_look.h"
#include "supervisor_state.h"

#define START_PATIENCE_MS 120000 /* time for importing torch from a cold disk */
/* time to fork a large process, and for the imports before the fork */
#define BEGIN_PATIENCE_MS 20000
#define USUAL_START_US 1500000 /* used until a start was measured */
#define USUAL_JOB_US 30000

int64_t hn_dispatch_patience_ms(const struct hn_slot *slot)
{
    const struct hn_supervisor *run = slot->run;
    const struct hn_run_target *target = &run->input->target;
    const int64_t own = hn_task_limit_ms(slot->orders[slot->at].task, target);
    const int64_t check = (own > target->check_ms ? own : target->check_ms) *
                          (slot->orders[slot->at].late ? HN_LATE_TIMES : 1);
    /* Includes the time of the check, the exit handlers, and the extension for a compiler. */
    return hn_scaled_ms(run->input, target->load_ms + (2 + HN_MORE_TIMES) * check) +
           run->input->options.silence_ms + 3 * run->input->options.grace_ms;
}

static int start_host(struct hn_slot *slot, int python)
{
    struct hn_supervisor *run = slot->run;
    char log[HN_PATH_SIZE];
    struct hn_wire setup = {0};
    const struct hn_programs *programs = &run->input->programs;
    int status = hn_path_join(log, sizeof log, run->input->options.folder, "host.log", run->error);
    const struct hn_link_start start = {
        .program = python ? programs->python : programs->native,
        .environment = run->input->target.environment,
        .environment_count = run->input->target.environment_count,
        .log = log,
        .foreground = run->input->options.foreground,
    };
    if (status == HN_OK && !start.program)
        status = hn_error_set(run->error, HN_EINPUT,
                              "there is no Python interpreter to run the Python checks");
    if (status == HN_OK)
        status = hn_link_start(&slot->link, &run->loop, &start, run->error);
    if (status != HN_OK)
        return status;
    slot->phase = SLOT_STARTING;
    slot->loading = 0;
    slot->python = python;
    slot->mode = run->mode;
    slot->started_ns = hn_clock_now_ns();
    hn_message_setup(&setup, run->input, run->mode, (size_t)(slot - run->slots));
    hn_link_send(&slot->link, &setup);
    hn_wire_finish(&setup);
    hn_link_expect(&slot->link,
                   START_PATIENCE_MS + hn_scaled_ms(run->input, run->input->target.load_ms));
    return HN_OK;
}

static int prepare_order(struct hn_slot *slot, size_t index)
{
    struct hn_supervisor *run = slot->run;
    struct hn_job_order *order = &slot->orders[index];
    const size_t task = slot->tasks[index];
    char name[300];
    order->task = &run->input->tasks[task];
    order->look = hn_second_look_setting(&run->schedule.states[task]);
    order->late = run->schedule.states[task].late;
    order->seed = hn_job_seed(run->input->options.seed, order->task->check->id);
    hn_job_folder_name(order->task->check->id, order->task->armed,
                       run->schedule.states[task].attempts + 1, name, sizeof name);
    if (hn_nonce_make(order->nonce) != 0)
        return hn_error_errno(run->error, "no random numbers");
    int status = hn_path_join(order->folder, sizeof order->folder, run->input->options.folder, name,
                              run->error);
    if (status == HN_OK)
        status = hn_job_folder_make(order->folder, run->error);
    return status;
}

int hn_dispatch_begin(struct hn_slot *slot)
{
    struct hn_supervisor *run = slot->run;
    struct hn_task_state *state = &run->schedule.states[slot->tasks[slot->at]];
    const struct hn_task *task = slot->orders[slot->at].task;
    const struct hn_record record = {.event = HN_EVENT_START,
                                     .start = {task->check->id, task->armed, ++state->attempts}};
    return hn_journal_write(&run->journal, &record, run->error);
}

static int send_jobs(struct hn_slot *slot)
{
    struct hn_supervisor *run = slot->run;
    struct hn_wire message = {0};
    int status = HN_OK;
    for (size_t i = 0; status == HN_OK && i < slot->count; i++)
        status = prepare_order(slot, i);
    slot->at = 0;
    if (status == HN_OK)
        status = hn_dispatch_begin(slot);
    if (status != HN_OK) {
        hn_judge_take_back(slot, 0);
        return status;
    }
    slot->phase = SLOT_BUSY;
    slot->begun = 0;
    hn_message_run(&message, run->input, slot->orders, slot->count);
    hn_link_send(&slot->link, &message);
    hn_wire_finish(&message);
    hn_link_expect(&slot->link,
                   hn_scaled_ms(run->input, BEGIN_PATIENCE_MS) + run->input->options.silence_ms);
    return HN_OK;
}

static size_t take(struct hn_slot *slot, int python)
{
    const int batch = hn_isolation_of(slot->run->mode)->shares_process;
    slot->count = hn_schedule_take(&slot->run->schedule, python, batch, HN_BATCH_ROOM, slot->tasks);
    return slot->count;
}

static size_t count_hosts(const struct hn_supervisor *run, int python)
{
    size_t count = 0;
    for (size_t i = 0; i < run->slot_count; i++)
        count += run->slots[i].phase != SLOT_EMPTY && run->slots[i].phase != SLOT_LEAVING &&
                 run->slots[i].python == python;
    return count;
}

/* Starting a host costs as much time as dozens of quick checks, so another host of a kind is
 * started only if more work than that is waiting. */
static int is_worth_a_host(const struct hn_supervisor *run, int python)
{
    const size_t hosts = count_hosts(run, python);
    const int64_t one = run->jobs_ended ? run->jobs_us / (int64_t)run->jobs_ended : USUAL_JOB_US;
    const int64_t start = run->start_us ? run->start_us : USUAL_START_US;
    const int64_t waiting = (int64_t)hn_schedule_waiting(&run->schedule, python);
    return hosts == 0 || one * waiting / (int64_t)(hosts + 1) > start;
}

/* Returns the kind of host that should be started; -1: none. */
static int wanted_kind(struct hn_supervisor *run)
{
    size_t task;
    for (int python = 0; python <= 1; python++)
        if (hn_schedule_peek(&run->schedule, python, &task) && is_worth_a_host(run, python))
            return python;
    return -1;
}

int hn_dispatch_serve(struct hn_slot *slot)
{
    struct hn_supervisor *run = slot->run;
    if (slot->phase == SLOT_IDLE && take(slot, slot->python) > 0)
        return send_jobs(slot);
    if (slot->phase != SLOT_IDLE && slot->phase != SLOT_EMPTY)
        return HN_OK;
    const int kind = wanted_kind(run);
    if (kind < 0)
        return HN_OK;
    if (slot->phase == SLOT_EMPTY)
        return start_host(slot, kind);
    if (kind != slot->python) {
        /* this host ends, and the slot starts a host of the other kind */
        slot->phase = SLOT_LEAVING;
        hn_link_hang_up(&slot->link);
    }
    return HN_OK;
}
