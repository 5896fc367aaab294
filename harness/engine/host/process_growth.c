/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See process_growth.h. Knows the bridge, knows no evidence.
 */
#include "process_growth.h"
#include "bridge.h"
#include "clock.h"
#include "process_idle.h"

#include <dirent.h>
#include <sched.h>
#include <stddef.h>

#define QUIET_LOOKS 50 /* in a row, in which nothing has moved */
#define PATIENCE_NS 2000000000

static int64_t count_entries(const char *folder)
{
    int64_t count = -1;
    DIR *const entries = opendir(folder);
    const struct dirent *entry;

    while (entries && (entry = readdir(entries)) != NULL)
        count += entry->d_name[0] != '.';
    if (entries) {
        closedir(entries);
        count++;
    }
    return count;
}

int64_t hn_count_threads(void)
{
    return count_entries("/proc/self/task");
}

int64_t hn_count_files(void)
{
    return count_entries("/proc/self/fd");
}

/* A thread that somebody joined or told to end may still be on its way out. */
static int has_settled(void)
{
    const int64_t end = hn_clock_now_ns() + PATIENCE_NS;
    uint64_t before = 0;
    int quiet = 0;

    while (quiet < QUIET_LOOKS && hn_clock_now_ns() < end) {
        const uint64_t wakes = hn_process_idle_wakes();
        quiet = wakes != 0 && wakes == before ? quiet + 1 : 0;
        before = wakes;
        sched_yield();
    }
    return quiet == QUIET_LOOKS;
}

static void add(int64_t *sum, int32_t status, int64_t value)
{
    if (status == ASSAY_OK && *sum >= 0)
        *sum += value;
    else
        *sum = -1;
}

static void measure_allocator(const int32_t *devices, uint32_t count, struct hn_growth *growth)
{
    for (uint32_t i = 0; i < count && bridge_allocator_has_stats() != 0; i++) {
        struct bridge_memory_stats stats = {0};
        const int32_t status = bridge_memory_get_stats(devices[i], &stats);
        add(&growth->allocated, status, stats.allocated_bytes);
        add(&growth->reserved, status, stats.reserved_bytes);
    }
}

static void measure_driver(struct hn_adapter *adapter, const int32_t *devices, uint32_t count,
                           struct hn_growth *growth)
{
    void *target = NULL;
    const struct assay_memory_probe *const probe =
        adapter ? hn_adapter_extension(adapter, ASSAY_MEMORY_PROBE, &target) : NULL;
    for (uint32_t i = 0; probe && i < count; i++) {
        uint64_t bytes = 0, blocks = 0;
        add(&growth->blocks, probe->live(target, devices[i], &bytes, &blocks), (int64_t)blocks);
    }
}

void hn_growth_measure(struct hn_adapter *adapter, const int32_t *devices, uint32_t count,
                       struct hn_growth *growth)
{
    for (uint32_t i = 0; i < count && bridge_guard_registered(); i++)
        bridge_guard_synchronize(devices[i]); /* one that cannot has nothing under way */
    growth->threads = has_settled() ? hn_count_threads() : -1;
    growth->files = hn_count_files();
    measure_allocator(devices, count, growth);
    measure_driver(adapter, devices, count, growth);
}
