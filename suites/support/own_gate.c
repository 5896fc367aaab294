/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See own_gate.h. Nothing is decided by time: time only says how much work there has to be.
 */
#include "own_gate.h"

#include "assay/target.h"
#include "long_work.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { GATES = 2 };

static const int64_t held_ms =
    1000; /* what is asked meanwhile takes milliseconds, on an idle machine */
static const int64_t trial_ms = 10; /* of this processor's time, to see how busy the machine is */
static const int64_t more = 4;
static const int64_t share = 8; /* of the check's time, for one piece of work */
static const int64_t left = 3;  /* this part of it is needed afterwards */

struct assay_own_gate {
    struct assay_line at;
    struct bridge_stream stream;
    struct bridge_tensor *flag;
    void *event;
    atomic_int closed; /* by the check, which has not opened it yet */
};

/* Of one check. A process may go through several, and an abandoned one leaves all as it was. */
static struct {
    const struct assay_check *check;
    char id[128];
    int64_t enough_ms;
    struct assay_long_work work;
    struct assay_own_gate gates[GATES];
    int used;
    atomic_int late;
} own;

static const char let_go[] =
    "no adapter offers a gate, and the work that held the stream was done too early";
static const char took_too_long[] =
    "no adapter offers a gate, and the work that held the stream took too long";

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

/* How many times as long as alone this thread takes here for what it does. */
static int64_t slowness(void)
{
    const int64_t begun = now_ms(), spent = read_ms(CLOCK_THREAD_CPUTIME_ID);

    while (read_ms(CLOCK_THREAD_CPUTIME_ID) < spent + trial_ms)
        ;
    return 1 + (now_ms() - begun - 1) / trial_ms;
}

static int64_t time_left(struct assay_line at)
{
    return at.check->host->milliseconds_left(at.check);
}

static void give_up(struct assay_line at, const char *reason)
{
    assay_give_up(at, ASSAY_FINDING_UNOBSERVABLE, ASSAY_GATE, reason);
}

/* Means are all that is used here, whatever they raised: each has checks of its own. */
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

static void put_behind_work(struct assay_own_gate *gate)
{
    need(gate->at, assay_long_work_flag(&own.work, own.work.worker, &gate->flag));
    need(gate->at, assay_long_work_give(&own.work, gate->flag));
    need(gate->at, bridge_event_record(&gate->event, own.work.worker, -1, BRIDGE_EVENT_DEFAULT));
    need(gate->at, bridge_event_block(gate->event, gate->stream));
}

static void forget(struct assay_own_gate *gate)
{
    bridge_event_destroy(gate->event, gate->stream.device);
    bridge_tensor_free(gate->flag);
    gate->event = NULL;
    gate->flag = NULL;
}

struct seen {
    int closed, went_on;
    int64_t took_ms;
};

/* One try: did a mark on the stream, behind the gate, come while the work went on? */
static struct seen try_it(struct assay_own_gate *gate)
{
    struct bridge_tensor *mark = NULL;
    struct seen seen = {0};
    const int64_t begun = now_ms();

    need(gate->at, assay_long_work_flag(&own.work, gate->stream, &mark));
    put_behind_work(gate);
    need(gate->at, assay_long_work_fill(&own.work, gate->stream, mark));
    seen.went_on = assay_long_work_filled(&own.work, mark);
    seen.closed = !assay_long_work_filled(&own.work, gate->flag);
    assay_long_work_wait(gate->at.check, &own.work, gate->flag);
    assay_long_work_wait(gate->at.check, &own.work, mark);
    bridge_tensor_free(mark);
    forget(gate);
    seen.took_ms = now_ms() - begun;
    seen.took_ms += seen.took_ms == 0;
    return seen;
}

/* Whether the stream is seen not to go on while the work does; with enough work from then on. */
static int holds(struct assay_own_gate *gate)
{
    const int64_t limit = time_left(gate->at) / share, long_enough = held_ms * slowness();
    const int64_t wanted = long_enough < limit ? long_enough : limit;

    for (;;) {
        const struct seen seen = try_it(gate);
        if (seen.closed || seen.took_ms * more > limit) {
            own.work.parts *= 1 + (wanted - 1) / seen.took_ms;
            return seen.closed && !seen.went_on;
        }
        own.work.parts *= more;
    }
}

/* Why nothing can be said of what was found now. */
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

static void begin(struct assay_line at, int32_t device)
{
    char reason[400];

    memset(&own, 0, sizeof own);
    own.check = at.check;
    snprintf(own.id, sizeof own.id, "%s", at.check->id);
    own.enough_ms = time_left(at) / left;
    const char *const none = assay_long_work_find(at.check, device, &own.work);
    if (none) {
        snprintf(reason, sizeof reason, "no adapter offers a gate, and none can be made: %s", none);
        give_up(at, reason);
    }
}

static struct assay_own_gate *first_gate(struct assay_line at, struct bridge_stream stream)
{
    begin(at, stream.device);
    struct assay_own_gate *const gate = &own.gates[0];
    *gate = (struct assay_own_gate){.at = at, .stream = stream};
    if (!holds(gate))
        give_up(at, "no adapter offers a gate, and a stream behind an event was not seen to wait");
    return gate;
}

static int is_same_stream(struct bridge_stream one, struct bridge_stream other)
{
    return one.device == other.device && one.id == other.id;
}

static struct assay_own_gate *next_gate(struct assay_line at, struct bridge_stream stream)
{
    if (own.used == GATES || !is_same_stream(stream, own.gates[0].stream))
        give_up(at, "no adapter offers a gate, and one of our own holds one stream at a time");
    struct assay_own_gate *const gate = &own.gates[own.used];
    *gate = (struct assay_own_gate){.at = at, .stream = stream};
    return gate;
}

struct assay_own_gate *assay_own_gate_close(struct assay_line at, struct bridge_stream stream)
{
    const int is_first = !is_of(at.check) || !own.used;
    struct assay_own_gate *const gate = is_first ? first_gate(at, stream) : next_gate(at, stream);

    put_behind_work(gate);
    atomic_store(&gate->closed, 1);
    own.used++;
    assay_doubt_failures(doubt);
    at.check->host->note(at.check, "the stream was held", "by an event behind long work");
    return gate;
}

/* ---- opening */

int assay_own_gate_is_closed(struct assay_own_gate *gate)
{
    return !assay_long_work_filled(&own.work, gate->flag);
}

void assay_own_gate_open(struct assay_own_gate *gate)
{
    if (!atomic_exchange(&gate->closed, 0))
        return;
    if (!assay_own_gate_is_closed(gate))
        assay_say_unobservable(gate->at, ASSAY_GATE, let_go);
    assay_long_work_wait(gate->at.check, &own.work, gate->flag);
    if (time_left(gate->at) < own.enough_ms) {
        assay_say_unobservable(gate->at, ASSAY_GATE, took_too_long);
        atomic_store(&own.late, 1);
    }
}

static int is_any_left(void)
{
    for (int i = 0; i < own.used; i++)
        if (own.gates[i].flag)
            return 1;
    return 0;
}

void assay_own_gate_finish(struct assay_own_gate *gate)
{
    assay_own_gate_open(gate);
    forget(gate);
    if (is_any_left())
        return;
    assay_long_work_free(&own.work);
    own.used = 0;
}
