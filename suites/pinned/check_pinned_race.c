/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two threads allocate, query and free pinned memory at the same time.
 */
#include "race.h"

enum { ROUNDS = 10000, SIZE = 1000 };

struct pinners {
    struct assay_check *check;
    int32_t device;
    struct bridge_block kept[2];
    int64_t not_found[2];
};

/* Allocates one block and frees it. Before that, queries a block that stays allocated. */
static void allocate_and_query(void *context, uint32_t rival, uint32_t round)
{
    struct pinners *const pinners = context;
    struct bridge_block block = {0};
    int32_t pinned = 1;
    if (round == 0 && !expect_ok(pinners->check, bridge_guard_set(pinners->device)))
        return;
    expect_ok_in_race(pinners->check, bridge_hooks_is_pinned(pinners->kept[rival].data, &pinned));
    pinners->not_found[rival] += !pinned;
    if (expect_ok_in_race(pinners->check, bridge_host_allocate(SIZE, &block)))
        expect_ok_in_race(pinners->check, bridge_block_free(&block));
}

static void racing_threads_find_their_blocks(struct assay_check *check)
{
    struct pinners pinners = {.check = check, .device = assay_device(check, 0)};
    require_ok(check, bridge_guard_set(pinners.device));
    if (!bridge_host_registered())
        assay_skip(check, "memory.pinned", "no HostAllocator is registered");
    for (int i = 0; i < 2; i++)
        require_capability(check, "memory.pinned", bridge_host_allocate(SIZE, &pinners.kept[i]));
    const uint32_t rounds = assay_race(check, ROUNDS, allocate_and_query, &pinners,
                                       "threads that use pinned memory at the same time return");
    assay_note_int(check, "rounds", rounds);
    expect_int(check, pinners.not_found[0] + pinners.not_found[1], 0,
               "isPinnedPtr is true for a live block while another thread allocates and frees");
    for (int i = 0; i < 2; i++)
        expect_ok(check, bridge_block_free(&pinners.kept[i]));
}

const struct assay_check_row pinned_race_checks[] = {
    {"pinned.racing_threads_find_their_blocks", racing_threads_find_their_blocks},
    {0},
};
