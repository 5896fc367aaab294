/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Handles the messages of hosts, and the end of a host. Called by supervisor.c.
 */
#include <stdio.h>

#include "clock.h"
#include "descendants.h"
#include "supervisor_state.h"

/* Starts the deadline for loading the target. The import of torch, which comes before, has its own
 * deadline. */
static int hear_loading(struct hn_slot *slot, const struct hn_wire *message)
{
    const struct hn_run_input *input = slot->run->input;
    (void)message;
    if (slot->phase != SLOT_STARTING)
        return HN_NEXT_NOTHING;
    slot->loading = 1;
    hn_link_expect(&slot->link, hn_scaled_ms(input, input->target.load_ms));
    return HN_NEXT_NOTHING;
}

static int hear_ready(struct hn_slot *slot, const struct hn_wire *message)
{
    struct hn_supervisor *run = slot->run;
    const char *failed = hn_wire_text(message, "failed");
    const char *device_file = hn_wire_text(message, "device-file");
    const int threads = (int)hn_wire_number(message, "threads", 1);
    if (slot->phase != SLOT_STARTING)
        return HN_NEXT_NOTHING;
    if (threads > run->summary->most_threads)
        run->summary->most_threads = threads;
    if (device_file)
        snprintf(run->summary->device_file, sizeof run->summary->device_file, "%s", device_file);
    if (failed) {
        hn_failed_start_told(slot, failed, hn_wire_text(message, "problem"));
        slot->phase = SLOT_LEAVING;
        hn_link_hang_up(&slot->link);
        return HN_NEXT_NOTHING;
    }
    if (run->input->options.only_forkable && (threads != 1 || device_file)) {
        run->why_stop = "the host cannot safely be forked";
        return HN_NEXT_STOP;
    }
    run->failed_starts = 0;
    run->start_us = (hn_clock_now_ns() - slot->started_ns) / 1000;
    run->refused_ms = 0;
    slot->phase = SLOT_IDLE;
    hn_link_expect(&slot->link, 0);
    return HN_NEXT_GO_ON;
}

/* The journal already has the start of the first job, which was written before it was sent. */
static int hear_started(struct hn_slot *slot, const struct hn_wire *message)
{
    (void)message;
    slot->begun = 1;
    if (!slot->run->stopping)
        hn_link_expect(&slot->link, hn_dispatch_patience_ms(slot));
    return slot->at == 0 ? HN_NEXT_NOTHING : hn_dispatch_begin(slot);
}

static int hear_finished(struct hn_slot *slot, const struct hn_wire *message)
{
    struct hn_ending ending;
    struct hn_supervisor *run = slot->run;
    if (slot->phase != SLOT_BUSY || slot->at >= slot->count)
        return HN_NEXT_NOTHING;
    hn_message_ending(message, &ending);
    run->jobs_ended++;
    run->jobs_us += ending.duration_us;
    const int next = hn_judge_job(slot, slot->at++, &ending);
    if (!ending.goes_on)
        hn_judge_take_back(slot, slot->at);
    return next;
}

static int hear_idle(struct hn_slot *slot, const struct hn_wire *message)
{
    (void)message;
    if (slot->phase != SLOT_BUSY)
        return HN_NEXT_NOTHING;
    slot->phase = SLOT_IDLE;
    hn_link_expect(&slot->link, 0);
    return HN_NEXT_GO_ON;
}

int hn_hear_message(struct hn_slot *slot, const struct hn_wire *message)
{
    static int (*const handlers[])(struct hn_slot *slot, const struct hn_wire *message) = {
        [HN_WIRE_LOADING] = hear_loading, [HN_WIRE_READY] = hear_ready,
        [HN_WIRE_STARTED] = hear_started, [HN_WIRE_FINISHED] = hear_finished,
        [HN_WIRE_IDLE] = hear_idle,
    };
    if (message->type < sizeof handlers / sizeof *handlers && handlers[message->type])
        return handlers[message->type](slot, message);
    return HN_NEXT_NOTHING;
}

/* Ends the processes that jobs of the dead host left, which are now children of this process. */
static void end_strays(struct hn_supervisor *run)
{
    pid_t spared[64];
    size_t count = 0;
    for (size_t i = 0; i < run->slot_count && count < sizeof spared / sizeof *spared; i++)
        if (run->slots[i].link.running)
            spared[count++] = (pid_t)run->slots[i].link.process.pid;
    hn_descendants_end(spared, count);
}

int hn_hear_host_end(struct hn_slot *slot)
{
    const struct hn_link *link = &slot->link;
    const int poor = link->poor || (!link->signal && link->status == HN_HOST_POOR);
    const struct hn_ending lost = {
        .host_lost = 1, .host_poor = poor, .host_silent = link->silenced};
    struct hn_supervisor *run = slot->run;
    const enum hn_slot_phase phase = slot->phase;
    int next = HN_NEXT_GO_ON;
    end_strays(run);
    slot->phase = SLOT_EMPTY;
    if (slot->link.refused)
        return hn_failed_start_refused(slot);
    if (phase == SLOT_STARTING && !run->stopping)
        hn_failed_start_seen(slot);
    if (phase == SLOT_BUSY && slot->at < slot->count) {
        const int decides_nothing = run->interrupts || hn_failed_start_deaf(slot);
        next = hn_next_of_both(
            next, hn_judge_job(slot, slot->at,
                               decides_nothing ? &(struct hn_ending){.cause = "cancel"} : &lost));
        hn_judge_take_back(slot, slot->at + 1);
    }
    return hn_next_of_both(next, hn_failed_start_follow(run));
}
