/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that freed memory is not reused while a stream may still use it. A gate stops the stream.
 * Addresses are compared and never dereferenced.
 */
#include "instruments.h"

enum { TRIES = 8, BYTES = 8192 };

static struct bridge_stream side_stream(struct assay_check *check, int32_t device)
{
    const struct bridge_stream stream = bridge_stream_new(device, 0);
    require_capability(check, "streams", stream.status);
    return stream;
}

/* Allocates several blocks of this size and compares each with `freed`. */
static void expect_not_reused(struct assay_check *check, const void *freed, const char *what)
{
    struct bridge_block blocks[TRIES] = {0};
    for (size_t i = 0; i < TRIES; i++) {
        require_ok(check, bridge_allocate(BYTES, &blocks[i]));
        expect_that(check, blocks[i].data != freed, what,
                    "block %zu of %d starts at %p, as the freed block did", i + 1, TRIES, freed);
    }
    for (size_t i = 0; i < TRIES; i++)
        expect_ok(check, bridge_block_free(&blocks[i]));
}

static void block_is_not_reused_while_a_stream_uses_it(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    struct bridge_block block = {0}, nothing = {0};
    struct assay_held held;
    require_ok(check, bridge_guard_set(device));
    const struct bridge_stream side = side_stream(check, device);
    require_ok(check, bridge_block_record_stream(&nothing, side));
    require_ok(check, bridge_allocate(BYTES, &block));
    const void *const address = block.data;
    assay_hold_work(check, side, &held);
    expect_ok(check, bridge_block_record_stream(&block, side));
    expect_ok(check, bridge_block_free(&block));
    expect_not_reused(check, address, "a block that is recorded on a busy stream is not reused");
    assay_gate_open(&held);
    expect_ok(check, bridge_stream_synchronize(side));
    assay_gate_finish(&held);
}

static void freed_block_is_not_given_to_another_busy_stream(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    struct bridge_block block = {0};
    struct assay_held held;
    require_ok(check, bridge_guard_set(device));
    const struct bridge_stream first = side_stream(check, device);
    const struct bridge_stream second = side_stream(check, device);
    const struct bridge_stream before = bridge_stream_exchange(first);
    require_ok(check, before.status);
    require_ok(check, bridge_allocate(BYTES, &block));
    const void *const address = block.data;
    assay_hold_work(check, first, &held);
    expect_ok(check, bridge_block_free(&block));
    require_ok(check, bridge_stream_exchange(second).status);
    expect_not_reused(check, address,
                      "a block that is freed on a busy stream is not reused on another stream");
    assay_gate_finish(&held);
    expect_ok(check, bridge_stream_synchronize(first));
    (void)bridge_stream_exchange(before);
}

const struct assay_check_row streams_reuse_checks[] = {
    {"allocator.block_is_not_reused_while_a_stream_uses_it",
     block_is_not_reused_while_a_stream_uses_it},
    {"allocator.freed_block_is_not_given_to_another_busy_stream",
     freed_block_is_not_given_to_another_busy_stream},
    {0},
};
