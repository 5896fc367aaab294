/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests streams as values: programs store the device and id of a stream, and use them later.
 */
#include "bounded.h"
#include "recorded.h"

#define MANY 40

static struct bridge_stream numbered(struct bridge_stream like, int64_t id)
{
    like.id = id;
    return like;
}

static void enter(struct assay_check *check, struct bridge_stream stream, const char *what)
{
    const struct bridge_stream former = bridge_stream_exchange(stream);
    require_ok(check, former.status);
    const struct bridge_stream current = bridge_stream_current(stream.device);
    require_ok(check, current.status);
    expect_int(check, current.id, stream.id, what);
}

struct default_view {
    int32_t device;
    struct bridge_stream seen;
};

static void look(void *context)
{
    struct default_view *const view = context;
    view->seen = bridge_stream_default(view->device);
}

static void default_stream_is_always_the_same(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    struct default_view view = {.device = device};
    const struct bridge_stream before = bridge_stream_current(device);
    const struct bridge_stream first = assay_default_stream(check, device);
    expect_int(check, first.device, device,
               "getDefaultStream returns a stream of the requested device");
    enter(check, assay_new_stream(check, device), "exchangeStream makes a new stream current");
    look(&view);
    require_ok(check, view.seen.status);
    expect_int(check, view.seen.id, first.id,
               "getDefaultStream does not depend on the current stream");
    assay_on_thread(check, look, &view, "getDefaultStream returns on another thread");
    require_ok(check, view.seen.status);
    expect_int(check, view.seen.id, first.id,
               "getDefaultStream returns the same stream on each thread");
    if (before.status == ASSAY_OK)
        (void)bridge_stream_exchange(before);
}

/* Gets the default stream of each device while the other device is current. */
static void default_stream_belongs_to_the_requested_device(struct assay_check *check)
{
    const int32_t devices[] = {assay_device(check, 0), assay_device(check, 1)};
    struct bridge_stream found[2];
    for (int i = 0; i < 2; i++) {
        require_ok(check, bridge_guard_set(devices[i]));
        found[i] = assay_default_stream(check, devices[i]);
    }
    for (int i = 0; i < 2; i++) {
        require_ok(check, bridge_guard_set(devices[1 - i]));
        const struct bridge_stream seen = bridge_stream_default(devices[i]);
        require_ok(check, seen.status);
        expect_int(check, seen.device, devices[i],
                   "getDefaultStream returns a stream of the requested device while another "
                   "device is current");
        expect_int(check, seen.id, found[i].id,
                   "getDefaultStream of a device does not depend on the current device");
    }
}

/* PyTorch builds this stream without calling the backend: Stream(DEFAULT, device). */
static void stream_with_id_zero_is_usable(struct assay_check *check)
{
    const struct bridge_stream before = assay_enter_stream(check, assay_device(check, 0));
    const struct bridge_stream zero = numbered(before, 0);
    int32_t idle = -1;
    enter(check, zero, "a stream of id 0 can be made current");
    require_ok(check, bridge_stream_synchronize(zero));
    require_ok(check, bridge_stream_query(zero, &idle));
    expect_int(check, idle, 1, "a stream of id 0 is idle after it was synchronized");
    enter(check, before, "the previous stream can be made current again");
}

static void exchange_stream_accepts_the_previous_stream(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    const struct bridge_stream before = assay_enter_stream(check, device);
    const struct bridge_stream side = assay_new_stream(check, device);
    for (int round = 0; round < 3; round++) {
        enter(check, side, "exchangeStream makes a stream current that was current before");
        enter(check, before, "exchangeStream makes the previous stream current again");
    }
    for (int i = 0; i < MANY; i++)
        (void)assay_new_stream(check, device);
    enter(check, side, "exchangeStream makes a stream current after many others were created");
    enter(check, before, "exchangeStream makes the previous stream current again");
}

static void exchange_stream_rejects_a_bad_index(struct assay_check *check)
{
    struct bridge_stream stream = assay_enter_stream(check, assay_device(check, 0));
    int32_t count = 0;
    require_ok(check, bridge_guard_count(&count));
    stream.device = count;
    expect_refused(check, bridge_stream_exchange(stream).status,
                   "exchangeStream refuses a stream of a device that does not exist");
}

static void stream_guard_restores_stream_and_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    const struct bridge_stream there = bridge_stream_current(second);
    const struct bridge_stream side = assay_new_stream(check, second);
    const struct bridge_stream here = assay_enter_stream(check, first);
    struct bridge_stream_scope *scope = NULL;
    require_ok(check, there.status);
    require_ok(check, bridge_stream_scope_enter(side, &scope));
    expect_device(check, bridge_guard_current(), second,
                  "StreamGuard makes the stream's device current");
    expect_int(check, bridge_stream_current(second).id, side.id,
               "StreamGuard makes its stream current");
    bridge_stream_scope_leave(scope);
    expect_device(check, bridge_guard_current(), first,
                  "leaving a StreamGuard restores the device");
    expect_int(check, bridge_stream_current(second).id, there.id,
               "leaving a StreamGuard restores the stream");
    expect_int(check, bridge_stream_current(first).id, here.id,
               "StreamGuard does not change the current streams of other devices");
}

static void unknown_stream_id_is_rejected(struct assay_check *check)
{
    static const int64_t never_made[] = {0x7ffffff0, 0x7fffffef};
    const struct bridge_stream stream = assay_new_stream(check, assay_device(check, 0));
    int32_t idle = -1;
    for (size_t i = 0; i < sizeof never_made / sizeof never_made[0]; i++) {
        const struct bridge_stream unknown = numbered(stream, never_made[i]);
        expect_refused(check, bridge_stream_query(unknown, &idle),
                       "queryStream refuses an id that no stream has");
        expect_refused(check, bridge_stream_synchronize(unknown),
                       "synchronizeStream refuses an id that no stream has");
    }
}

const struct assay_check_row stream_kept_checks[] = {
    {"streams.default_stream_belongs_to_the_requested_device",
     default_stream_belongs_to_the_requested_device},
    {"streams.default_stream_is_always_the_same", default_stream_is_always_the_same},
    {"streams.stream_with_id_zero_is_usable", stream_with_id_zero_is_usable},
    {"streams.exchange_stream_accepts_the_previous_stream",
     exchange_stream_accepts_the_previous_stream},
    {"streams.exchange_stream_rejects_a_bad_index", exchange_stream_rejects_a_bad_index},
    {"streams.stream_guard_restores_stream_and_device", stream_guard_restores_stream_and_device},
    {"streams.unknown_stream_id_is_rejected", unknown_stream_id_is_rejected},
    {0},
};
