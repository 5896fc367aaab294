/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that each host thread has its own current device.
 */
#include "bounded.h"

#include <pthread.h>

struct switched {
    struct assay_check *check;
    int32_t device;
};

static void switch_to(void *context)
{
    const struct switched *const thread = context;
    expect_ok(thread->check, bridge_guard_set(thread->device));
    expect_device(thread->check, bridge_guard_current(), thread->device,
                  "a thread sees its own switch");
}

static void current_device_is_per_thread(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    struct switched thread = {check, second};
    require_ok(check, bridge_guard_set(first));
    assay_on_thread(check, switch_to, &thread, "setDevice on another thread returns");
    expect_device(check, bridge_guard_current(), first,
                  "a switch in one thread is not seen in another");
}

enum { THREADS = 2, ROUNDS = 50 };

struct round {
    struct assay_check *check;
    pthread_barrier_t *all_have_set, *all_have_looked;
    int32_t number, wrong;
};

/* All threads set different devices, and then all read the current device. If the threads share one
 * current device, the first round detects this. */
static void set_together_and_look(void *context)
{
    struct round *const round = context;
    for (int32_t i = 0; i < ROUNDS; i++) {
        const int32_t device = round->check->devices[(round->number + i) % THREADS];
        const int32_t status = bridge_guard_set(device);
        pthread_barrier_wait(round->all_have_set);
        const struct bridge_device seen = bridge_guard_current();
        pthread_barrier_wait(round->all_have_looked);
        round->wrong += status != ASSAY_OK || seen.status != ASSAY_OK || seen.index != device;
    }
}

static void current_device_survives_concurrent_switching(struct assay_check *check)
{
    static pthread_barrier_t all_have_set, all_have_looked;
    static struct round rounds[THREADS];
    assay_device(check, THREADS - 1);
    pthread_barrier_init(&all_have_set, NULL, THREADS);
    pthread_barrier_init(&all_have_looked, NULL, THREADS);
    for (int32_t i = 0; i < THREADS; i++)
        rounds[i] = (struct round){check, &all_have_set, &all_have_looked, i, 0};
    assay_on_threads(check, THREADS, set_together_and_look, rounds, sizeof rounds[0],
                     "threads that switch devices return");
    for (int32_t i = 0; i < THREADS; i++)
        expect_int(check, rounds[i].wrong, 0, "each thread keeps the device that it has set");
}

static void ask_current(void *context)
{
    *(struct bridge_device *)context = bridge_guard_current();
}

static void new_thread_starts_with_a_valid_device(struct assay_check *check)
{
    struct bridge_device seen = {ASSAY_EINTERNAL, -1, -1};
    int32_t count = 0;
    require_ok(check, bridge_guard_count(&count));
    assay_on_thread(check, ask_current, &seen, "getDevice on a new thread returns in time");
    require_int(check, seen.status, ASSAY_OK, "getDevice works on a new thread");
    expect_that(check, seen.index >= 0 && seen.index < count,
                "a new thread starts with a device that exists",
                "getDevice() is %d on that thread, of %d devices", (int)seen.index, (int)count);
    assay_note_int(check, "current on a new thread", seen.index);
}

const struct assay_check_row guard_threads_checks[] = {
    {"guard.current_device_is_per_thread", current_device_is_per_thread},
    {"guard.current_device_survives_concurrent_switching",
     current_device_survives_concurrent_switching},
    {"guard.new_thread_starts_with_a_valid_device", new_thread_starts_with_a_valid_device},
    {0},
};
