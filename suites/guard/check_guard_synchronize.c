/* SPDX-License-Identifier: BSD-3-Clause
 *
 * synchronizeDevice must wait for the given device and must not change the current device.
 */
#include "bounded.h"
#include "waiting.h"

#include <poll.h>
#include <stdatomic.h>

/* This check is separate because all other checks depend on it. Only a clear refusal shows that the
 * backend lacks `device.sync`. */
static void synchronize_device_does_not_raise(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    require_ok(check, bridge_guard_set(device));
    require_capability(check, "device.sync", bridge_guard_synchronize(device));
}

static void synchronize_keeps_the_current_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    require_ok(check, bridge_guard_set(first));
    require_ok(check, bridge_guard_synchronize(second));
    expect_device(check, bridge_guard_current(), first,
                  "synchronizeDevice does not change the current device");
}

struct waiter {
    struct assay_check *check;
    struct assay_held *held;
    struct bridge_stream stream;
    int32_t device;
    atomic_int returned;
};

static void wait_for_device(void *context)
{
    struct waiter *const waiter = context;
    expect_ok(waiter->check, bridge_guard_synchronize(waiter->device));
}

/* If synchronizeDevice had returned too early, the stream would still be busy here. */
static void synchronize_and_query(void *context)
{
    struct waiter *const waiter = context;
    int32_t idle = -1;
    wait_for_device(waiter);
    expect_ok(waiter->check, bridge_stream_query(waiter->stream, &idle));
    expect_int(waiter->check, idle, 1, "synchronizeDevice returns when the device is idle");
}

static void hold_stream_and_synchronize(struct assay_check *check, int32_t current, int32_t device,
                                        struct bridge_stream stream)
{
    struct assay_held held;
    struct waiter waiter = {.check = check, .device = device, .stream = stream};
    require_ok(check, bridge_guard_set(current));
    const int64_t patience_ns = assay_patience(check, wait_for_device, &waiter);
    require_ok(check, bridge_guard_set(current));
    assay_hold_work(check, waiter.stream, &held);
    assay_expect_wait(check, &held, patience_ns, synchronize_and_query, &waiter,
                      "synchronizeDevice does not return while work is pending",
                      "synchronizeDevice returns");
    assay_gate_finish(&held);
}

static void hold_and_synchronize(struct assay_check *check, int32_t current, int32_t device)
{
    const struct bridge_stream stream = bridge_stream_current(device);
    require_ok(check, stream.status);
    hold_stream_and_synchronize(check, current, device, stream);
}

static void synchronize_waits_for_pending_work(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    hold_and_synchronize(check, device, device);
}

/* synchronizeDevice must also wait for work on a stream that no thread has current. */
static void synchronize_waits_for_every_stream_of_the_device(struct assay_check *check)
{
    const int32_t device = assay_device(check, 0);
    require_ok(check, bridge_guard_set(device));
    const struct bridge_stream stream = bridge_stream_new(device, 0);

    require_capability(check, "streams", stream.status);
    hold_stream_and_synchronize(check, device, device, stream);
}

static void synchronize_once(void *context)
{
    struct waiter *const waiter = context;
    wait_for_device(waiter);
    atomic_store(&waiter->returned, 1);
}

/* Opens the gate when the other thread has returned or half of the remaining time is over, unless
 * the gate opens by itself. The limit is a time, because a busy machine may start the other thread
 * late. */
static void look_and_open(void *context)
{
    struct waiter *const waiter = context;
    struct assay_check *const check = waiter->check;
    const int64_t half = check->host->milliseconds_left(check) / 2;
    while (atomic_load(&waiter->returned) == 0 && assay_gate_is_closed(waiter->held) &&
           check->host->milliseconds_left(check) > half)
        poll(NULL, 0, 1); /* the other thread may need this processor */
    expect_returned_meanwhile(check, waiter->held, atomic_load(&waiter->returned),
                              "synchronizeDevice does not wait for another device");
    assay_gate_open(waiter->held);
}

struct either {
    void (*body)(void *context);
    void *context;
};

static void run_either(void *context)
{
    const struct either *const either = context;
    either->body(either->context);
}

static void synchronize_does_not_wait_for_other_devices(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    struct assay_held held;
    struct waiter waiter = {.check = check, .held = &held, .device = second};
    require_ok(check, bridge_guard_set(second));
    waiter.stream = bridge_stream_current(first);
    require_ok(check, waiter.stream.status);
    assay_hold(check, waiter.stream, &held);
    struct either both[] = {{synchronize_once, &waiter}, {look_and_open, &waiter}};
    assay_on_threads(check, 2, run_either, both, sizeof both[0], "synchronizeDevice returns");
    assay_gate_finish(&held);
}

static void synchronize_waits_for_the_given_device(struct assay_check *check)
{
    hold_and_synchronize(check, assay_device(check, 0), assay_device(check, 1));
}

const struct assay_check_row guard_synchronize_checks[] = {
    {"guard.synchronize_device_does_not_raise", synchronize_device_does_not_raise},
    {"guard.synchronize_keeps_the_current_device", synchronize_keeps_the_current_device},
    {"guard.synchronize_waits_for_pending_work", synchronize_waits_for_pending_work},
    {"guard.synchronize_waits_for_every_stream_of_the_device",
     synchronize_waits_for_every_stream_of_the_device},
    {"guard.synchronize_does_not_wait_for_other_devices",
     synchronize_does_not_wait_for_other_devices},
    {"guard.synchronize_waits_for_the_given_device", synchronize_waits_for_the_given_device},
    {0},
};
