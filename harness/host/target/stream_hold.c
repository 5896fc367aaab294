/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See stream_hold.h. If the gate opens too early, the check is weaker; if the gate opens too
 * late, the check is slower. In both cases the verdict is right.
 */
#include "stream_hold.h"
#include "process_idle.h"

#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>
#include <stdlib.h>
#include <time.h>

/* Number of samples in a row without a change. A sample takes tens of microseconds. */
#define QUIET_LOOKS 200
#define SPINNING_MS 3000

struct hn_stream_hold {
    const struct assay_gate *table;
    void *target, *gate;
    /* in milliseconds: wall-clock deadline, and deadline of processor time */
    int64_t open_at, spent_at;
    pthread_t watcher;
    atomic_int over, opened;
};

static int64_t now(clockid_t clock)
{
    struct timespec time;
    clock_gettime(clock, &time);
    return (int64_t)time.tv_sec * 1000 + time.tv_nsec / 1000000;
}

static int is_late(const struct hn_stream_hold *hold)
{
    return now(CLOCK_MONOTONIC) >= hold->open_at || now(CLOCK_PROCESS_CPUTIME_ID) >= hold->spent_at;
}

static void *watch(void *argument)
{
    struct hn_stream_hold *const hold = argument;
    uint64_t before = 0;
    int quiet = 0;
    while (!atomic_load(&hold->over) && quiet < QUIET_LOOKS && !is_late(hold)) {
        const uint64_t wakes = hn_process_idle_wakes();
        quiet = wakes != 0 && wakes == before ? quiet + 1 : 0;
        before = wakes;
        sched_yield();
    }
    if (!atomic_load(&hold->over)) {
        atomic_store(&hold->opened, 1);
        hold->table->open(hold->target, hold->gate);
    }
    return NULL;
}

int32_t hn_stream_hold_begin(struct hn_adapter *adapter, int32_t device, int64_t stream,
                             int64_t milliseconds, struct hn_stream_hold **hold)
{
    void *target = NULL;
    const struct assay_gate *const table = hn_adapter_extension(adapter, ASSAY_GATE, &target);
    if (!table)
        return ASSAY_EUNSUPPORTED;
    struct hn_stream_hold *const made = calloc(1, sizeof *made);
    if (!made)
        return ASSAY_ENOMEM;
    made->table = table;
    made->target = target;
    int32_t status = table->close(target, device, stream, &made->gate);
    if (status != ASSAY_OK) {
        free(made);
        return status;
    }
    made->open_at = now(CLOCK_MONOTONIC) + milliseconds;
    made->spent_at = now(CLOCK_PROCESS_CPUTIME_ID) + SPINNING_MS;
    if (pthread_create(&made->watcher, NULL, watch, made) != 0) {
        table->destroy(target, made->gate);
        free(made);
        return ASSAY_ENOMEM;
    }
    *hold = made;
    return ASSAY_OK;
}

int32_t hn_stream_hold_end(struct hn_stream_hold *hold)
{
    atomic_store(&hold->over, 1);
    pthread_join(hold->watcher, NULL);
    const int32_t opened = atomic_load(&hold->opened);
    hold->table->destroy(hold->target, hold->gate);
    free(hold);
    return opened;
}
