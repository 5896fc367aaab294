/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pinned host memory and its lookup by address.
 */
#include "memory_test_support.h"

#include <string.h>

static unsigned char *pin(size_t size)
{
    void *pointer = NULL;
    ck_assert_ok(fd_host_allocate(size, &pointer));
    return pointer;
}

START_TEST(pinned_block_is_ordinary_memory_that_find_knows)
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
END_TEST

START_TEST(pinned_free_of_what_is_no_block_is_refused)
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
END_TEST

START_TEST(pinned_sizes_at_the_edges)
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
END_TEST

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

START_TEST(pinned_from_many_threads_is_counted)
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
END_TEST

START_TEST(faults_of_pinned_memory_show_what_they_promise)
{
    struct fd_block block;
    unsigned char *pointer = pin(100);
    arm("pinned.not_found_by_interior_pointer");
    ck_assert_ok(fd_memory_find(pointer, &block));
    ck_assert_status(fd_memory_find(pointer + 1, &block), FD_ERROR_INVALID_HANDLE);
    fd_faults_disarm();
    arm("pinned.everything_is_pinned");
    ck_assert_ok(fd_memory_find(&block, &block));
    ck_assert_int_eq(block.device, -1);
    fd_faults_disarm();
    arm("pinned.found_after_free");
    ck_assert_ok(fd_host_free(pointer));
    ck_assert_ok(fd_memory_find(pointer, &block));
}
END_TEST

int main(void)
{
    return FD_TESTS("pinned", pinned_block_is_ordinary_memory_that_find_knows,
                    pinned_free_of_what_is_no_block_is_refused, pinned_sizes_at_the_edges,
                    pinned_from_many_threads_is_counted,
                    faults_of_pinned_memory_show_what_they_promise);
}
