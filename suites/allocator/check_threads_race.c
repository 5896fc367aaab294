/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two threads allocate and free blocks at the same time. The threads do not write to the blocks, so
 * that they spend most of their time in the allocator.
 */
#include "race.h"
#include "sample.h"

enum { ROUNDS = 20000, BLOCKS = 8, SIZES = 4 };

struct holder {
    struct bridge_block blocks[BLOCKS];
    uint64_t sizes[BLOCKS], random;
    int32_t device_was_set;
};

struct crowd {
    struct assay_check *check;
    int32_t device;
    int are_handles; /* 1 if pointers are ids: then only equal pointers count as an overlap */
    struct holder holders[2];
};

static int make_device_current(const struct crowd *crowd, struct holder *holder)
{
    if (!holder->device_was_set)
        holder->device_was_set = expect_ok(crowd->check, bridge_guard_set(crowd->device));
    return holder->device_was_set;
}

/* Chooses a random slot in each round. Allocates a block if the slot is empty, and otherwise frees
 * the block of the slot. */
static void take_or_give(void *context, uint32_t rival, uint32_t round)
{
    static const uint64_t sizes[SIZES] = {100, 512, 3000, 100000};
    struct crowd *const crowd = context;
    struct holder *const holder = &crowd->holders[rival];
    if (!make_device_current(crowd, holder))
        return;
    holder->random += round == 0 ? crowd->check->seed + rival : 0;
    const size_t slot = assay_random(&holder->random) % BLOCKS;
    struct bridge_block *const block = &holder->blocks[slot];
    if (holder->sizes[slot]) {
        holder->sizes[slot] = 0;
        expect_ok_in_race(crowd->check, bridge_block_free(block));
        return;
    }
    const uint64_t size =
        assay_sample_bytes(crowd->check, sizes[assay_random(&holder->random) % SIZES]);
    if (expect_ok_in_race(crowd->check, bridge_allocate(size, block)))
        holder->sizes[slot] = size;
}

static int overlap(const struct crowd *crowd, const struct holder *one, size_t i,
                   const struct holder *other, size_t k)
{
    const uintptr_t a = (uintptr_t)one->blocks[i].data, b = (uintptr_t)other->blocks[k].data;
    if (!one->sizes[i] || !other->sizes[k])
        return 0;
    return crowd->are_handles ? a == b : a < b + other->sizes[k] && b < a + one->sizes[i];
}

static void expect_apart(struct crowd *crowd)
{
    const struct holder *const one = &crowd->holders[0], *const other = &crowd->holders[1];
    int shared = 0;
    for (size_t i = 0; i < BLOCKS; i++) {
        for (size_t k = 0; k < BLOCKS; k++) {
            shared += overlap(crowd, one, i, other, k);
            shared +=
                i < k && (overlap(crowd, one, i, one, k) || overlap(crowd, other, i, other, k));
        }
    }
    expect_int(crowd->check, shared, 0,
               "blocks that two threads allocate at the same time do not overlap");
}

/* If pointers are addresses, blocks that one thread allocates do not overlap. */
static int pointers_are_handles(struct crowd *crowd)
{
    struct holder one = {.sizes = {0}};
    int shared = 0;
    for (size_t i = 0; i < BLOCKS; i++) {
        one.sizes[i] = assay_sample_bytes(crowd->check, 100000);
        require_ok(crowd->check, bridge_allocate(one.sizes[i], &one.blocks[i]));
        for (size_t k = 0; k < i; k++)
            shared += overlap(crowd, &one, i, &one, k);
    }
    for (size_t i = 0; i < BLOCKS; i++)
        require_ok(crowd->check, bridge_block_free(&one.blocks[i]));
    return shared > 0;
}

static void give_all_back(struct crowd *crowd)
{
    for (size_t i = 0; i < 2 * BLOCKS; i++) {
        struct holder *const holder = &crowd->holders[i / BLOCKS];
        if (holder->sizes[i % BLOCKS])
            expect_ok(crowd->check, bridge_block_free(&holder->blocks[i % BLOCKS]));
    }
}

static void racing_threads_get_disjoint_blocks(struct assay_check *check)
{
    static struct crowd crowd;
    const int stats = bridge_allocator_has_stats();
    struct bridge_memory_stats before = {0}, after = {0};
    crowd = (struct crowd){.check = check, .device = assay_device(check, 0)};
    require_ok(check, bridge_guard_set(crowd.device));
    crowd.are_handles = pointers_are_handles(&crowd);
    if (stats)
        require_ok(check, bridge_memory_get_stats(crowd.device, &before));
    assay_note_int(check, "rounds",
                   assay_race(check, ROUNDS, take_or_give, &crowd,
                              "threads that allocate at the same time return"));
    expect_apart(&crowd);
    give_all_back(&crowd);
    if (stats) {
        require_ok(check, bridge_memory_get_stats(crowd.device, &after));
        expect_int(check, after.allocated_bytes, before.allocated_bytes,
                   "after both threads have freed their blocks, allocated bytes are as before");
    }
}

const struct assay_check_row threads_race_checks[] = {
    {"allocator.racing_threads_get_disjoint_blocks", racing_threads_get_disjoint_blocks},
    {0},
};
