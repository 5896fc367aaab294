/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See waiting.h.
 */
#include "waiting.h"

#include "bounded.h"
#include "host_clock.h"

#include <sched.h>
#include <stdatomic.h>

struct watch {
    struct assay_line at;
    struct assay_held *held;
    int64_t patience_ns;
    void (*call)(void *context);
    void *context;
    const char *early; /* the expectation that a call violates if it returns too early */
    atomic_int started, returned;
};

int64_t assay_measured_patience(struct assay_line at, void (*call)(void *context), void *context)
{
    const int64_t least = 20000000, most = at.check->host->milliseconds_left(at.check) * 250000;
    int64_t slowest = 0;
    for (int i = 0; i < 3; i++) {
        const int64_t before = assay_now_ns();
        call(context);
        const int64_t took = assay_now_ns() - before;
        slowest = took > slowest ? took : slowest;
    }
    const int64_t wanted = 10 * slowest > least ? 10 * slowest : least;
    return wanted < most ? wanted : most;
}

static void make_the_call(void *context)
{
    struct watch *const watch = *(struct watch **)context;
    atomic_store(&watch->started, 1);
    watch->call(watch->context);
    atomic_store(&watch->returned, 1);
}

/* Opens the gate when the other thread's call has not returned within the patience. */
static void open_when_it_waits(void *context)
{
    struct watch *const watch = *(struct watch **)context;
    struct assay_check *const check = watch->at.check;
    while (atomic_load(&watch->started) == 0 && check->host->milliseconds_left(check) > 1000)
        sched_yield();
    const int64_t until = assay_now_ns() + watch->patience_ns;
    while (atomic_load(&watch->returned) == 0 && assay_now_ns() < until)
        sched_yield();
    assay_expect_int(watch->at, atomic_load(&watch->returned), 0, "calls that have returned",
                     watch->early);
    assay_gate_open(watch->held);
}

struct part {
    struct watch *watch;
    void (*body)(void *context);
};

static void run_part(void *context)
{
    struct part *const part = context;
    part->body(&part->watch);
}

void assay_watch_wait(struct assay_line at, struct assay_held *held, int64_t patience_ns,
                      void (*call)(void *context), void *context, const char *early,
                      const char *what)
{
    static struct watch watch; /* static, because a late thread may still read it */
    watch = (struct watch){.at = at,
                           .held = held,
                           .patience_ns = patience_ns,
                           .call = call,
                           .context = context,
                           .early = early};
    static struct part parts[2];
    parts[0] = (struct part){&watch, make_the_call};
    parts[1] = (struct part){&watch, open_when_it_waits};
    assay_run_threads(at, 2, run_part, parts, sizeof parts[0], what);
}
