/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests the current stream of each device and thread, and exchangeStream, which changes it.
 */
#include "bounded.h"
#include "recorded.h"

#include <inttypes.h>

static void expect_current(struct assay_check *check, struct bridge_stream stream, const char *what)
{
    const struct bridge_stream current = bridge_stream_current(stream.device);
    require_ok(check, current.status);
    expect_int(check, current.id, stream.id, what);
}

/* Returns the previous stream, for `leave`. */
static struct bridge_stream enter(struct assay_check *check, struct bridge_stream stream)
{
    const struct bridge_stream former = bridge_stream_exchange(stream);
    require_ok(check, former.status);
    return former;
}

/* Other checks test that a stream can be made current again. */
static void leave(struct bridge_stream former)
{
    (void)bridge_stream_exchange(former);
}

static void current_stream_belongs_to_the_requested_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    require_ok(check, bridge_guard_set(first));
    assay_is_about_clause(check, "STRM-003");
    expect_stream(check, bridge_stream_current(second), second,
                  "getStream returns a stream of the requested device");
    require_ok(check, bridge_guard_set(second));
    assay_is_about_clause(check, "STRM-001");
    expect_stream(check, bridge_stream_current(-1), second,
                  "getStream treats the index -1 as the current device");
}

static void current_stream_rejects_a_bad_index(struct assay_check *check)
{
    int32_t count = 0;
    require_ok(check, bridge_guard_count(&count));
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    expect_refused_with(check, bridge_stream_current(count).status, count,
                        "getStream refuses a device that does not exist");
}

static void exchange_stream_returns_the_previous_stream(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream before = assay_enter_stream(check, device);
    const struct bridge_stream side = assay_new_stream(check, device);
    const struct bridge_stream former = bridge_stream_exchange(side);
    require_ok(check, former.status);
    expect_int(check, former.id, before.id, "exchangeStream returns the stream that was current");
    expect_current(check, side, "exchangeStream makes its stream current");
    const struct bridge_stream last = bridge_stream_exchange(former);
    require_ok(check, last.status);
    expect_int(check, last.id, side.id, "exchangeStream returns the stream that was current");
    expect_current(check, before, "exchanging back makes the previous stream current");
}

static void exchange_stream_changes_only_its_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    const struct bridge_stream here = assay_new_stream(check, first);
    const struct bridge_stream there = assay_new_stream(check, second);
    require_ok(check, bridge_guard_set(first));
    assay_is_about_clause(check, "STRM-013");
    const struct bridge_stream former_there = enter(check, there);
    expect_current(check, there, "exchangeStream works for a device that is not current");
    assay_is_about_clause(check, "STRM-012");
    const struct bridge_stream former_here = enter(check, here);
    expect_current(check, there,
                   "exchangeStream does not change the current streams of other devices");
    leave(former_here);
    leave(former_there);
}

struct thread_view {
    int32_t device;
    struct bridge_stream seen;
};

static void look(void *context)
{
    struct thread_view *const view = context;
    view->seen = bridge_stream_current(view->device);
}

static void current_stream_is_per_thread(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream before = assay_enter_stream(check, device);
    const struct bridge_stream side = assay_new_stream(check, device);
    struct thread_view view = {.device = device};
    const struct bridge_stream former = enter(check, side);
    assay_on_thread(check, look, &view, "getStream returns on another thread");
    require_ok(check, view.seen.status);
    if (side.id != before.id) {
        expect_that(check, view.seen.id != side.id,
                    "a stream that one thread makes current is not current on another",
                    "the stream of id %" PRId64 " is current on both", side.id);
    }
    leave(former);
}

const struct assay_check_row stream_current_checks[] = {
    {"streams.current_stream_belongs_to_the_requested_device",
     current_stream_belongs_to_the_requested_device},
    {"streams.current_stream_rejects_a_bad_index", current_stream_rejects_a_bad_index},
    {"streams.exchange_stream_returns_the_previous_stream",
     exchange_stream_returns_the_previous_stream},
    {"streams.exchange_stream_changes_only_its_device", exchange_stream_changes_only_its_device},
    {"streams.current_stream_is_per_thread", current_stream_is_per_thread},
    {0},
};
