/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests blocks of the device allocator: size, device and contents, and that blocks do not overlap.
 */
#include "sample.h"
#include "tensor_device.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static void is_registered(struct assay_check *check)
{
    const void *const allocator = bridge_allocator_identity();
    struct bridge_block block = {0};
    require_that(check, allocator != NULL, "an allocator is registered for PrivateUse1",
                 "c10::GetAllocator returned null");
    require_ok(check, bridge_allocate(assay_sample_bytes(check, 64), &block));
    require_that(check, block.data != NULL, "allocate(n) returns memory",
                 "Allocator::allocate returned null");
    expect_ok(check, bridge_block_free(&block));
    expect_pointer(check, bridge_allocator_identity(), allocator,
                   "the allocator is the same object after its first use");
}

static void zero_bytes_return_a_null_pointer(struct assay_check *check)
{
    const int32_t device = assay_device(check, check->device_count - 1);
    struct bridge_block block = {0};
    require_ok(check, bridge_guard_set(device));
    require_ok(check, bridge_allocate(0, &block));
    expect_pointer(check, block.data, NULL, "allocate(0) returns a null pointer");
    expect_int(check, block.type, BRIDGE_PRIVATEUSE1, "an empty block is on the backend's device");
    expect_int(check, block.device, device, "an empty block is on the current device");
    expect_ok(check, bridge_block_free(&block));
}

static void use_all_bytes(struct assay_check *check, int32_t device, size_t size)
{
    enum { LARGEST = 1048583 };
    static uint8_t bytes[LARGEST], back[LARGEST];
    uint64_t random = check->seed;
    struct bridge_block block = {0};
    for (size_t i = 0; i < size; i++) {
        bytes[i] = (uint8_t)assay_random(&random);
        back[i] = (uint8_t)~bytes[i];
    }
    require_ok(check, bridge_allocate(size, &block));
    require_that(check, block.data != NULL, "allocate(n) returns memory",
                 "Allocator::allocate returned null");
    require_ok(check, bridge_write(block.data, device, bytes, size));
    require_ok(check, bridge_read(block.data, device, back, size));
    expect_bytes(check, back, bytes, size, "all bytes can be written and read back");
    expect_ok(check, bridge_block_free(&block));
}

/* Every byte, including the last one, is written and read back through the backend's copies. */
static void all_bytes_can_be_written_and_read(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    assay_need_storage(ASSAY_LINE(check));
    assay_need_any_kind(check); /* the copies below need arbitrary bytes */
    require_ok(check, bridge_guard_set(device));
    use_all_bytes(check, device, 1);
    use_all_bytes(check, device, 4099);
}

/* Tests sizes that a backend may split into pieces, because it may copy the last piece wrongly. */
static void large_blocks_can_be_written_and_read(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    assay_need_storage(ASSAY_LINE(check));
    assay_need_any_kind(check); /* the copies below need arbitrary bytes */
    require_ok(check, bridge_guard_set(device));
    use_all_bytes(check, device, 65537);
    use_all_bytes(check, device, 300001);
    use_all_bytes(check, device, 1048583);
}

static void block_is_on_the_current_device(struct assay_check *check)
{
    for (uint32_t i = 0; i < 2; i++) {
        const int32_t device = assay_device(check, i);
        struct bridge_block block = {0};
        require_ok(check, bridge_guard_set(device));
        require_ok(check, bridge_allocate(assay_sample_bytes(check, 512), &block));
        expect_int(check, block.type, BRIDGE_PRIVATEUSE1, "a block is on the backend's device");
        expect_int(check, block.device, device, "a block is on the current device");
        expect_ok(check, bridge_block_free(&block));
    }
}

/* Each block gets different contents. All blocks are written before one is read. */
static void live_blocks_do_not_overlap(struct assay_check *check)
{
    enum { BLOCKS = 24, LARGEST = 3000 };
    static uint8_t bytes[LARGEST], back[LARGEST];
    const int32_t device = assay_device(check, 0);
    struct bridge_block blocks[BLOCKS] = {0};
    uint64_t sizes[BLOCKS], random = check->seed;
    assay_need_any_kind(check); /* the copies below need arbitrary bytes */
    require_ok(check, bridge_guard_set(device));
    for (size_t i = 0; i < BLOCKS; i++) {
        sizes[i] = 1 + assay_random(&random) % LARGEST;
        require_ok(check, bridge_allocate(sizes[i], &blocks[i]));
        memset(bytes, (int)(i + 1), sizes[i]);
        require_ok(check, bridge_write(blocks[i].data, device, bytes, sizes[i]));
    }
    for (size_t i = 0; i < BLOCKS; i++) {
        memset(bytes, (int)(i + 1), sizes[i]);
        require_ok(check, bridge_read(blocks[i].data, device, back, sizes[i]));
        expect_bytes(check, back, bytes, sizes[i],
                     "a write to one block does not change the others");
        expect_ok(check, bridge_block_free(&blocks[i]));
    }
}

/* Returns 1 if each pointer is closer to the next one than a block is long. Such pointers are ids
 * and not addresses, so they need no alignment. */
static int are_ids(const struct bridge_block *blocks, size_t count, uint64_t size)
{
    for (size_t i = 0; i + 1 < count; i++) {
        const uint64_t one = (uint64_t)(uintptr_t)blocks[i].data;
        const uint64_t next = (uint64_t)(uintptr_t)blocks[i + 1].data;
        if ((one < next ? next - one : one - next) >= size)
            return 0;
    }
    return 1;
}

static void blocks_are_aligned(struct assay_check *check)
{
    enum { BLOCKS = 8, SMALLEST = 33 };
    const uint64_t widest = 16; /* size of a complex128 */
    struct bridge_block blocks[BLOCKS] = {0};
    uint64_t lowest = UINT64_C(1) << 20;
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    for (uint64_t i = 0; i < BLOCKS; i++) {
        require_ok(check,
                   bridge_allocate(assay_sample_bytes(check, SMALLEST + 37 * i), &blocks[i]));
        const uint64_t address = (uint64_t)(uintptr_t)blocks[i].data;
        const uint64_t alignment = address & (~address + 1);
        lowest = alignment < lowest ? alignment : lowest;
    }
    if (are_ids(blocks, BLOCKS, SMALLEST))
        assay_skip(check, "storage", "pointers of blocks are ids, not addresses");
    expect_that(check, lowest >= widest, "blocks are aligned for complex128 (16 bytes)",
                "one block is aligned to %" PRIu64 " bytes", lowest);
    assay_note_int(check, "lowest alignment", (int64_t)lowest);
    for (size_t i = 0; i < BLOCKS; i++)
        expect_ok(check, bridge_block_free(&blocks[i]));
}

static void expect_too_large(struct assay_check *check, uint64_t size, int32_t status,
                             const void *data)
{
    static const char what[] = "a request beyond any memory raises";
    char given[40] = "null";
    if (data)
        snprintf(given, sizeof given, "%p", data);
    if (expect_that(check, status != ASSAY_OK, what,
                    "Allocator::allocate(%" PRIu64 ") gave %s, expected an error", size, given))
        expect_refused(check, status, what);
}

static void too_large_request_raises_out_of_memory(struct assay_check *check)
{
    const uint64_t sizes[] = {UINT64_C(1) << 46, (UINT64_C(1) << 46) + 4096, INT64_MAX};
    struct bridge_block block = {0};
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        assay_is_about_clause(check, sizes[i] == INT64_MAX ? "ALLOC-019" : "ALLOC-017");
        expect_too_large(check, sizes[i], bridge_allocate(sizes[i], &block), block.data);
        bridge_block_free(&block);
    }
    assay_is_about_clause(check, "ALLOC-018");
    expect_ok(check, bridge_allocate(assay_sample_bytes(check, 256), &block));
    expect_that(check, block.data != NULL, "afterwards the allocator still allocates memory",
                "Allocator::allocate returned null");
    expect_ok(check, bridge_block_free(&block));
}

const struct assay_check_row blocks_checks[] = {
    {"allocator.is_registered", is_registered},
    {"allocator.zero_bytes_return_a_null_pointer", zero_bytes_return_a_null_pointer},
    {"allocator.all_bytes_can_be_written_and_read", all_bytes_can_be_written_and_read},
    {"allocator.large_blocks_can_be_written_and_read", large_blocks_can_be_written_and_read},
    {"allocator.block_is_on_the_current_device", block_is_on_the_current_device},
    {"allocator.live_blocks_do_not_overlap", live_blocks_do_not_overlap},
    {"allocator.blocks_are_aligned", blocks_are_aligned},
    {"allocator.too_large_request_raises_out_of_memory", too_large_request_raises_out_of_memory},
    {0},
};
