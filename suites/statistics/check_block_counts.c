/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests statistics of blocks that are allocated directly from the allocator: the number of blocks,
 * and the counts after threads have freed each other's blocks.
 */
#include "bounded.h"
#include "sample.h"

#include <inttypes.h>

enum { BLOCKS = 5, THREADS = 4, EACH = 50, BYTES = 3000 };

/* Returns the current statistics of the first device. Ends the check if the allocator has no
 * statistics. */
static struct bridge_memory_stats statistics(struct assay_check *check)
{
    struct bridge_memory_stats stats = {0};
    if (!bridge_allocator_has_stats())
        assay_skip(check, "memory.stats", "the allocator is not a DeviceAllocator");
    require_ok(check, bridge_memory_get_stats(assay_device(check, 0), &stats));
    return stats;
}

static void live_blocks_are_counted(struct assay_check *check)
{
    struct bridge_block blocks[BLOCKS] = {0};
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    const int64_t before = statistics(check).allocations;
    for (int i = 0; i < BLOCKS; i++) {
        require_ok(check, bridge_allocate(assay_sample_bytes(check, (uint64_t)(100 << 3 * i)),
                                          &blocks[i]));
        expect_int(check, statistics(check).allocations - before, i + 1,
                   "allocation.all.current increases by one with each block");
    }
    for (int i = 0; i < BLOCKS; i++)
        require_ok(check, bridge_block_free(&blocks[i]));
    expect_int(check, statistics(check).allocations, before,
               "allocation.all.current is as before after the blocks are freed");
}

struct worker {
    struct assay_check *check;
    int32_t device;
    struct bridge_block *own, *others;
};

static void take(void *context)
{
    struct worker *const worker = context;
    expect_ok(worker->check, bridge_guard_set(worker->device));
    for (int i = 0; i < EACH; i++)
        expect_ok(worker->check, bridge_allocate(BYTES, &worker->own[i]));
}

static void give(void *context)
{
    struct worker *const worker = context;
    for (int i = 0; i < EACH; i++)
        expect_ok(worker->check, bridge_block_free(&worker->others[i]));
}

static void concurrent_allocations_are_all_counted(struct assay_check *check)
{
    /* static, because a late thread may still write to this memory */
    static struct bridge_block blocks[THREADS][EACH];
    static struct worker workers[THREADS];
    const int32_t device = assay_device(check, 0);
    assay_need_any_size(check);
    for (int i = 0; i < THREADS; i++)
        workers[i] = (struct worker){check, device, blocks[i], blocks[(i + 1) % THREADS]};
    require_ok(check, bridge_guard_set(device));
    const struct bridge_memory_stats before = statistics(check);
    assay_on_threads(check, THREADS, take, workers, sizeof workers[0], "threads allocate");
    const struct bridge_memory_stats held = statistics(check);
    assay_on_threads(check, THREADS, give, workers, sizeof workers[0], "threads free");
    const struct bridge_memory_stats after = statistics(check);

    assay_is_about_clause(check, "STAT-005");
    expect_that(check, held.allocated_bytes - before.allocated_bytes >= THREADS * EACH * BYTES,
                "the blocks of all threads are counted",
                "allocated bytes rose by %" PRId64 ", expected at least %d",
                (int64_t)(held.allocated_bytes - before.allocated_bytes), THREADS * EACH * BYTES);
    expect_int(check, after.allocated_bytes, before.allocated_bytes,
               "no block is counted after other threads have freed the blocks");
    const int64_t allocated = after.allocated_bytes_total - before.allocated_bytes_total;
    const int64_t freed = after.freed_bytes_total - before.freed_bytes_total;
    expect_int(check, allocated, freed,
               "the bytes counted as freed equal those counted as allocated");
    assay_is_about_clause(check, "STAT-007");
    expect_int(check, after.allocated_bytes - before.allocated_bytes, allocated - freed,
               "current changes by the change of allocated minus freed");
}

const struct assay_check_row block_counts_checks[] = {
    {"statistics.live_blocks_are_counted", live_blocks_are_counted},
    {"statistics.concurrent_allocations_are_all_counted", concurrent_allocations_are_all_counted},
    {0},
};
