/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What hosts say, and what their end means. Callbacks of the links; everything they lead to is in
 * judge.c and supervisor.c.
 */
#include <stdio.h>

#include "descendants.h"
#include "supervisor_state.h"

static void hear_ready(struct hn_slot *slot, const struct hn_wire *message)
{
    struct hn_supervisor *run = slot->run;
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
        hn_failed_start_told(slot, failed, hn_wire_text(message, "problem"));
        slot->phase = SLOT_LEAVING;
        hn_link_hang_up(&slot->link);
        return;
    }
    run->failed_starts = 0;
    slot->phase = SLOT_IDLE;
    hn_link_expect(&slot->link, 0);
    hn_supervisor_go_on(run);
}

/* The first start of a process was written down before it was sent. */
static void hear_started(struct hn_slot *slot, const struct hn_wire *message)
{
    struct hn_supervisor *run = slot->run;
    (void)message;
    hn_link_expect(&slot->link, hn_dispatch_patience_ms(slot));
    if (slot->at == 0)
        return;
    hn_supervisor_break_off(run, hn_dispatch_begin(slot));
}

static void hear_finished(struct hn_slot *slot, const struct hn_wire *message)
{
    struct hn_ending ending;
    if (slot->phase != SLOT_BUSY || slot->at >= slot->count)
        return;
    hn_message_ending(message, &ending);
    hn_judge_job(slot, slot->at++, &ending);
    if (!ending.goes_on)
        hn_judge_take_back(slot, slot->at);
}

static void hear_idle(struct hn_slot *slot, const struct hn_wire *message)
{
    (void)message;
    if (slot->phase != SLOT_BUSY)
        return;
    slot->phase = SLOT_IDLE;
    hn_link_expect(&slot->link, 0);
    hn_supervisor_go_on(slot->run);
}

void hn_hear_message(struct hn_link *link, const struct hn_wire *message)
{
    static void (*const handlers[])(struct hn_slot *slot, const struct hn_wire *message) = {
        [HN_WIRE_READY] = hear_ready,
        [HN_WIRE_STARTED] = hear_started,
        [HN_WIRE_FINISHED] = hear_finished,
        [HN_WIRE_IDLE] = hear_idle,
    };
    if (message->type < sizeof handlers / sizeof *handlers && handlers[message->type])
        handlers[message->type](link->owner, message);
}

/* Whatever the dead host's jobs left now hangs on us. */
static void end_strays(struct hn_supervisor *run)
{
    pid_t spared[64];
    size_t count = 0;
    for (size_t i = 0; i < run->slot_count && count < sizeof spared / sizeof *spared; i++)
        if (run->slots[i].link.running)
            spared[count++] = (pid_t)run->slots[i].link.process.pid;
    hn_descendants_end(spared, count);
}

void hn_hear_gone(struct hn_link *link)
{
    const struct hn_ending lost = {.host_lost = 1, .host_silent = link->silenced};
    struct hn_slot *slot = link->owner;
    struct hn_supervisor *run = slot->run;
    const enum hn_slot_phase phase = slot->phase;
    end_strays(run);
    slot->phase = SLOT_EMPTY;
    if (phase == SLOT_STARTING && !run->stopping)
        hn_failed_start_seen(slot);
    if (phase == SLOT_BUSY && slot->at < slot->count) {
        hn_judge_job(slot, slot->at,
                     run->interrupts ? &(struct hn_ending){.cause = "cancel"} : &lost);
        hn_judge_take_back(slot, slot->at + 1);
    }
    hn_failed_start_follow(run);
    hn_supervisor_go_on(run);
}
