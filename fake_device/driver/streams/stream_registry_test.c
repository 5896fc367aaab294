/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the two indices of streams, with streams that have no queue.
 */
#include "stream_registry.h"

#include "driver_test.h"

static fd_stream streams[1000];

static void add_all(void)
{
    for (int i = 0; i < 1000; i++) {
        streams[i].device = i % 2;
        fd_registry_add(&streams[i], i < 2);
    }
}

TEST(find_needs_id_and_device)
{
    add_all();
    ck_assert_ptr_eq(fd_registry_find(0, 0), &streams[0]);
    ck_assert_ptr_eq(fd_registry_find(1, 0), &streams[1]);
    for (int i = 2; i < 1000; i++) {
        ck_assert_ptr_eq(fd_registry_find(i % 2, streams[i].id), &streams[i]);
        ck_assert_ptr_null(fd_registry_find(!(i % 2), streams[i].id));
    }
    ck_assert_ptr_null(fd_registry_find(0, -1));
    ck_assert_ptr_null(fd_registry_find(0, INT64_MAX));
}

TEST(retire_hides_the_id_and_keeps_the_device)
{
    int on_device = 0;
    add_all();
    fd_registry_retire(&streams[500]);
    ck_assert_ptr_null(fd_registry_find(0, streams[500].id));
    for (const fd_stream *stream = fd_registry_first(0); stream; stream = stream->next_on_device)
        on_device++;
    ck_assert_int_eq(on_device, 500);
    fd_registry_remove(&streams[500]);
    for (const fd_stream *stream = fd_registry_first(0); stream; stream = stream->next_on_device)
        on_device--;
    ck_assert_int_eq(on_device, 1);
}

TEST(add_after_remove_gives_a_new_id)
{
    add_all();
    const int64_t last = streams[999].id;
    fd_registry_retire(&streams[999]);
    fd_registry_remove(&streams[999]);
    fd_registry_add(&streams[999], false);
    ck_assert_int_eq(streams[999].id, last + 1);
}

TEST(remove_leaves_a_pending_error_on_the_device)
{
    struct fd_async_error taken;
    add_all();
    fd_async_error_put(&streams[3].error, FD_ERROR_KERNEL, 1, "task", streams[3].id, "left");
    fd_registry_retire(&streams[3]);
    fd_registry_remove(&streams[3]);
    fd_async_error_take(fd_registry_orphaned_error(0), UINT64_MAX, &taken);
    ck_assert_status(taken.status, FD_OK);
    fd_async_error_take(fd_registry_orphaned_error(1), UINT64_MAX, &taken);
    ck_assert_status(taken.status, FD_ERROR_KERNEL);
}
