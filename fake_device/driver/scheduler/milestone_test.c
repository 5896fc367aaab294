/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that a milestone keeps its stream alive, and that a long chain of versions is released
 * without recursion.
 */
#include "milestone.h"

#include "stream.h"
#include "stream_test_support.h"
#include "unit_test.h"

TEST(create_keeps_the_stream_until_the_last_release)
{
    fd_stream *stream = make_stream(1);
    struct fd_milestone *mark = fd_milestone_create(stream);
    ck_assert_ptr_nonnull(mark);
    ck_assert_int_eq(mark->device, 1);
    ck_assert(!mark->reached);
    ck_assert_ok(fd_stream_destroy(stream));
    ck_assert_ptr_eq(fd_milestone_share(mark), mark);
    fd_milestone_release(mark);
    ck_assert_uint_eq(fd_stream_submitted(mark->stream), 0);
    fd_milestone_release(mark);
    fd_milestone_release(NULL);
}

TEST(release_of_a_hundred_thousand_versions_needs_no_stack)
{
    fd_stream *stream = make_stream(0);
    struct fd_milestone *first = fd_milestone_create(stream), *last = first;
    for (int i = 0; i < 100000; i++) {
        last->successor = fd_milestone_create(stream);
        last = last->successor;
    }
    fd_milestone_release(first);
    ck_assert_ok(fd_stream_destroy(stream));
    ck_assert_ok(fd_device_synchronize(0));
}
