/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the allocator with many threads, and storages that another thread frees.
 */
#include "bounded.h"
#include "sample.h"

#include <string.h>

enum { THREADS = 6, ROUNDS = 40, BLOCKS = 4, BYTES = 700, FREES = 1000 };

struct worker {
    struct assay_check *check;
    int32_t device;
    uint8_t mark;
};

/* Each thread writes its own mark into its blocks. Later the thread must find only this mark in the
 * blocks. */
static void one_round(struct worker *worker, uint64_t *random)
{
    struct bridge_block blocks[BLOCKS] = {0};
    uint64_t sizes[BLOCKS];
    uint8_t bytes[BYTES], back[BYTES];
    memset(bytes, worker->mark, BYTES);
    for (size_t i = 0; i < BLOCKS; i++) {
        sizes[i] = 1 + assay_random(random) % BYTES;
        if (!expect_ok(worker->check, bridge_allocate(sizes[i], &blocks[i])))
            return;
        expect_ok(worker->check, bridge_write(blocks[i].data, worker->device, bytes, sizes[i]));
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        expect_ok(worker->check, bridge_read(blocks[i].data, worker->device, back, sizes[i]));
        expect_bytes(worker->check, back, bytes, sizes[i],
                     "a block keeps its contents while other threads allocate");
        expect_ok(worker->check, bridge_block_free(&blocks[i]));
    }
}

static void work(void *context)
{
    struct worker *const worker = context;
    uint64_t random = worker->check->seed + worker->mark;
    expect_ok(worker->check, bridge_guard_set(worker->device));
    for (int i = 0; i < ROUNDS; i++)
        one_round(worker, &random);
}

static void threads_get_disjoint_blocks(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const int stats = bridge_allocator_has_stats();
    struct bridge_memory_stats before = {0}, after = {0};
    struct worker workers[THREADS];
    assay_need_any_kind(check); /* the copies below need arbitrary bytes */
    for (uint8_t i = 0; i < THREADS; i++)
        workers[i] = (struct worker){check, device, (uint8_t)(i + 1)};
    require_ok(check, bridge_guard_set(device));
    if (stats)
        require_ok(check, bridge_memory_get_stats(device, &before));
    assay_on_threads(check, THREADS, work, workers, sizeof workers[0],
                     "threads that allocate return");
    if (stats) {
        require_ok(check, bridge_memory_get_stats(device, &after));
        expect_int(check, after.allocated_bytes, before.allocated_bytes,
                   "after all threads have freed their blocks, allocated bytes are as before");
    }
}

struct frees {
    struct assay_check *check;
    struct bridge_tensor *tensors[FREES];
    int32_t current;
};

static void free_all(void *context)
{
    struct frees *const frees = context;
    expect_ok(frees->check, bridge_guard_set(frees->current));
    for (size_t i = 0; i < FREES; i++)
        bridge_tensor_free(frees->tensors[i]);
    expect_device(frees->check, bridge_guard_current(), frees->current,
                  "a thousand frees do not change the current device of their thread");
}

static void storages_can_be_freed_on_any_thread(struct assay_check *check)
{
    static struct frees frees;
    const int32_t first = assay_device(check, 0);
    const int32_t last = assay_device(check, check->device_count - 1);
    frees = (struct frees){.check = check, .current = last};
    require_ok(check, bridge_guard_set(first));
    for (size_t i = 0; i < FREES; i++) {
        require_ok(check, assay_sample_empty(check, BRIDGE_UINT8, 100, i % 2 == 0 ? last : first,
                                             &frees.tensors[i]));
    }
    assay_on_thread(check, free_all, &frees, "a thousand frees return");
    expect_device(check, bridge_guard_current(), first,
                  "frees on another thread do not change this thread's device");
}

const struct assay_check_row threads_share_checks[] = {
    {"allocator.threads_get_disjoint_blocks", threads_get_disjoint_blocks},
    {"allocator.storages_can_be_freed_on_any_thread", storages_can_be_freed_on_any_thread},
    {0},
};
