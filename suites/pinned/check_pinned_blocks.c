/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests blocks of pinned memory that are allocated directly from the backend's HostAllocator, and
 * what the hooks report about their addresses. A backend without a HostAllocator may pin with its
 * hooks alone: see test_pinned_tensors.py.
 */
#include "expect.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

enum { CPU = 0 }; /* c10::DeviceType */

static void need_host_allocator(struct assay_check *check)
{
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    if (!bridge_host_registered())
        assay_skip(check, "memory.pinned", "no HostAllocator is registered");
}

static struct bridge_block take(struct assay_check *check, uint64_t size)
{
    struct bridge_block block = {0};
    require_capability(check, "memory.pinned", bridge_host_allocate(size, &block));
    return block;
}

static void expect_pinned(struct assay_check *check, const void *pointer, int32_t expected,
                          const char *what)
{
    int32_t pinned = -1;
    if (expect_ok(check, bridge_hooks_is_pinned(pointer, &pinned)))
        expect_int(check, pinned, expected, what);
}

static void hooks_and_registry_return_the_same_allocator(struct assay_check *check)
{
    const void *of_hooks = NULL;
    need_host_allocator(check);
    const void *const registered = bridge_host_identity();
    assay_is_about_clause(check, "HOST-002");
    expect_works(check, bridge_hooks_pinned_allocator(&of_hooks),
                 "hooks offer the HostAllocator that their backend registers");
    expect_pointer(check, of_hooks, registered,
                   "getPinnedMemoryAllocator returns the registered HostAllocator");
    assay_is_about_clause(check, "HOST-001");
    expect_pointer(check, bridge_host_identity(), registered,
                   "getPinnedMemoryAllocator returns the same object again");
}

static void host_can_read_and_write_pinned_memory(struct assay_check *check)
{
    static const uint64_t sizes[] = {1, 63, 4096, 100001};
    static unsigned char expected[100001];
    need_host_allocator(check);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++) {
        struct bridge_block block = take(check, sizes[i]);
        require_that(check, block.data != NULL, "pinned memory has an address",
                     "HostAllocator::allocate returned null");
        expect_int(check, block.type, CPU, "pinned memory has the CPU as its device");
        memset(expected, (int)(i + 1), sizes[i]);
        memcpy(block.data, expected, sizes[i]);
        expect_bytes(check, block.data, expected, sizes[i],
                     "the host writes and reads pinned memory");
        expect_ok(check, bridge_block_free(&block));
    }
}

static void zero_bytes_can_be_allocated(struct assay_check *check)
{
    struct bridge_block block = {0};
    need_host_allocator(check);
    bridge_block_free(&(struct bridge_block){0});
    if (expect_ok(check, bridge_host_allocate(0, &block))) {
        expect_pointer(check, block.data, NULL, "zero bytes of pinned memory are a null pointer");
        expect_ok(check, bridge_block_free(&block));
    }
}

static void live_blocks_are_reported_as_pinned(struct assay_check *check)
{
    need_host_allocator(check);
    struct bridge_block block = take(check, 10000);
    expect_pinned(check, block.data, 1, "isPinnedPtr is true for the start of a pinned block");
    expect_ok(check, bridge_block_free(&block));
}

static void addresses_inside_a_block_are_pinned(struct assay_check *check)
{
    static const size_t offsets[] = {1, 4096, 9999};
    need_host_allocator(check);
    struct bridge_block block = take(check, 10000);
    for (size_t i = 0; i < sizeof offsets / sizeof offsets[0]; i++) {
        expect_pinned(check, (const char *)block.data + offsets[i], 1,
                      "isPinnedPtr is true inside a pinned block");
    }
    expect_ok(check, bridge_block_free(&block));
}

static void pageable_memory_is_not_reported_as_pinned(struct assay_check *check)
{
    static int on_the_image;
    int on_the_stack = 0;
    void *const on_the_heap = malloc(100000);
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    expect_pinned(check, NULL, 0, "isPinnedPtr is false for a null pointer");
    expect_pinned(check, &on_the_image, 0, "isPinnedPtr is false for a variable");
    expect_pinned(check, &on_the_stack, 0, "isPinnedPtr is false for the stack");
    expect_pinned(check, on_the_heap, 0, "isPinnedPtr is false for memory of malloc");
    free(on_the_heap);
}

static struct bridge_host_stats host_statistics(struct assay_check *check)
{
    struct bridge_host_stats stats = {0};
    require_ok(check, bridge_host_get_stats(&stats));
    return stats;
}

static void released_blocks_are_not_reported_as_pinned(struct assay_check *check)
{
    need_host_allocator(check);
    const int64_t before = host_statistics(check).given_back;
    struct bridge_block block = take(check, 10000);
    const void *const pointer = block.data;
    int32_t pinned = 0;
    require_ok(check, bridge_hooks_is_pinned(pointer, &pinned));
    if (!pinned)
        assay_skip(check, "memory.pinned", "isPinnedPtr is false for a live block");
    require_ok(check, bridge_block_free(&block));
    require_ok(check, bridge_host_empty_cache());
    if (host_statistics(check).given_back == before)
        assay_skip(check, "memory.pinned.caching", "no block is counted as returned to the system");
    expect_pinned(check, pointer, 0,
                  "isPinnedPtr is false for a block that was returned to the system");
}

static void empty_cache_releases_free_blocks(struct assay_check *check)
{
    static const char text[] = "in use";
    need_host_allocator(check);
    struct bridge_block kept = take(check, 5000), freed = take(check, 70000);
    memcpy(kept.data, text, sizeof text);
    const struct bridge_host_stats held = host_statistics(check);
    require_ok(check, bridge_block_free(&freed));
    if (held.taken == 0 || host_statistics(check).given_back != held.given_back)
        assay_skip(check, "memory.pinned.caching", "freed blocks are not cached or not counted");
    expect_ok(check, bridge_host_empty_cache());
    expect_that(check, host_statistics(check).given_back > held.given_back,
                "empty_cache frees cached blocks: num_host_free increases",
                "num_host_free was %" PRId64 " and is %" PRId64, (int64_t)held.given_back,
                (int64_t)host_statistics(check).given_back);
    expect_bytes(check, kept.data, text, sizeof text, "empty_cache does not free a block in use");
    expect_ok(check, bridge_block_free(&kept));
}

static void functions_can_be_called_on_an_empty_allocator(struct assay_check *check)
{
    int32_t recorded = -1;
    struct bridge_block nothing = {0};
    need_host_allocator(check);
    const struct bridge_stream stream = bridge_stream_current(assay_device(check, 0));
    require_ok(check, stream.status);
    expect_ok(check, bridge_host_empty_cache());
    (void)host_statistics(check);
    expect_ok(check, bridge_host_reset_stats());
    if (expect_ok(check, bridge_host_record_event(&nothing, stream, &recorded)))
        expect_int(check, recorded, 0, "record_event is false for an address without a block");
}

/* Calls record_event for an address, without an owned block. A copy makes the same call for pinned
 * memory of another allocator. */
static void expect_recorded(struct assay_check *check, void *pointer, void *context,
                            int32_t expected, const char *what)
{
    const struct bridge_block block = {.data = pointer, .context = context};
    const struct bridge_stream stream = bridge_stream_current(assay_device(check, 0));
    int32_t recorded = -1;
    require_ok(check, stream.status);
    if (expect_ok(check, bridge_host_record_event(&block, stream, &recorded)))
        expect_int(check, recorded, expected, what);
}

static void record_event_accepts_only_own_blocks(struct assay_check *check)
{
    need_host_allocator(check);
    struct bridge_block block = take(check, 10000);
    void *const foreign = malloc(10000);

    expect_recorded(check, block.data, block.context, 1, "record_event recognizes its own block");
    expect_recorded(check, block.data, NULL, 1,
                    "record_event recognizes its own block by the address");
    expect_recorded(check, foreign, foreign, 0, "record_event is false for memory of malloc");
    expect_ok(check, bridge_block_free(&block));
    free(foreign);
}

static struct bridge_host_told told_of(struct assay_check *check, const void *pointer)
{
    struct bridge_host_told told = {0};
    require_ok(check, bridge_host_told_of(pointer, &told));
    return told;
}

static void history_is(struct assay_check *check, int32_t enabled, int32_t *recording)
{
    require_ok(check, bridge_host_record_history(enabled, recording));
}

/* A backend may also keep no history and raise no error, like the base class. */
static void snapshot_lists_pinned_blocks(struct assay_check *check)
{
    int32_t recording = 0;
    need_host_allocator(check);
    history_is(check, 1, &recording);
    struct bridge_block block = take(check, 10000);
    const struct bridge_host_told live = told_of(check, block.data);
    const void *const pointer = block.data;
    expect_ok(check, bridge_block_free(&block));
    if (!recording)
        assay_skip(check, "memory.pinned", "the HostAllocator keeps no history, as the base class");
    expect_that(check, live.segments > 0, "get_segments lists a block in use as allocated",
                "it has no entry for that address");
    expect_that(check, live.taken > 0, "get_traces has an entry ALLOC for an allocated block",
                "it has no entry for that address");
    expect_int(check, live.given_back, 0, "get_traces has no free for a block in use");
    expect_that(check, told_of(check, pointer).given_back > 0,
                "get_traces has an entry FREE_REQUESTED for a freed block",
                "it has no entry for that address");
    history_is(check, 0, &recording);
    expect_int(check, recording, 0, "is_history_enabled is false after the history has ended");
}

const struct assay_check_row pinned_blocks_checks[] = {
    {"pinned.hooks_and_registry_return_the_same_allocator",
     hooks_and_registry_return_the_same_allocator},
    {"pinned.host_can_read_and_write_pinned_memory", host_can_read_and_write_pinned_memory},
    {"pinned.zero_bytes_can_be_allocated", zero_bytes_can_be_allocated},
    {"pinned.live_blocks_are_reported_as_pinned", live_blocks_are_reported_as_pinned},
    {"pinned.addresses_inside_a_block_are_pinned", addresses_inside_a_block_are_pinned},
    {"pinned.pageable_memory_is_not_reported_as_pinned", pageable_memory_is_not_reported_as_pinned},
    {"pinned.released_blocks_are_not_reported_as_pinned",
     released_blocks_are_not_reported_as_pinned},
    {"pinned.empty_cache_releases_free_blocks", empty_cache_releases_free_blocks},
    {"pinned.functions_can_be_called_on_an_empty_allocator",
     functions_can_be_called_on_an_empty_allocator},
    {"pinned.record_event_accepts_only_own_blocks", record_event_accepts_only_own_blocks},
    {"pinned.snapshot_lists_pinned_blocks", snapshot_lists_pinned_blocks},
    {0},
};
