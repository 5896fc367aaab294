/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests copy_data and clone, which resizing and copy-on-write storages use.
 */
#include "expect.h"
#include "sample.h"

#include <string.h>

enum { SIZE = 1031 };

static void fill_random(struct assay_check *check, uint8_t *bytes)
{
    uint64_t random = check->seed;
    for (size_t i = 0; i < SIZE; i++)
        bytes[i] = (uint8_t)(assay_random(&random) | 1);
}

static void filled(struct assay_check *check, int32_t device, const uint8_t *bytes,
                   struct bridge_block *block)
{
    require_ok(check, bridge_allocate(SIZE, block));
    require_ok(check, bridge_write(block->data, device, bytes, SIZE));
}

/* copy_data must not change the bytes behind the copied bytes. */
static void copy_data_copies_no_more_than_count(struct assay_check *check)
{
    /* clone_of_zero_bytes_is_empty covers 0 bytes. */
    const size_t counts[] = {1, 255, 512, SIZE - 1};
    const int32_t device = assay_device(check, 0);
    uint8_t bytes[SIZE], zeros[SIZE] = {0}, back[SIZE], expected[SIZE];
    struct bridge_block source = {0}, copy = {0};
    assay_need_any_kind(check); /* the copies below need arbitrary bytes */
    fill_random(check, bytes);
    require_ok(check, bridge_guard_set(device));
    filled(check, device, bytes, &source);
    require_ok(check, bridge_allocate(SIZE, &copy));
    for (size_t i = 0; i < sizeof counts / sizeof counts[0]; i++) {
        require_ok(check, bridge_write(copy.data, device, zeros, SIZE));
        require_ok(check, bridge_copy_data(copy.data, source.data, counts[i]));
        require_ok(check, bridge_read(copy.data, device, back, SIZE));
        memset(expected, 0, SIZE);
        memcpy(expected, bytes, counts[i]);
        expect_bytes(check, back, expected, SIZE, "copy_data copies exactly `count` bytes");
    }
    expect_ok(check, bridge_block_free(&copy));
    expect_ok(check, bridge_block_free(&source));
}

static void clone_is_equal_and_independent(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    uint8_t bytes[SIZE], zeros[SIZE] = {0}, back[SIZE] = {0};
    struct bridge_block source = {0}, clone = {0};
    assay_need_any_kind(check); /* the copies below need arbitrary bytes */
    fill_random(check, bytes);
    require_ok(check, bridge_guard_set(device));
    filled(check, device, bytes, &source);
    require_ok(check, bridge_block_clone(source.data, SIZE, &clone));
    expect_that(check, clone.data != source.data, "a clone is a separate block",
                "the clone and its source are both at %p", clone.data);
    expect_int(check, clone.device, device, "a clone is on the current device");
    require_ok(check, bridge_write(source.data, device, zeros, SIZE));
    require_ok(check, bridge_read(clone.data, device, back, SIZE));
    expect_bytes(check, back, bytes, SIZE, "a clone has the contents of its source and keeps them");
    expect_ok(check, bridge_block_free(&source));
    require_ok(check, bridge_read(clone.data, device, back, SIZE));
    expect_bytes(check, back, bytes, SIZE, "a clone outlives its source");
    expect_ok(check, bridge_block_free(&clone));
}

static void clone_of_zero_bytes_is_empty(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    struct bridge_block empty = {0}, clone = {0};
    require_ok(check, bridge_guard_set(device));
    require_ok(check, bridge_allocate(0, &empty));
    require_ok(check, bridge_block_clone(empty.data, 0, &clone));
    expect_pointer(check, clone.data, NULL, "a clone of zero bytes is a null pointer");
    expect_int(check, clone.device, device, "a clone of zero bytes is on the current device");
    expect_ok(check, bridge_block_free(&clone));
    expect_ok(check, bridge_block_free(&empty));
}

const struct assay_check_row block_copies_checks[] = {
    {"allocator.copy_data_copies_no_more_than_count", copy_data_copies_no_more_than_count},
    {"allocator.clone_is_equal_and_independent", clone_is_equal_and_independent},
    {"allocator.clone_of_zero_bytes_is_empty", clone_of_zero_bytes_is_empty},
    {0},
};
