/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests a lost device: the noexcept methods of the guard, freeing its objects, threads that wait
 * for it, and the other devices. If a noexcept function throws, the process ends, and the verdict
 * is a crash.
 */
#include "instruments.h"
#include "sample.h"

enum { BYTES = 8 };

static void lose_all(struct assay_check *check)
{
    for (uint32_t i = 0; i < check->device_count; i++)
        assay_lose(check, assay_device(check, i));
}

static void device_count_does_not_throw_if_the_driver_fails(struct assay_check *check)
{
    int32_t before = -1, after = -1;
    require_ok(check, bridge_guard_count(&before));
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    lose_all(check);
    expect_ok(check, bridge_guard_count(&after));
    expect_that(check, after == 0 || after == before,
                "deviceCount() of a lost driver is 0 or the previous count", "it is %d and was %d",
                (int)after, (int)before);
    assay_note_int(check, "count of a lost driver", after);
}

static void unchecked_set_device_does_not_throw_if_the_driver_fails(struct assay_check *check)
{
    const int32_t device = assay_device(check, check->device_count - 1);
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    lose_all(check);
    bridge_guard_unchecked_set(device);
    bridge_guard_unchecked_set(assay_device(check, 0));
    expect_int(check, bridge_guard_registered(), 1, "the process continues");
}

/* Makes a block with the bytes 1 to 8, and waits until they are on the device. */
static void make_block(struct assay_check *check, int32_t device, struct bridge_block *block)
{
    uint8_t bytes[BYTES];
    for (uint8_t i = 0; i < BYTES; i++)
        bytes[i] = (uint8_t)(1 + i);
    require_ok(check, bridge_guard_set(device));
    require_ok(check, bridge_allocate(BYTES, block));
    require_op(check, "aten::_copy_from", bridge_write(block->data, device, bytes, BYTES));
    require_ok(check, bridge_guard_synchronize(device));
}

/* The event is queried only if the backend has events. */
static void resources_of_a_lost_device_can_be_released(struct assay_check *check)
{
    const int32_t device = assay_device(check, check->device_count - 1);
    struct bridge_block block;
    struct bridge_scope *scope = NULL;
    void *event = NULL;
    assay_need_any_kind(check);
    make_block(check, device, &block);
    const struct bridge_stream stream = bridge_stream_current(device);
    require_ok(check, stream.status);
    if (bridge_event_record(&event, stream, device, BRIDGE_EVENT_DEFAULT) != ASSAY_OK)
        event = NULL;
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    require_ok(check, bridge_scope_enter(device, &scope));
    assay_lose(check, device);
    expect_ok(check, bridge_block_free(&block));
    if (event)
        bridge_event_destroy(event, device);
    bridge_scope_leave(scope);
    expect_int(check, bridge_guard_registered(), 1, "the process continues");
}

static void lost_device_raises_an_error(struct assay_check *check)
{
    const int32_t device = assay_device(check, check->device_count - 1);
    uint8_t bytes[BYTES] = {0};
    struct bridge_block block;
    assay_need_any_kind(check);
    make_block(check, device, &block);
    assay_lose(check, device);
    expect_that(check, bridge_guard_synchronize(device) != ASSAY_OK,
                "waiting for a lost device raises", "synchronizeDevice raised nothing");
    expect_that(check, bridge_read(block.data, device, bytes, BYTES) != ASSAY_OK,
                "a copy from a lost device raises", "a copy to the host raised nothing");
    expect_that(check, bridge_write(block.data, device, bytes, BYTES) != ASSAY_OK,
                "a copy to a lost device raises", "a copy to the device raised nothing");
}

static void other_devices_keep_data_and_copy_after_one_is_lost(struct assay_check *check)
{
    const int32_t lost = assay_device(check, 0), other = assay_device(check, 1);
    const uint8_t expected[BYTES] = {1, 2, 3, 4, 5, 6, 7, 8};
    uint8_t bytes[BYTES] = {0};
    struct bridge_block gone, block, later;
    assay_need_any_kind(check);
    make_block(check, lost, &gone);
    make_block(check, other, &block);
    assay_lose(check, lost);
    expect_ok(check, bridge_guard_synchronize(other));
    if (expect_ok(check, bridge_read(block.data, other, bytes, BYTES)))
        expect_bytes(check, bytes, expected, BYTES, "another device keeps its data");
    make_block(check, other, &later);
    expect_ok(check, bridge_block_free(&block));
}

const struct assay_check_row guard_lost_checks[] = {
    {"guard.device_count_does_not_throw_if_the_driver_fails",
     device_count_does_not_throw_if_the_driver_fails},
    {"guard.unchecked_set_device_does_not_throw_if_the_driver_fails",
     unchecked_set_device_does_not_throw_if_the_driver_fails},
    {"guard.resources_of_a_lost_device_can_be_released",
     resources_of_a_lost_device_can_be_released},
    {"guard.lost_device_raises_an_error", lost_device_raises_an_error},
    {"guard.other_devices_keep_data_and_copy_after_one_is_lost",
     other_devices_keep_data_and_copy_after_one_is_lost},
    {0},
};
