/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the query whether a stream has pending work, and waiting for that work.
 */
#include "bounded.h"
#include "recorded.h"
#include "waiting.h"

struct question {
    struct assay_check *check;
    struct bridge_stream stream;
    int32_t idle;
};

static void ask(void *context)
{
    struct question *const question = context;
    expect_ok(question->check, bridge_stream_query(question->stream, &question->idle));
}

static void query_is_true_for_an_idle_stream(struct assay_check *check)
{
    const struct bridge_stream stream = assay_enter_stream(check, assay_device(check, 0));
    int32_t idle = -1;
    require_ok(check, bridge_stream_synchronize(stream));
    require_ok(check, bridge_stream_query(stream, &idle));
    expect_int(check, idle, 1, "a synchronized stream has no pending work");
}

/* Runs on a separate thread. If queryStream waits, the check fails and does not hang. */
static void query_is_false_for_a_busy_stream(struct assay_check *check)
{
    const struct bridge_stream stream = assay_enter_stream(check, assay_device(check, 0));
    struct question question = {.check = check, .stream = stream, .idle = -1};
    struct assay_held held;
    assay_hold_work(check, stream, &held);
    assay_on_thread(check, ask, &question, "queryStream returns while work is pending");
    expect_int(check, question.idle, 0, "a stream with pending work is not idle");
    assay_gate_finish(&held);
    require_ok(check, bridge_stream_synchronize(stream));
    ask(&question);
    expect_int(check, question.idle, 1, "a stream whose work is done is idle");
}

static void wait_for_stream(void *context)
{
    struct question *const question = context;
    expect_ok(question->check, bridge_stream_synchronize(question->stream));
}

static void wait_and_ask(void *context)
{
    struct question *const question = context;
    wait_for_stream(question);
    ask(question);
    expect_int(question->check, question->idle, 1,
               "synchronizeStream returns when the stream is idle");
}

static void synchronize_blocks_the_host(struct assay_check *check)
{
    const struct bridge_stream stream = assay_enter_stream(check, assay_device(check, 0));
    struct question question = {.check = check, .stream = stream, .idle = -1};
    const int64_t patience_ns = assay_patience(check, wait_for_stream, &question);
    struct assay_held held;
    assay_hold_work(check, stream, &held);
    assay_expect_wait(check, &held, patience_ns, wait_and_ask, &question,
                      "synchronizeStream does not return while work is pending",
                      "synchronizeStream returns");
    assay_gate_finish(&held);
}

struct earlier {
    struct assay_check *check;
    void *mark;
};

static void wait_for_mark(void *context)
{
    struct earlier *const earlier = context;
    expect_ok(earlier->check, bridge_event_synchronize(earlier->mark));
}

static void wait_event_delays_only_later_work(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream waiting = assay_new_stream(check, device);
    const struct bridge_stream stream = assay_enter_stream(check, device);
    struct earlier earlier = {.check = check, .mark = assay_record(check, waiting)};
    struct assay_held held;
    assay_hold(check, stream, &held);
    void *const event = assay_record(check, stream);
    require_ok(check, bridge_event_block(event, waiting));
    void *const later = assay_record(check, waiting);
    assay_on_thread(check, wait_for_mark, &earlier,
                    "work that was enqueued before a wait does not wait");
    expect_int(check, assay_is_complete(check, later), 0,
               "work that is enqueued after a wait does wait");
    assay_gate_open(&held);
    require_ok(check, bridge_stream_synchronize(waiting));
    assay_gate_finish(&held);
    bridge_event_destroy(earlier.mark, device);
    bridge_event_destroy(later, device);
    bridge_event_destroy(event, device);
}

const struct assay_check_row stream_work_checks[] = {
    {"streams.query_is_true_for_an_idle_stream", query_is_true_for_an_idle_stream},
    {"streams.query_is_false_for_a_busy_stream", query_is_false_for_a_busy_stream},
    {"streams.synchronize_blocks_the_host", synchronize_blocks_the_host},
    {"streams.wait_event_delays_only_later_work", wait_event_delays_only_later_work},
    {0},
};
