/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An operator must run on a queue of its tensor's device, even if another device is current. The
 * check holds the queue of the current device.
 */
#include "bounded.h"
#include "instruments.h"

#include <poll.h>
#include <stdatomic.h>

enum { SIZE = 64 };

struct work {
    struct assay_check *check;
    struct assay_held *held;
    int32_t current, other;
    atomic_int returned;
};

/* Fills a tensor and copies it to the host. The copy returns when the tensor's queue has run both
 * operations. */
static void fill_and_read(void *context)
{
    struct work *const work = context;
    const int64_t size = SIZE;
    float back[SIZE];
    struct bridge_tensor *tensor = NULL;
    expect_ok(work->check, bridge_guard_set(work->current));
    if (expect_ok(work->check, bridge_tensor_empty(&size, 1, BRIDGE_FLOAT, work->other, &tensor))) {
        const struct bridge_value fill[] = {{.kind = BRIDGE_TENSOR, .tensor = tensor},
                                            {.kind = BRIDGE_INT, .integer = 7}};
        expect_ok(work->check, bridge_call("aten::fill_.Scalar", fill, 2, NULL));
        expect_ok(work->check, bridge_tensor_read(tensor, back, sizeof back));
    }
    atomic_store(&work->returned, 1);
    bridge_tensor_free(tensor);
}

/* Waits for the other thread for at most half of the check's time, while the queue is held. A
 * correct backend needs only a small part of this time. */
static void look_and_open(void *context)
{
    struct work *const work = context;
    const struct assay_check_host *const host = work->check->host;
    const int64_t enough = host->milliseconds_left(work->check) / 2;
    while (atomic_load(&work->returned) == 0 && assay_gate_is_closed(work->held) &&
           host->milliseconds_left(work->check) > enough)
        poll(NULL, 0, 1); /* the other thread may need this processor */
    expect_returned_meanwhile(
        work->check, work->held, atomic_load(&work->returned),
        "operators on one device do not wait for the queue of the current one");
    assay_gate_open(work->held);
}

struct half {
    void (*body)(void *context);
    void *context;
};

static void run_half(void *context)
{
    const struct half *const half = context;
    half->body(half->context);
}

/* First runs both operators without a gate: a refusal then blocks the check, and lazy
 * initialization is done before the gate is closed. */
static void try_operators(struct assay_check *check, int32_t device)
{
    const int64_t size = SIZE;
    float back[SIZE];
    struct bridge_tensor *tensor = NULL;
    require_ok(check, bridge_tensor_empty(&size, 1, BRIDGE_FLOAT, device, &tensor));
    const struct bridge_value fill[] = {{.kind = BRIDGE_TENSOR, .tensor = tensor},
                                        {.kind = BRIDGE_INT, .integer = 7}};
    require_op(check, "aten::fill_.Scalar", bridge_call("aten::fill_.Scalar", fill, 2, NULL));
    require_op(check, "aten::_copy_from", bridge_tensor_read(tensor, back, sizeof back));
    bridge_tensor_free(tensor);
}

static void operators_use_the_stream_of_their_device(struct assay_check *check)
{
    const int32_t first = assay_device(check, 0), second = assay_device(check, 1);
    struct assay_held held;
    struct work work = {.check = check, .held = &held, .current = first, .other = second};
    const struct bridge_stream stream = bridge_stream_current(first);
    require_ok(check, bridge_guard_set(first));
    try_operators(check, second);
    require_ok(check, stream.status);
    assay_hold(check, stream, &held);
    struct half both[] = {{fill_and_read, &work}, {look_and_open, &work}};
    assay_on_threads(check, 2, run_half, both, sizeof both[0],
                     "operators on another device return");
    assay_gate_finish(&held);
}

const struct assay_check_row guard_other_device_checks[] = {
    {"guard.operators_use_the_stream_of_their_device", operators_use_the_stream_of_their_device},
    {0},
};
