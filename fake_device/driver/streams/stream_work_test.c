/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests launching, callbacks, waiting and asynchronous errors of one stream.
 */
#include "stream_test_support.h"

#include "counters.h"
#include "settings.h"
#include "stream.h"
#include "unit_test.h"

#include <string.h>

static struct notes notes = {.lock = PTHREAD_MUTEX_INITIALIZER};

TEST(launch_copies_its_arguments)
{
    fd_stream *stream = make_stream(0);
    fd_gate *gate = make_gate(stream);
    struct note note = {&notes, 1};
    ck_assert_ok(fd_stream_launch(stream, "note", note_task, &note, sizeof note));
    note.value = 2;
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(stream));
    ck_assert_int_eq(notes.values[0], 1);
}

TEST(launch_with_bad_arguments_is_refused)
{
    static unsigned char large[4097];
    fd_stream *stream = make_stream(0);
    ck_assert_status(fd_stream_launch(stream, NULL, note_task, large, 1), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_stream_launch(stream, "x", NULL, large, 1), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_stream_launch(stream, "x", note_task, NULL, 1), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_stream_launch(stream, "x", note_task, large, 4097), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_stream_launch(NULL, "x", note_task, large, 1), FD_ERROR_INVALID_HANDLE);
    ck_assert_status(fd_stream_callback(stream, NULL, NULL), FD_ERROR_INVALID_VALUE);
    ck_assert_status(fd_stream_callback(NULL, free, NULL), FD_ERROR_INVALID_HANDLE);
    ck_assert_ok(fd_stream_launch(stream, "nothing", fd_work_nothing, large, 4096));
    ck_assert_ok(fd_stream_launch(stream, "nothing", fd_work_nothing, NULL, 0));
    ck_assert_ok(fd_stream_synchronize(stream));
}

static void note_from_callback(void *data)
{
    (void)note_task(data);
}

TEST(callback_runs_in_its_turn)
{
    fd_stream *stream = make_stream(0);
    fd_gate *gate = make_gate(stream);
    struct note second = {&notes, 2};
    launch_note(stream, &notes, 1);
    ck_assert_ok(fd_stream_callback(stream, note_from_callback, &second));
    launch_note(stream, &notes, 3);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(stream));
    for (int i = 0; i < 3; i++)
        ck_assert_int_eq(notes.values[i], i + 1);
}

TEST(error_of_a_task_is_reported_once_with_its_text)
{
    fd_stream *stream = make_stream(0);
    launch_failure(stream, 17);
    launch_failure(stream, 18);
    launch_note(stream, &notes, 1);
    ck_assert_status(fd_stream_synchronize(stream), FD_ERROR_KERNEL);
    ck_assert_ptr_nonnull(strstr(fd_last_error_text(), "number 17 went wrong"));
    ck_assert_ptr_nonnull(strstr(fd_last_error_text(), "failing"));
    ck_assert_ok(fd_stream_synchronize(stream));
    ck_assert_int_eq(notes.count, 1);
}

static fd_status silent_failure(void *arguments)
{
    (void)arguments;
    return FD_ERROR_INDEX;
}

TEST(error_without_a_text_does_not_borrow_an_older_one)
{
    fd_stream *stream = make_stream(0);
    launch_failure(stream, 17);
    ck_assert_status(fd_stream_synchronize(stream), FD_ERROR_KERNEL);
    ck_assert_ok(fd_stream_launch(stream, "silent", silent_failure, NULL, 0));
    ck_assert_status(fd_stream_synchronize(stream), FD_ERROR_INDEX);
    ck_assert_ptr_null(strstr(fd_last_error_text(), "17"));
}

TEST(query_leaves_the_error_to_the_next_synchronisation)
{
    fd_stream *stream = make_stream(0);
    launch_failure(stream, 1);
    while (fd_stream_query(stream) == FD_ERROR_NOT_READY) {
    }
    ck_assert_ok(fd_stream_query(stream));
    ck_assert_status(fd_stream_synchronize(stream), FD_ERROR_KERNEL);
}

static fd_status wait_inside(void *arguments)
{
    fd_stream *stream = *(fd_stream **)arguments;
    return fd_stream_synchronize(stream) == FD_ERROR_INVALID_VALUE ? FD_OK : FD_ERROR_KERNEL;
}

TEST(synchronize_inside_a_task_is_refused)
{
    fd_stream *stream = make_stream(0);
    ck_assert_ok(fd_stream_launch(stream, "wait inside", wait_inside, &stream, sizeof stream));
    ck_assert_ok(fd_stream_synchronize(stream));
}

TEST(queue_at_its_limit_refuses_more)
{
    fd_stream *stream = make_stream(0);
    fd_gate *gate = make_gate(stream);
    /* Fill the queue with gates, which are the smallest items. */
    fd_status status = FD_OK;
    uint64_t accepted = 0;
    for (; status == FD_OK; accepted++)
        status = fd_gate_close(gate, stream);
    ck_assert_str_eq(fd_status_name(status), "FD_ERROR_OUT_OF_MEMORY");
    ck_assert_uint_eq(accepted, UINT64_C(1) << 20);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(stream));
    launch_note(stream, &notes, 1);
    ck_assert_ok(fd_stream_synchronize(stream));
}

TEST(counters_tell_enqueued_from_completed)
{
    fd_stream *stream = make_stream(0);
    fd_gate *gate = make_gate(stream);
    struct fd_counters held, done;
    launch_note(stream, &notes, 1);
    fd_get_counters(&held);
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(stream));
    fd_get_counters(&done);
    ck_assert_uint_eq(held.tasks_enqueued, held.tasks_completed + 2);
    ck_assert_uint_eq(done.tasks_enqueued, done.tasks_completed);
    ck_assert_uint_eq(done.synchronizations, held.synchronizations + 1);
}
