/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests pinned host memory and its lookup by address.
 */
#include "memory_test_support.h"
#include "unit_test.h"

#include <string.h>

static unsigned char *pin(size_t size)
{
    void *pointer = NULL;
    ck_assert_ok(fd_host_allocate(size, &pointer));
    return pointer;
}

TEST(pinned_block_is_ordinary_memory_that_find_knows)
{
    struct fd_block block;
    unsigned char *pointer = pin(5000);
    memset(pointer, 3, 5000);
    for (size_t i = 0; i < 5000; i += 833) {
        ck_assert_ok(fd_memory_find(pointer + i, &block));
        ck_assert_int_eq(block.device, -1);
        ck_assert_ptr_eq(block.base, pointer);
        ck_assert_uint_eq(block.size, 5000);
    }
    ck_assert_ptr_eq(alias_of(pointer + 10, 4990), pointer + 10);
    void *alias = NULL;
    ck_assert_status(fd_memory_alias(pointer + 10, 4991, &alias), FD_ERROR_INVALID_VALUE);
    ck_assert_ok(fd_host_free(pointer));
    ck_assert_status(fd_memory_find(pointer, &block), FD_ERROR_INVALID_HANDLE);
}

TEST(pinned_free_of_what_is_no_block_is_refused)
{
    int garbage = 0;
    unsigned char *pointer = pin(10);
    ck_assert_status(fd_host_free(&garbage), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_host_free(pointer + 1), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_memory_free(pointer), FD_ERROR_INVALID_HANDLE);
    ck_assert_ok(fd_host_free(pointer));
    ck_assert_status(fd_host_free(pointer), FD_ERROR_INVALID_HANDLE);
    ck_assert_ok(fd_host_free(NULL));
}

TEST(pinned_sizes_at_the_edges)
{
    int place = 0;
    void *pointer = &place;
    ck_assert_ok(fd_host_allocate(0, &pointer));
    ck_assert_ptr_null(pointer);
    ck_assert_status(fd_host_allocate(SIZE_MAX, &pointer), FD_ERROR_OUT_OF_MEMORY);
    ck_assert_status(fd_host_allocate((size_t)1 << 40, &pointer), FD_ERROR_OUT_OF_MEMORY);
    ck_assert_status(fd_host_allocate(1, NULL), FD_ERROR_INVALID_VALUE);
    ck_assert_ptr_null(pointer);
}

static void *pin_and_unpin(void *unused)
{
    (void)unused;
    struct fd_block block;
    for (int i = 0; i < 500; i++) {
        unsigned char *pointer = pin((size_t)i * 17 + 1);
        pointer[i] = 1;
        ck_assert_ok(fd_memory_find(pointer + i, &block));
        ck_assert_ptr_eq(block.base, pointer);
        ck_assert_ok(fd_host_free(pointer));
    }
    return NULL;
}

TEST(pinned_from_many_threads_is_counted)
{
    pthread_t threads[4];
    struct fd_counters counters;
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_create(&threads[i], NULL, pin_and_unpin, NULL), 0);
    for (int i = 0; i < 4; i++)
        ck_assert_int_eq(pthread_join(threads[i], NULL), 0);
    fd_get_counters(&counters);
    ck_assert_uint_eq(counters.host_allocations, 2000);
    ck_assert_uint_eq(counters.host_frees, 2000);
}

/* ---- freed with work pending ----------------------------------------------------------------- */

TEST(pinned_freed_before_its_copy_runs_is_still_read)
{
    enum { SIZE = 3 * 4096 };
    fd_stream *stream = make_stream(0);
    unsigned char *source = pin(SIZE), back[SIZE] = {0};
    void *device = NULL;
    struct fd_block block;
    ck_assert_ok(fd_memory_allocate(0, SIZE, stream, &device));
    memset(source, 7, SIZE);
    fd_gate *gate = make_gate(stream);
    ck_assert_ok(fd_memory_copy_async(device, source, SIZE, stream));
    ck_assert_ok(fd_host_free(source));
    ck_assert_status(fd_memory_find(source, &block), FD_ERROR_INVALID_HANDLE);
    ck_assert_ptr_ne(pin(SIZE), source);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_memory_copy_async(back, device, SIZE, stream));
    ck_assert_uint_eq(back[0], 7);
    ck_assert_uint_eq(back[SIZE - 1], 7);
}

TEST(pinned_freed_before_it_is_written_crashes_nobody)
{
    fd_stream *stream = make_stream(0);
    unsigned char *target = pin(5000);
    void *device = NULL;
    ck_assert_ok(fd_memory_allocate(0, 5000, stream, &device));
    fd_gate *gate = make_gate(stream);
    ck_assert_ok(fd_memory_set_async(target, 3, 5000, stream));
    ck_assert_ok(fd_memory_copy_async(target, device, 5000, stream));
    ck_assert_ok(fd_host_free(target));
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(stream));
}
