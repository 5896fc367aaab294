/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Current value, peak and totals. Called by the allocator only.
 */
#include "memory_stats.h"
#include "fakedev_faults.h"

static const size_t stat_offsets[] = {
    offsetof(struct fd_memory_stats, blocks),
    offsetof(struct fd_memory_stats, segments),
    offsetof(struct fd_memory_stats, inactive_blocks),
    offsetof(struct fd_memory_stats, requested_bytes),
    offsetof(struct fd_memory_stats, allocated_bytes),
    offsetof(struct fd_memory_stats, reserved_bytes),
    offsetof(struct fd_memory_stats, inactive_bytes),
};

static void for_each(struct fd_memory_stats *stats, void (*change)(struct fd_stat *stat))
{
    for (size_t i = 0; i < sizeof stat_offsets / sizeof stat_offsets[0]; i++)
        change((struct fd_stat *)(void *)((unsigned char *)stats + stat_offsets[i]));
}

void fd_stat_grow(struct fd_stat *stat, uint64_t amount)
{
    stat->current += amount;
    stat->allocated += amount;
    if (stat->peak < stat->current)
        stat->peak = stat->current;
}

void fd_stat_shrink(struct fd_stat *stat, uint64_t amount)
{
    stat->current -= amount;
    stat->freed += amount;
}

static void reset_peak(struct fd_stat *stat)
{
    stat->peak = stat->current;
}

static void reset_accumulated(struct fd_stat *stat)
{
    stat->allocated = stat->freed = 0;
    if (fd_fault("allocator.accumulated_reset_clears_current"))
        stat->current = 0;
}

void fd_memory_stats_reset_peak(struct fd_memory_stats *stats)
{
    if (!fd_fault("allocator.peak_never_falls"))
        for_each(stats, reset_peak);
}

void fd_memory_stats_reset_accumulated(struct fd_memory_stats *stats)
{
    for_each(stats, reset_accumulated);
    stats->retries = stats->out_of_memory = 0;
    stats->device_allocations = stats->device_frees = 0;
}
