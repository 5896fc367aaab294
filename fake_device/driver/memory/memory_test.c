/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the public memory calls on one thread: addresses, lookup, alias, statistics, exhaustion.
 */
#include "memory_test_support.h"

#include "address_space.h"
#include "settings.h"
#include "unit_test.h"

#include <sched.h>
#include <signal.h>
#include <stdatomic.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

TEST(allocate_gives_aligned_disjoint_blocks)
{
    enum { COUNT = 300 };
    unsigned char *blocks[COUNT];
    size_t sizes[COUNT];
    for (unsigned i = 0; i < COUNT; i++) {
        sizes[i] = (i * 7919u) % 100000u + 1;
        blocks[i] = take((int32_t)(i % 2), sizes[i], NULL);
        ck_assert_uint_eq((uintptr_t)blocks[i] % 512, 0);
        memset(alias_of(blocks[i], sizes[i]), (int)(i % 251), sizes[i]);
    }
    for (unsigned i = 0; i < COUNT; i++) {
        const unsigned char *alias = alias_of(blocks[i], sizes[i]);
        /* one assertion per block, because each assertion sends a message to Check's parent
         * process */
        size_t wrong = 0;
        for (size_t j = 0; j < sizes[i]; j++)
            wrong += alias[j] != i % 251;
        ck_assert_uint_eq(wrong, 0);
        give(blocks[i]);
    }
    ck_assert_uint_eq(stats_of(0).blocks.current + stats_of(1).blocks.current, 0);
}

TEST(allocate_of_no_bytes_gives_null)
{
    int place = 0;
    void *pointer = &place;
    ck_assert_ok(fd_memory_allocate(0, 0, NULL, &pointer));
    ck_assert_ptr_null(pointer);
    ck_assert_ok(fd_memory_free(NULL));
    ck_assert_uint_eq(stats_of(0).blocks.allocated, 0);
}

TEST(allocate_with_bad_arguments_is_refused)
{
    void *pointer = NULL;
    int garbage = 0;
    fd_stream *other = make_stream(1), *destroyed = make_stream(0);
    ck_assert_ok(fd_stream_destroy(destroyed));
    ck_assert_status(fd_memory_allocate(FD_MAX_DEVICES, 1, NULL, &pointer),
                     FD_ERROR_INVALID_DEVICE);
    ck_assert_status(fd_memory_allocate(-1, 1, NULL, &pointer), FD_ERROR_INVALID_DEVICE);
    ck_assert_status(fd_memory_allocate(0, 1, NULL, NULL), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_memory_allocate(0, 1, other, &pointer), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_memory_allocate(0, 1, destroyed, &pointer), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_memory_allocate(0, 1, (fd_stream *)(void *)&garbage, &pointer),
                     FD_ERROR_INVALID_HANDLE);
    ck_assert_ptr_null(pointer);
    ck_assert_ok(fd_stream_destroy(other));
}

TEST(free_of_what_is_no_live_block_is_refused)
{
    int garbage = 0;
    unsigned char *pointer = take(0, 1000, NULL);
    ck_assert_status(fd_memory_free(&garbage), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_memory_free(pointer + 1), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_memory_free(pointer + MIB), FD_ERROR_INVALID_HANDLE);
    give(pointer);
    ck_assert_status(fd_memory_free(pointer), FD_ERROR_INVALID_HANDLE);
    ck_assert_uint_eq(stats_of(0).blocks.freed, 1);
}

TEST(free_before_start_is_refused_without_starting)
{
    int garbage = 0;
    ck_assert_status(fd_memory_free(&garbage), FD_ERROR_INVALID_HANDLE);
    ck_assert_int_eq(fd_started(), 0);
}

TEST(find_knows_every_byte_of_a_block)
{
    needs_usual_memory();
    unsigned char *pointer = take(1, 1000, NULL), *next = take(1, 1, NULL);
    struct fd_block block = {0};
    ck_assert_ok(fd_memory_find(pointer + 999, &block));
    ck_assert_int_eq(block.device, 1);
    ck_assert_ptr_eq(block.base, pointer);
    ck_assert_uint_eq(block.size, 1000);
    ck_assert_uint_eq(block.reserved, 1024);
    ck_assert_ok(fd_memory_find(pointer + 1023, &block));
    ck_assert_ptr_eq(block.base, pointer);
    ck_assert_ok(fd_memory_find(pointer + 1024, &block));
    ck_assert_ptr_eq(block.base, next);
    ck_assert_status(fd_memory_find(NULL, &block), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_memory_find(&block, &block), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_memory_find(pointer, NULL), FD_ERROR_INVALID_VALUE);
    give(pointer);
    ck_assert_status(fd_memory_find(pointer, &block), FD_ERROR_INVALID_HANDLE);
    give(next);
}

TEST(alias_keeps_to_its_block)
{
    unsigned char *pointer = take(0, 1000, NULL);
    void *alias = NULL;
    unsigned char *whole = alias_of(pointer, 1000);
    ck_assert_ptr_ne(whole, pointer);
    ck_assert_ptr_eq(alias_of(pointer + 10, 990), whole + 10);
    ck_assert_ptr_eq(alias_of(pointer + 1000, 0), whole + 1000);
    ck_assert_status(fd_memory_alias(pointer, 1001, &alias), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_memory_alias(pointer + 999, 2, &alias), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_memory_alias(pointer + 1010, 1, &alias), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_memory_alias(pointer, SIZE_MAX, &alias), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_memory_alias(pointer, 1, NULL), FD_ERROR_INVALID_VALUE);
    ck_assert_ptr_eq(alias_of(&alias, sizeof alias), &alias);
    give(pointer);
    ck_assert_status(fd_memory_alias(pointer, 1, &alias), FD_ERROR_INVALID_HANDLE);
}

/* ---- host access ----------------------------------------------------------------------------- */

static const volatile unsigned char *guilty;
static _Atomic unsigned kernel_steps;

static fd_status endless_kernel(void *arguments)
{
    volatile unsigned char *alias = *(unsigned char **)arguments;
    for (;;) {
        (*alias)++;
        atomic_fetch_add(&kernel_steps, 1);
    }
    return FD_OK;
}

/* Checks that the fault has the accessed address and that the kernel continues. Then restores the
 * default handler, which ends the process. */
static void judge_fault(int number, siginfo_t *info, void *unused)
{
    (void)unused;
    if (info->si_addr != (const void *)guilty)
        _exit(1);
    const unsigned steps = atomic_load(&kernel_steps);
    while (atomic_load(&kernel_steps) - steps < 1000)
        (void)sched_yield();
    (void)signal(number, SIG_DFL);
}

/* Skipped with eager streams, because the kernel cannot run during the access. */
TEST_DYING(host_access_dies_at_its_address_while_a_kernel_goes_on,
           fd_settings()->eager_streams ? 0 : 2, SIGSEGV)
{
    guilty = take(0, 100, NULL);
    unsigned char *alias = alias_of((const void *)guilty, 100);
    fd_stream *stream = make_stream(0);
    ck_assert_ok(fd_stream_launch(stream, "endless", endless_kernel, &alias, sizeof alias));
    while (atomic_load(&kernel_steps) == 0)
        (void)sched_yield();
    struct sigaction action = {.sa_sigaction = judge_fault, .sa_flags = SA_SIGINFO};
    ck_assert_int_eq(sigaction(SIGSEGV, &action, NULL), 0);
    if (_i == 0)
        (void)*guilty;
    else
        *(volatile unsigned char *)(uintptr_t)guilty = 1;
}

/* ---- statistics ------------------------------------------------------------------------------ */

TEST(stats_follow_allocations_exactly)
{
    needs_usual_memory();
    void *a = take(0, 1000, NULL), *b = take(0, 513, NULL);
    struct fd_memory_stats stats = stats_of(0);
    ck_assert_uint_eq(stats.blocks.current, 2);
    ck_assert_uint_eq(stats.requested_bytes.current, 1513);
    ck_assert_uint_eq(stats.allocated_bytes.current, 2048);
    ck_assert_uint_eq(stats.segments.current, 1);
    ck_assert_uint_eq(stats.reserved_bytes.current, 2 * MIB);
    ck_assert_uint_eq(stats.inactive_blocks.current, 1);
    ck_assert_uint_eq(stats.inactive_bytes.current, 2 * MIB - 2048);
    ck_assert_uint_eq(stats.device_allocations, 1);
    give(a);
    stats = stats_of(0);
    ck_assert_uint_eq(stats.blocks.current, 1);
    ck_assert_uint_eq(stats.blocks.peak, 2);
    ck_assert_uint_eq(stats.inactive_blocks.current, 2);
    give(b);
    stats = stats_of(0);
    ck_assert_uint_eq(stats.allocated_bytes.current, 0);
    ck_assert_uint_eq(stats.allocated_bytes.allocated, 2048);
    ck_assert_uint_eq(stats.allocated_bytes.freed, 2048);
    ck_assert_uint_eq(stats.inactive_blocks.current, 1);
    ck_assert_uint_eq(stats_of(1).blocks.allocated, 0);
}

TEST(stats_resets_touch_only_what_they_name)
{
    void *a = take(0, 4096, NULL);
    give(take(0, 4096, NULL));
    ck_assert_ok(fd_memory_reset_peak(0));
    struct fd_memory_stats stats = stats_of(0);
    ck_assert_uint_eq(stats.blocks.peak, 1);
    ck_assert_uint_eq(stats.blocks.allocated, 2);
    ck_assert_ok(fd_memory_reset_accumulated(0));
    stats = stats_of(0);
    ck_assert_uint_eq(stats.blocks.allocated + stats.blocks.freed + stats.device_allocations, 0);
    ck_assert_uint_eq(stats.blocks.current, 1);
    ck_assert_uint_eq(stats.blocks.peak, 1);
    ck_assert_status(fd_memory_reset_peak(FD_MAX_DEVICES), FD_ERROR_INVALID_DEVICE);
    ck_assert_status(fd_memory_reset_accumulated(-1), FD_ERROR_INVALID_DEVICE);
    ck_assert_status(fd_memory_get_stats(99, &stats), FD_ERROR_INVALID_DEVICE);
    ck_assert_status(fd_memory_get_stats(0, NULL), FD_ERROR_INVALID_VALUE);
    give(a);
}

TEST(info_falls_with_use_and_recovers)
{
    needs_usual_memory();
    needs(!fd_variant_is_on("busy_memory"), "memory without neighbours");
    uint64_t before = 0, during = 0, after = 0, total = 0;
    ck_assert_ok(fd_memory_info(0, &before, &total));
    ck_assert_uint_eq(before, total);
    void *pointer = take(0, 100 * MIB, NULL);
    ck_assert_ok(fd_memory_info(0, &during, NULL));
    ck_assert_uint_eq(during, total - 100 * MIB);
    give(pointer);
    ck_assert_ok(fd_memory_empty_cache(0));
    ck_assert_ok(fd_memory_info(0, &after, NULL));
    ck_assert_uint_eq(after, total);
}

/* ---- cache and exhaustion -------------------------------------------------------------------- */

TEST(empty_cache_gives_pages_back_and_keeps_live_data)
{
    needs_usual_memory();
    void *live = take(0, 3 * MIB, NULL), *freed = take(0, 3 * MIB, NULL);
    memset(alias_of(live, 3 * MIB), 1, 3 * MIB);
    memset(alias_of(freed, 3 * MIB), 2, 3 * MIB);
    give(freed);
    ck_assert_ok(fd_memory_empty_cache(0));
    ck_assert_ok(fd_memory_empty_cache(0));
    const struct fd_memory_stats stats = stats_of(0);
    ck_assert_uint_eq(stats.reserved_bytes.current, 4 * MIB);
    ck_assert_uint_eq(stats.device_frees, 1);
    ck_assert_uint_eq(alias_of(live, 3 * MIB)[3 * MIB - 1], 1);
    struct stat facts;
    ck_assert_int_eq(fstat(fd_space_descriptor(), &facts), 0);
    ck_assert_uint_le((uint64_t)facts.st_blocks * 512, 4 * MIB);
    give(live);
    ck_assert_status(fd_memory_empty_cache(FD_MAX_DEVICES), FD_ERROR_INVALID_DEVICE);
}

TEST(allocate_of_cached_size_does_not_ask_the_device)
{
    needs_usual_memory();
    give(take(0, 5 * MIB, NULL));
    give(take(0, 5 * MIB, NULL));
    ck_assert_uint_eq(stats_of(0).device_allocations, 1);
}

TEST(allocate_of_too_much_is_refused_and_changes_nothing)
{
    const size_t sizes[] = {SIZE_MAX, SIZE_MAX - 4096, (size_t)1 << 63, (size_t)1 << 40,
                            (UINT64_C(1) << 30) + 1};
    void *live = take(0, 100, NULL), *pointer = NULL;
    struct fd_memory_stats before = stats_of(0);
    for (size_t i = 0; i < sizeof sizes / sizeof sizes[0]; i++)
        ck_assert_status(fd_memory_allocate(0, sizes[i], NULL, &pointer), FD_ERROR_OUT_OF_MEMORY);
    ck_assert_ptr_null(pointer);
    struct fd_memory_stats after = stats_of(0);
    ck_assert_uint_eq(after.out_of_memory, 5);
    after.out_of_memory = before.out_of_memory;
    ck_assert_mem_eq(&before, &after, sizeof before);
    give(live);
}

TEST(device_exhausted_recovers_by_emptying_its_cache)
{
    needs_usual_memory();
    fd_settings_for_tests()->memory = 64 * MIB;
    void *pointers[16], *big = NULL;
    for (int i = 0; i < 16; i++)
        pointers[i] = take(1, 4 * MIB, NULL);
    ck_assert_status(fd_memory_allocate(1, 1, NULL, &big), FD_ERROR_OUT_OF_MEMORY);
    ck_assert_ptr_nonnull(strstr(fd_last_error_text(), "device 1 is out of memory: 1 bytes"));
    give(take(0, 64 * MIB, NULL)); /* device 0 still has all its memory */
    for (int i = 0; i < 16; i++)
        give(pointers[i]);
    ck_assert_uint_eq(stats_of(1).retries, 0);
    give(take(1, 64 * MIB, NULL));
    const struct fd_memory_stats stats = stats_of(1);
    ck_assert_uint_eq(stats.retries, 1);
    ck_assert_uint_eq(stats.out_of_memory, 1);
    ck_assert_uint_eq(stats.segments.current, 1);
}

TEST(largest_machine_reserves_its_addresses)
{
    needs_usual_freed_memory();
    needs_usual_memory();
    needs(!fd_variant_is_on("poisoned_new"), "clean new memory");
    fd_settings_for_tests()->devices = 16;
    for (int32_t device = 0; device < 16; device += 15) {
        void *pointer = take(device, UINT64_C(1) << 30, NULL);
        unsigned char *alias = alias_of(pointer, UINT64_C(1) << 30);
        alias[(UINT64_C(1) << 30) - 1] = 9;
        ck_assert_uint_eq(alias[0], 0);
        give(pointer);
    }
    ck_assert_uint_eq(fd_space_size(), UINT64_C(16) << 30);
}

/* ---- variants -------------------------------------------------------------------------------- */

TEST(variant_no_caching_returns_memory_at_once)
{
    needs_usual_memory();
    fd_settings_for_tests()->caching = 0;
    void *a = take(0, 100, NULL), *b = take(0, 5000, NULL);
    ck_assert_uint_eq(stats_of(0).reserved_bytes.current, 3 * 4096);
    give(a);
    give(b);
    const struct fd_memory_stats stats = stats_of(0);
    ck_assert_uint_eq(stats.reserved_bytes.current + stats.inactive_blocks.current, 0);
    ck_assert_uint_eq(stats.device_frees, 2);
}

TEST(variant_large_alignment_aligns_every_block)
{
    fd_settings_for_tests()->alignment = 65536;
    for (size_t i = 1; i < 10; i++)
        ck_assert_uint_eq((uintptr_t)take((int32_t)(i % 2), i * 1000, NULL) % 65536, 0);
}

TEST(variant_poisoned_free_overwrites_in_stream_order)
{
    needs_usual_memory();
    fd_settings_for_tests()->poisoned_free = 1;
    fd_stream *stream = make_stream(0);
    unsigned char *pointer = take(0, 1000, stream), *alias = alias_of(pointer, 1000);
    memset(alias, 7, 1000);
    fd_gate *gate = make_gate(stream);
    give(pointer);
    ck_assert_uint_eq(alias[999], 7); /* enqueued work may still read the block */
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_device_synchronize(0));
    ck_assert_uint_eq(alias[0] & alias[999], 0xff);
    pointer = take(0, 1000, stream);
    ck_assert_ptr_eq(alias_of(pointer, 1000), alias);
    memset(alias, 7, 1000);
    give(pointer); /* the stream is idle, so the block is overwritten immediately */
    ck_assert_uint_eq(alias[500], 0xff);
    ck_assert_ok(fd_stream_destroy(stream));
}
