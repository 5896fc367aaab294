/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the queue of a stream without a stream.
 */
#include "task_queue.h"

#include "driver_test.h"

static struct fd_work *make_work(enum fd_work_kind kind, uint64_t sequence)
{
    struct fd_work *work = fd_work_create(kind, "test", &sequence, sizeof sequence);
    ck_assert_ptr_nonnull(work);
    work->sequence = sequence;
    return work;
}

TEST(pop_gives_what_was_pushed_first)
{
    struct fd_task_queue queue = {NULL, NULL};
    ck_assert_ptr_null(fd_task_queue_pop(&queue));
    for (int round = 0; round < 2; round++) {
        for (uint64_t i = 0; i < 5; i++)
            fd_task_queue_push(&queue, make_work(FD_WORK_RUN, i));
        for (uint64_t i = 0; i < 5; i++) {
            struct fd_work *work = fd_task_queue_pop(&queue);
            ck_assert_uint_eq(work->sequence, i);
            ck_assert_mem_eq(work->arguments, &i, sizeof i);
            fd_work_discard(work);
        }
        ck_assert_ptr_null(fd_task_queue_pop(&queue));
    }
}

TEST(drop_keeps_callbacks_in_order)
{
    static const enum fd_work_kind kinds[] = {FD_WORK_CALLBACK, FD_WORK_RUN, FD_WORK_RUN,
                                              FD_WORK_CALLBACK, FD_WORK_RUN};
    static const uint64_t kept[] = {0, 3}, gone[] = {1, 2, 4};
    struct fd_task_queue queue = {NULL, NULL}, dropped = {NULL, NULL}, rest = {NULL, NULL};
    for (uint64_t i = 0; i < 5; i++)
        fd_task_queue_push(&queue, make_work(kinds[i], i));
    ck_assert(fd_task_queue_drop(&queue, &dropped));
    ck_assert(!fd_task_queue_drop(&queue, &rest));
    for (int i = 0; i < 2; i++) {
        struct fd_work *work = fd_task_queue_pop(&queue);
        ck_assert_uint_eq(work->sequence, kept[i]);
        fd_work_discard(work);
    }
    for (int i = 0; i < 3; i++) {
        struct fd_work *work = fd_task_queue_pop(&dropped);
        ck_assert_uint_eq(work->sequence, gone[i]);
        fd_work_discard(work);
    }
    ck_assert_ptr_null(queue.first);
    ck_assert_ptr_null(rest.first);
}

static int discarded;

static void count_discard(void *arguments)
{
    discarded += *(int *)arguments;
}

TEST(discard_calls_the_owner_of_the_arguments_once)
{
    const int value = 3;
    struct fd_work *work = fd_work_create(FD_WORK_RUN, "test", &value, sizeof value);
    work->discard = count_discard;
    fd_work_discard(work);
    ck_assert_int_eq(discarded, 3);
}

TEST(arguments_are_aligned_for_anything)
{
    for (size_t size = 0; size < 100; size++) {
        static const unsigned char bytes[100];
        struct fd_work *work = fd_work_create(FD_WORK_RUN, "test", bytes, size);
        ck_assert_uint_eq((uintptr_t)work->arguments % 16, 0);
        fd_work_discard(work);
    }
}
