/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests that new streams, created or from the pool, have the right device, and that creating a
 * stream changes nothing else.
 */
#include "recorded.h"

#include <inttypes.h>

/* This check is separate because all other checks of streams depend on it. Only a clear refusal
 * shows that the backend lacks `streams`. */
static void new_stream_can_be_created(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    require_ok(check, bridge_guard_set(device));
    (void)assay_new_stream(check, device);
}

static void new_stream_belongs_to_the_requested_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    require_ok(check, bridge_guard_set(first));
    assay_is_about_clause(check, "STRM-049");
    expect_int(check, assay_new_stream(check, second).device, second,
               "getNewStream creates a stream of the requested device");
    require_ok(check, bridge_guard_set(second));
    assay_is_about_clause(check, "STRM-007");
    expect_int(check, assay_new_stream(check, -1).device, second,
               "getNewStream treats the index -1 as the current device");
}

static void new_stream_rejects_a_bad_index(struct assay_check *check)
{
    int32_t count = 0;
    require_ok(check, bridge_guard_count(&count));
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    expect_refused_with(check, bridge_stream_new(count, 0).status, count,
                        "getNewStream refuses a device that does not exist");
}

static void new_streams_are_distinct(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream current = assay_enter_stream(check, device);
    const struct bridge_stream first = assay_new_stream(check, device);
    const struct bridge_stream second = assay_new_stream(check, device);
    expect_that(check, first.id != current.id && second.id != current.id,
                "a new stream is not the initial stream of a thread",
                "the new streams have the ids %" PRId64 " and %" PRId64
                ", the current one had %" PRId64,
                first.id, second.id, current.id);
    expect_that(check, first.id != second.id, "the next new stream is another stream",
                "both have the id %" PRId64, first.id);
}

static void new_stream_does_not_become_current(struct assay_check *check)
{
    for (uint32_t i = 0; i < check->device_count; i++) {
        const int32_t first = assay_device(check, 0), device = assay_device(check, i);
        const struct bridge_stream before = bridge_stream_current(device);

        require_ok(check, before.status);
        require_ok(check, bridge_guard_set(first));
        (void)assay_new_stream(check, device);
        expect_device(check, bridge_guard_current(), first,
                      "getNewStream does not change the current device");
        const struct bridge_stream after = bridge_stream_current(device);
        require_ok(check, after.status);
        expect_int(check, after.id, before.id, "getNewStream does not change the current stream");
    }
}

static void pool_stream_belongs_to_the_requested_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    require_ok(check, bridge_guard_set(first));
    for (int32_t high = 0; high < 2; high++) {
        assay_is_about_clause(check, "STRM-009");
        const struct bridge_stream stream = assay_pool_stream(check, second, high);
        assay_is_about_clause(check, "STRM-049");
        expect_int(check, stream.device, second,
                   "getStreamFromGlobalPool returns a stream of the requested device");
        assay_is_about_clause(check, "STRM-009");
        require_ok(check, bridge_stream_synchronize(stream));
    }
    expect_device(check, bridge_guard_current(), first,
                  "getStreamFromGlobalPool does not change the current device");
}

static void stream_pool_rejects_a_bad_index(struct assay_check *check)
{
    int32_t count = 0;
    require_ok(check, bridge_guard_count(&count));
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    (void)assay_pool_stream(check, assay_device(check, 0), 0);
    expect_refused_with(check, bridge_stream_from_pool(count, 0).status, count,
                        "getStreamFromGlobalPool refuses a device that does not exist");
}

/* The backend may clamp the priority or refuse it. */
static void any_priority_gives_a_stream_or_is_rejected(struct assay_check *check)
{
    static const int32_t priorities[] = {INT32_MIN, -1000, -2, -1, 0, 1, 1000, INT32_MAX};
    const int32_t device = assay_device(check, 0);
    for (size_t i = 0; i < sizeof priorities / sizeof priorities[0]; i++) {
        const struct bridge_stream stream = bridge_stream_new(device, priorities[i]);
        if (stream.status != ASSAY_OK) {
            expect_refused(check, stream.status,
                           "getNewStream refuses a priority with a clear error");
            continue;
        }
        expect_int(check, stream.device, device,
                   "getNewStream creates a stream of its device for every priority");
        require_ok(check, bridge_stream_synchronize(stream));
    }
}

const struct assay_check_row stream_new_checks[] = {
    {"streams.new_stream_can_be_created", new_stream_can_be_created},
    {"streams.new_stream_belongs_to_the_requested_device",
     new_stream_belongs_to_the_requested_device},
    {"streams.new_stream_rejects_a_bad_index", new_stream_rejects_a_bad_index},
    {"streams.new_streams_are_distinct", new_streams_are_distinct},
    {"streams.new_stream_does_not_become_current", new_stream_does_not_become_current},
    {"streams.pool_stream_belongs_to_the_requested_device",
     pool_stream_belongs_to_the_requested_device},
    {"streams.stream_pool_rejects_a_bad_index", stream_pool_rejects_a_bad_index},
    {"streams.any_priority_gives_a_stream_or_is_rejected",
     any_priority_gives_a_stream_or_is_rejected},
    {0},
};
