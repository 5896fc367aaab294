/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See own_gate.h. Measured times only determine the amount of work; they decide no verdict.
 */
#include "own_gate.h"

#include "assay/target.h"
#include "event_chain.h"
#include "long_work.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { GATES = 2 };

static const int64_t held_ms =
    1000; /* on an idle machine, the calls of a check behind the gate take milliseconds */
static const int64_t slowest = 5;   /* upper limit of the measured slowness */
static const int64_t trial_ms = 10; /* processor time used to measure how busy the machine is */
static const int64_t more = 4;
static const int64_t share = 8; /* at most 1/share of the time for one piece of work */
static const int64_t left = 3;  /* at least 1/left of the time for the rest of the check */
/* upper limit, in case no chain of events takes long enough */
static const int64_t most_links = 1 << 16;

struct assay_own_gate {
    struct assay_line at;
    struct bridge_stream stream;
    struct bridge_tensor *flag; /* filled at the end of the long work */
    struct bridge_tensor *mark; /* filled by the stream's own work after the gate */
    void *event;
    struct assay_chain_piece piece; /* the long work, if it consists of events */
    int is_there;
    atomic_int closed; /* closed by the check and not yet opened by it */
};

/* State of one check. A process may run several checks, and an abandoned check leaves its state
 * behind. */
static struct {
    const struct assay_check *check;
    char id[128];
    int64_t enough_ms;
    int of_events;    /* events hold the gate, because no other work continued */
    char reason[400]; /* why no gate was found that holds the stream */
    struct assay_long_work work;
    struct assay_event_chain chain;
    struct assay_own_gate gates[GATES];
    int used;
    atomic_int late;
} own;

static const char let_go[] =
    "no adapter offers a gate, and the work that held the stream ended too early";
static const char took_too_long[] =
    "no adapter offers a gate, and the work that held the stream ended too late";

static int is_of(const struct assay_check *check)
{
    return own.check == check && strcmp(own.id, check->id) == 0;
}

static int64_t read_ms(clockid_t clock)
{
    struct timespec now;
    clock_gettime(clock, &now);
    return now.tv_sec * INT64_C(1000) + now.tv_nsec / 1000000;
}

static int64_t now_ms(void)
{
    return read_ms(CLOCK_MONOTONIC);
}

/* Returns how many times longer this thread takes than on an idle machine. */
static int64_t slowness(void)
{
    const int64_t begun = now_ms(), spent = read_ms(CLOCK_THREAD_CPUTIME_ID);
    while (read_ms(CLOCK_THREAD_CPUTIME_ID) < spent + trial_ms)
        ;
    const int64_t times = 1 + (now_ms() - begun - 1) / trial_ms;
    return times < slowest ? times : slowest;
}

static int64_t time_left(struct assay_line at)
{
    return at.check->host->milliseconds_left(at.check);
}

static void give_up(struct assay_line at, const char *reason)
{
    assay_give_up(at, ASSAY_FINDING_UNOBSERVABLE, ASSAY_GATE, reason);
}

/* Every call here is only a means, so any refusal ends the check. Other checks test these calls. */
static void need(struct assay_line at, int32_t status)
{
    char reason[256];
    const char *const text = bridge_error_text();
    if (status == ASSAY_OK)
        return;
    snprintf(reason, sizeof reason, "no adapter offers a gate, and none can be made: %.*s",
             (int)strcspn(text, "\n"), text);
    give_up(at, reason);
}

/* ---- closing */

/* Called while the streams are idle, because copies from the host may wait for pending work. */
static void prepare(struct assay_own_gate *gate)
{
    if (own.of_events || gate->flag)
        return;
    need(gate->at, assay_long_work_flag(&own.work, gate->stream, &gate->mark));
    need(gate->at, assay_long_work_flag(&own.work, own.work.worker, &gate->flag));
}

static void put_behind_long_work(struct assay_own_gate *gate)
{
    prepare(gate);
    need(gate->at, assay_long_work_give(&own.work, gate->flag));
    need(gate->at, bridge_event_record(&gate->event, own.work.worker, -1, BRIDGE_EVENT_DEFAULT));
    need(gate->at, bridge_event_block(gate->event, gate->stream));
    need(gate->at, assay_long_work_fill(&own.work, gate->stream, gate->mark));
}

static void put_behind_events(struct assay_own_gate *gate)
{
    need(gate->at, assay_event_chain_give(&own.chain, &gate->piece));
    need(gate->at, bridge_event_block(assay_chain_piece_end(&gate->piece), gate->stream));
}

static void put_behind_work(struct assay_own_gate *gate)
{
    gate->is_there = 1;
    if (own.of_events)
        put_behind_events(gate);
    else
        put_behind_long_work(gate);
}

int assay_own_gate_is_closed(struct assay_own_gate *gate)
{
    return own.of_events ? assay_chain_piece_goes_on(&gate->piece)
                         : !assay_long_work_filled(&own.work, gate->flag);
}

static void wait_for_work(struct assay_own_gate *gate)
{
    if (own.of_events)
        assay_chain_piece_wait(gate->at.check, &gate->piece);
    else
        assay_long_work_wait(gate->at.check, &own.work, gate->flag);
}

/* Waits until the stream has written the mark, whose memory is about to be freed. */
static void wait_for_mark(struct assay_own_gate *gate)
{
    if (gate->mark && gate->is_there)
        assay_long_work_wait(gate->at.check, &own.work, gate->mark);
}

static void forget(struct assay_own_gate *gate)
{
    wait_for_mark(gate);
    bridge_event_destroy(gate->event, gate->stream.device);
    bridge_tensor_free(gate->flag);
    bridge_tensor_free(gate->mark);
    assay_chain_piece_free(&gate->piece);
    gate->event = NULL;
    gate->flag = gate->mark = NULL;
    gate->is_there = 0;
}

struct seen {
    int closed, went_on;
    int is_lost; /* the mark never arrived, so a missing mark does not show that the gate holds */
    int64_t took_ms;
};

/* Makes one attempt. If the stream passed the gate while the work was running, a copy after the
 * gate has filled the mark. */
static struct seen try_long_work(struct assay_own_gate *gate)
{
    struct seen seen = {0};
    put_behind_work(gate);
    seen.went_on = assay_long_work_filled(&own.work, gate->mark);
    seen.closed = assay_own_gate_is_closed(gate);
    wait_for_work(gate);
    seen.is_lost = !assay_long_work_wait(gate->at.check, &own.work, gate->mark);
    return seen;
}

/* Like try_long_work, with an event as the mark. If the backend reported events late, an open gate
 * would look closed. To exclude this, the event must be complete right after
 * bridge_event_synchronize. */
static struct seen try_events(struct assay_own_gate *gate)
{
    void *mark = NULL;
    struct seen seen = {0};
    put_behind_work(gate);
    need(gate->at, bridge_event_record(&mark, gate->stream, -1, BRIDGE_EVENT_DEFAULT));
    seen.went_on = assay_event_says_complete(mark);
    seen.closed = assay_own_gate_is_closed(gate);
    need(gate->at, bridge_event_synchronize(mark));
    seen.went_on |= assay_own_gate_is_closed(gate) || !assay_event_says_complete(mark);
    wait_for_work(gate);
    bridge_event_destroy(mark, gate->stream.device);
    return seen;
}

/* Returns whether the stream waits while the work runs. Sets the amount of work for the gate. */
static int holds(struct assay_own_gate *gate)
{
    const int64_t limit = time_left(gate->at) / share, long_enough = held_ms * slowness();
    const int64_t wanted = long_enough < limit ? long_enough : limit;
    int64_t *const amount = own.of_events ? &own.chain.links : &own.work.parts;
    for (;;) {
        const int64_t begun = now_ms();
        const struct seen seen = own.of_events ? try_events(gate) : try_long_work(gate);
        forget(gate);
        const int64_t took_ms = now_ms() - begun + (now_ms() == begun);
        if (seen.closed || took_ms * more > limit || own.chain.links >= most_links) {
            *amount *= 1 + (wanted - 1) / took_ms;
            return seen.closed && !seen.went_on && !seen.is_lost;
        }
        *amount *= more;
    }
}

/* Returns why a finding is not conclusive at this moment, or NULL. */
static const char *doubt(struct assay_check *check)
{
    if (!is_of(check))
        return NULL;
    if (atomic_load(&own.late))
        return took_too_long;
    for (int i = 0; i < own.used; i++)
        if (atomic_load(&own.gates[i].closed) && !assay_own_gate_is_closed(&own.gates[i]))
            return let_go;
    return NULL;
}

static void begin(struct assay_line at, int32_t device, int events_will_do)
{
    memset(&own, 0, sizeof own);
    own.check = at.check;
    snprintf(own.id, sizeof own.id, "%s", at.check->id);
    own.enough_ms = time_left(at) / left;
    const char *const none = assay_long_work_find(at.check, device, &own.work);
    snprintf(own.reason, sizeof own.reason,
             none ? "no adapter offers a gate, and none can be made: %s"
                  : "no adapter offers a gate, and a stream behind an event was not seen to wait",
             none);
    own.of_events = none != NULL;
    if (none && (!events_will_do || assay_event_chain_make(device, &own.chain) != ASSAY_OK))
        give_up(at, own.reason);
}

static struct assay_own_gate *first_gate(struct assay_line at, struct bridge_stream stream,
                                         int events_will_do)
{
    begin(at, stream.device, events_will_do);
    struct assay_own_gate *const gate = &own.gates[0];
    *gate = (struct assay_own_gate){.at = at, .stream = stream};
    if (!holds(gate))
        give_up(at, own.reason);
    for (int i = 0; i < GATES; i++) {
        own.gates[i] = (struct assay_own_gate){.at = at, .stream = stream};
        prepare(&own.gates[i]);
    }
    return gate;
}

static int is_same_stream(struct bridge_stream one, struct bridge_stream other)
{
    return one.device == other.device && one.id == other.id;
}

static struct assay_own_gate *next_gate(struct assay_line at, struct bridge_stream stream)
{
    if (own.used == GATES || !is_same_stream(stream, own.gates[0].stream))
        give_up(
            at,
            "no adapter offers a gate, and the gate of the check holds only one stream at a time");
    return &own.gates[own.used];
}

struct assay_own_gate *assay_own_gate_close(struct assay_line at, struct bridge_stream stream,
                                            int events_will_do)
{
    const int is_first = !is_of(at.check) || !own.used;
    struct assay_own_gate *const gate =
        is_first ? first_gate(at, stream, events_will_do) : next_gate(at, stream);
    put_behind_work(gate);
    atomic_store(&gate->closed, 1);
    own.used++;
    assay_doubt_failures(doubt);
    at.check->host->note(at.check, "the stream was held",
                         own.of_events ? "by a long chain of events"
                                       : "by an event behind long work");
    return gate;
}

/* ---- opening */

void assay_own_gate_open(struct assay_own_gate *gate)
{
    if (!atomic_exchange(&gate->closed, 0))
        return;
    if (!assay_own_gate_is_closed(gate))
        assay_say_unobservable(gate->at, ASSAY_GATE, let_go);
    wait_for_work(gate);
    if (time_left(gate->at) < own.enough_ms) {
        assay_say_unobservable(gate->at, ASSAY_GATE, took_too_long);
        atomic_store(&own.late, 1);
    }
}

static int is_any_left(void)
{
    for (int i = 0; i < own.used; i++)
        if (own.gates[i].is_there)
            return 1;
    return 0;
}

void assay_own_gate_finish(struct assay_own_gate *gate)
{
    assay_own_gate_open(gate);
    forget(gate);
    if (is_any_left())
        return;
    for (int i = own.used; i < GATES; i++)
        forget(&own.gates[i]);
    assay_long_work_free(&own.work);
    own.used = 0;
}
