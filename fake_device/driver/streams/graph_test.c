/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that captured work runs at each replay, that operations that cannot be captured are
 * refused, and that memory stays with its graph.
 */
#include "stream_test_support.h"
#include "unit_test.h"

static struct notes notes = {.lock = PTHREAD_MUTEX_INITIALIZER};

static fd_graph *begin(fd_stream *stream)
{
    fd_graph *graph = NULL;
    ck_assert_ok(fd_graph_begin(stream, &graph));
    return graph;
}

static int32_t is_capturing(fd_stream *stream)
{
    int32_t capturing = -1;
    ck_assert_ok(fd_stream_is_capturing(stream, &capturing));
    return capturing;
}

TEST(launch_a_captured_graph_runs_its_work_each_time)
{
    fd_stream *stream = make_stream(0);
    fd_graph *graph = begin(stream);
    ck_assert_int_eq(is_capturing(stream), 1);
    for (int i = 0; i < 3; i++)
        launch_note(stream, &notes, i);
    ck_assert_ok(fd_graph_end(graph));
    ck_assert_int_eq(is_capturing(stream), 0);
    ck_assert_ok(fd_stream_synchronize(stream));
    ck_assert_int_eq(notes.count, 0);
    for (int round = 1; round <= 3; round++) {
        ck_assert_ok(fd_graph_launch(graph, stream));
        ck_assert_ok(fd_stream_synchronize(stream));
        ck_assert_int_eq(notes.count, 3 * round);
    }
    for (int i = 0; i < 9; i++)
        ck_assert_int_eq(notes.values[i], i % 3);
    ck_assert_ok(fd_graph_destroy(graph));
}

TEST(destroy_a_graph_lets_its_replays_finish)
{
    needs_asynchrony();
    fd_stream *stream = make_stream(0);
    fd_graph *graph = begin(stream);
    launch_note(stream, &notes, 1);
    ck_assert_ok(fd_graph_end(graph));
    fd_gate *gate = make_gate(stream);
    ck_assert_ok(fd_graph_launch(graph, stream));
    ck_assert_ok(fd_graph_destroy(graph));
    ck_assert_ok(fd_gate_destroy(gate));
    ck_assert_ok(fd_stream_synchronize(stream));
    ck_assert_int_eq(notes.count, 1);
    ck_assert_status(fd_graph_launch(graph, stream), FD_ERROR_INVALID_HANDLE);
}

TEST(wait_for_a_stream_that_captures_is_refused)
{
    fd_stream *stream = make_stream(0);
    fd_graph *graph = begin(stream), *second = NULL;
    fd_event *event = NULL;
    ck_assert_status(fd_graph_begin(stream, &second), FD_ERROR_CAPTURING);
    ck_assert_status(fd_stream_query(stream), FD_ERROR_CAPTURING);
    ck_assert_status(fd_stream_synchronize(stream), FD_ERROR_CAPTURING);
    ck_assert_status(fd_device_synchronize(0), FD_ERROR_CAPTURING);
    ck_assert_ok(fd_event_create(0, &event));
    ck_assert_status(fd_event_record(event, stream), FD_ERROR_CAPTURING);
    ck_assert_status(fd_graph_launch(graph, stream), FD_ERROR_CAPTURING);
    ck_assert_ok(fd_graph_end(graph));
    ck_assert_status(fd_graph_end(graph), FD_ERROR_INVALID_VALUE);
    ck_assert_ok(fd_stream_synchronize(stream));
    ck_assert_ok(fd_device_synchronize(0));
    ck_assert_ok(fd_event_destroy(event));
    ck_assert_ok(fd_graph_destroy(graph));
}

TEST(copy_to_the_host_in_a_capture_is_refused)
{
    fd_stream *stream = make_stream(0);
    int number = 7;
    void *pointer = NULL;
    ck_assert_ok(fd_memory_allocate(0, sizeof number, stream, &pointer));
    fd_graph *graph = begin(stream);
    ck_assert_ok(fd_memory_copy_async(pointer, &number, sizeof number, stream));
    ck_assert_status(fd_memory_copy_async(&number, pointer, sizeof number, stream),
                     FD_ERROR_CAPTURING);
    ck_assert_ok(fd_graph_end(graph));
    number = 8; /* the graph captured the old value 7 */
    ck_assert_ok(fd_graph_launch(graph, stream));
    ck_assert_ok(fd_memory_copy_async(&number, pointer, sizeof number, stream));
    ck_assert_int_eq(number, 7);
    ck_assert_ok(fd_graph_destroy(graph));
    ck_assert_ok(fd_memory_free(pointer));
}

static uint64_t reserved_without_cache(int32_t device)
{
    struct fd_memory_stats stats;
    ck_assert_ok(fd_memory_empty_cache(device));
    ck_assert_ok(fd_memory_get_stats(device, &stats));
    return stats.reserved_bytes.current;
}

TEST(free_memory_of_a_capture_stays_with_the_graph)
{
    fd_stream *stream = make_stream(0);
    void *inside = NULL, *outside = NULL;
    fd_graph *graph = begin(stream);
    ck_assert_ok(fd_memory_allocate(0, 4096, stream, &inside));
    ck_assert_ok(fd_memory_free(inside));
    ck_assert_ok(fd_graph_end(graph));
    ck_assert_ok(fd_memory_allocate(0, 4096, stream, &outside));
    ck_assert_ptr_ne(outside, inside);
    /* the allocation must not wait for the graph's keeper, whose gate stays closed */
    ck_assert_ok(fd_device_synchronize(0));
    ck_assert_ok(fd_memory_free(outside));
    ck_assert_uint_gt(reserved_without_cache(0), 0);
    ck_assert_ok(fd_graph_destroy(graph));
    ck_assert_uint_eq(reserved_without_cache(0), 0);
}

TEST(launch_on_another_device_is_refused)
{
    fd_stream *stream = make_stream(0), *other = make_stream(1);
    fd_graph *graph = begin(stream);
    launch_note(stream, &notes, 1);
    ck_assert_ok(fd_graph_end(graph));
    ck_assert_str_eq(fd_graph_task_name(graph, 0), "note");
    ck_assert_ptr_null(fd_graph_task_name(graph, 1));
    ck_assert_status(fd_graph_launch(graph, other), FD_ERROR_INVALID_VALUE);
    ck_assert_ok(fd_graph_destroy(graph));
    ck_assert_ok(fd_graph_destroy(NULL));
}
