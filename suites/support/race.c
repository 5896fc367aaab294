/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See race.h. Before each round, the two rivals wait for each other with counters, which only grow
 * and therefore need no reset.
 */
#include "race.h"
#include "bounded.h"
#include "host_clock.h"

#include <errno.h>
#include <linux/futex.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

/* AHEAD_NS: the time from setting a timer to its signal, which varies by JITTER_NS. PATIENCE_NS:
 * how long an interrupted rival waits for the other rival, which may be waiting for a lock. */
#define AHEAD_NS 20000
#define JITTER_NS 6000
#define PATIENCE_NS 1000000
#define SECONDS 4
/* In every fourth round no rival is interrupted: both start at the same time. */
#define KINDS 4

struct race {
    struct assay_check *check;
    assay_racer *call;
    void *context;
    uint32_t rounds;
    int64_t enough_ms; /* the race ends when only this time is left */
    atomic_uint untimed, ended, done;
    /* Rounds are counted from 1. `arrived` is the last round that each rival reached. In round
     * `begun`, one rival was interrupted or has called; in round `answered`, the other rival has
     * called. */
    atomic_uint arrived[2], begun, answered;
};

struct rival {
    struct race *race;
    uint32_t number;
    timer_t timer;
    int64_t usual_ns;          /* the usual duration of a call */
    volatile uint32_t calling; /* the round in which the call may be interrupted, from 1 */
};

static _Thread_local struct rival *me;

/* Sleeps, because spinning or yielding on a busy machine would give the processor to other
 * processes. Can be called in a signal handler. */
static void wait_for(atomic_uint *number, uint32_t least, int64_t until)
{
    for (int i = 0; i < 200; i++)
        if (atomic_load(number) >= least)
            return;
    for (;;) {
        const uint32_t seen = atomic_load(number);
        const int64_t left = until ? until - assay_now_ns() : PATIENCE_NS;
        const struct timespec at_most = {left / 1000000000, left % 1000000000};
        if (seen >= least || left <= 0)
            return;
        syscall(SYS_futex, number, FUTEX_WAIT_PRIVATE, seen, &at_most, NULL, 0);
    }
}

static void reach(atomic_uint *number, uint32_t value)
{
    atomic_store(number, value);
    syscall(SYS_futex, number, FUTEX_WAKE_PRIVATE, 1, NULL, NULL, 0);
}

/* The signal handler, which runs in the middle of a call. */
static void let_the_other_call(int signal)
{
    struct rival *const rival = me;
    const uint32_t round = rival ? rival->calling : 0;
    const int error = errno;
    (void)signal;
    if (!round)
        return;
    rival->calling = 0;
    reach(&rival->race->begun, round);
    wait_for(&rival->race->answered, round, assay_now_ns() + PATIENCE_NS);
    errno = error;
}

static void meet(struct race *race, uint32_t number, uint32_t round)
{
    reach(&race->arrived[number], round + 1);
    wait_for(&race->arrived[1 - number], round + 1, 0);
}

static void set_timer(const struct rival *rival, int64_t at)
{
    const struct itimerspec when = {.it_value = {at / 1000000000, at % 1000000000}};
    timer_settime(rival->timer, TIMER_ABSTIME, &when, NULL);
}

/* Starts the call shortly before the timer's signal, so that the signal may interrupt any
 * instruction of the call. */
static void call_interrupted(struct rival *rival, uint32_t round, uint64_t *random)
{
    struct race *const race = rival->race;
    const int64_t end = assay_now_ns() + AHEAD_NS + rival->usual_ns;
    const int64_t range = rival->usual_ns + 2 * JITTER_NS;
    const int64_t lead = (int64_t)(assay_random(random) % (uint64_t)range) - JITTER_NS;
    set_timer(rival, end);
    while (assay_now_ns() < end - lead)
        ;
    const int64_t begun = assay_now_ns();
    rival->calling = round + 1;
    race->call(race->context, rival->number, round);
    rival->calling = 0;
    const int64_t took = assay_now_ns() - begun;
    set_timer(rival, 0);
    rival->usual_ns += (took < 4 * rival->usual_ns + 100 ? took - rival->usual_ns : 0) / 8;
    reach(&race->begun, round + 1);
}

static void call_in_between(const struct rival *rival, uint32_t round)
{
    struct race *const race = rival->race;
    wait_for(&race->begun, round + 1, 0);
    race->call(race->context, rival->number, round);
    reach(&race->answered, round + 1);
}

static void play(struct rival *rival, uint32_t round, uint64_t *random)
{
    struct race *const race = rival->race;
    if (round % KINDS == 0 || atomic_load(&race->untimed))
        race->call(race->context, rival->number, round);
    else if (rival->number == round % 2)
        call_interrupted(rival, round, random);
    else
        call_in_between(rival, round);
}

/* Before the rivals wait for each other, one rival decides whether the race ends. */
static void look_at_the_clock(struct race *race, uint32_t round)
{
    if (race->check->host->milliseconds_left(race->check) < race->enough_ms)
        atomic_store(&race->ended, round + 1);
}

static int make_timer(struct rival *rival)
{
    struct sigevent event = {.sigev_notify = SIGEV_THREAD_ID, .sigev_signo = SIGRTMAX - 3};
    event._sigev_un._tid = (pid_t)syscall(SYS_gettid);
    return timer_create(CLOCK_MONOTONIC, &event, &rival->timer) == 0;
}

static void compete(void *context)
{
    struct rival *const rival = context;
    struct race *const race = rival->race;
    uint64_t random = race->check->seed + rival->number;
    me = rival;
    if (!make_timer(rival))
        atomic_store(&race->untimed, 1);
    for (uint32_t round = 0; round < race->rounds; round++) {
        if (rival->number == 0)
            look_at_the_clock(race, round);
        meet(race, rival->number, round);
        play(rival, round, &random);
        if (rival->number == 0)
            atomic_store(&race->done, round + 1);
        if (atomic_load(&race->ended) == round + 1)
            break;
    }
    me = NULL;
    if (!atomic_load(&race->untimed))
        timer_delete(rival->timer);
}

uint32_t assay_run_race(struct assay_line at, uint32_t rounds, assay_racer *call, void *context,
                        const char *what)
{
    static struct race race; /* static, because a late thread may still read it */
    static struct rival rivals[2];
    const int64_t left = at.check->host->milliseconds_left(at.check);
    struct sigaction before;
    const struct sigaction handle = {.sa_handler = let_the_other_call, .sa_flags = SA_RESTART};
    race = (struct race){.check = at.check,
                         .call = call,
                         .context = context,
                         .rounds = rounds,
                         .enough_ms =
                             left / 2 > left - 1000 * SECONDS ? left / 2 : left - 1000 * SECONDS};
    for (uint32_t i = 0; i < 2; i++)
        rivals[i] = (struct rival){.race = &race, .number = i, .usual_ns = 5000};
    sigaction(SIGRTMAX - 3, &handle, &before);
    assay_run_threads(at, 2, compete, rivals, sizeof rivals[0], what);
    sigaction(SIGRTMAX - 3, &before, NULL);
    return atomic_load(&race.done);
}

int assay_expect_ok_in_race(struct assay_line at, int32_t status, const char *call)
{
    if (status != ASSAY_OK && strstr(bridge_error_text(), "nterrupted system call"))
        return 0;
    return assay_expect_ok(at, status, call);
}
