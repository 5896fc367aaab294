/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tests a gate of long work on a simulated device without a clock: a piece of work completes after
 * a given number of queries. The bridge is replaced by a stub, so that this test runs without
 * torch.
 */
#include "bridge_raised.h"
#include "fake_host.h"
#include "instruments.h"
#include "unit_test.h"

#include <stdlib.h>
#include <string.h>

enum { HELD = 7, FLAG_BYTES = 256, PIECES = 32, FEW_PARTS = 16, MANY = 3 };

struct bridge_tensor {
    uint64_t bytes;
    int piece; /* number (from 1) of the work that fills the tensor or runs before */
    int is_mark;
};

/* The properties of the device and the state of its work. */
static struct {
    int looks;        /* queries that complete a short piece; a long piece needs twice as many */
    int passing;      /* number of queries that one bridge_event_block counts as */
    int quirks;       /* flags of the enum below */
    int given;        /* parts of the current piece so far */
    int left[PIECES]; /* queries until each piece completes */
    int pieces, behind;
    int recorded, completed; /* events of a device with queues */
    int64_t current, streams;
} device;

enum { NO_STREAMS = 1, NO_EVENTS = 2, DEAF = 4, QUEUES = 8, LAGS = 16, LOSES = 32 };

/* The clock of the check, which each query of a device that LOSES copies moves. */
static int64_t *milliseconds;

static int32_t refuse(int what)
{
    return (device.quirks & what) ? ASSAY_EUNSUPPORTED : ASSAY_OK;
}

const char *bridge_error_text(void)
{
    return (device.quirks & NO_STREAMS) ? "no streams\nfrom here" : "no events";
}

int32_t bridge_raised(void)
{
    return BRIDGE_RAISED_SAID;
}

const struct assay_build *bridge_build(void)
{
    return NULL;
}

struct bridge_stream bridge_stream_new(int32_t index, int32_t priority)
{
    (void)priority;
    return (struct bridge_stream){
        .id = ++device.streams, .status = refuse(NO_STREAMS), .device = index};
}

int32_t bridge_stream_scope_enter(struct bridge_stream stream, struct bridge_stream_scope **scope)
{
    (void)scope;
    device.current = stream.id;
    return ASSAY_OK;
}

void bridge_stream_scope_leave(struct bridge_stream_scope *scope)
{
    (void)scope;
}

/* Events complete in the order of their numbers. If the device is DEAF, events of the held stream
 * complete immediately. */
int32_t bridge_event_record(void **event, struct bridge_stream stream, int32_t index, int32_t flag)
{
    int *const number = calloc(1, sizeof *number);
    (void)index, (void)flag;
    *number = stream.id == HELD && (device.quirks & DEAF) ? 0 : ++device.recorded;
    *event = number;
    return refuse(NO_EVENTS);
}

/* Each query completes some of the pending events. */
int32_t bridge_event_query(void *event, int32_t *complete)
{
    *complete = !(device.quirks & QUEUES) || *(int *)event <= device.completed;
    device.completed += 1 + (device.recorded - device.completed) / 32;
    return ASSAY_OK;
}

int32_t bridge_event_synchronize(void *event)
{
    const int done = *(int *)event + 1;
    if (!(device.quirks & LAGS) && device.completed < done)
        device.completed = done;
    return ASSAY_OK;
}

int32_t bridge_event_block(void *event, struct bridge_stream stream)
{
    (void)event;
    if (stream.id == HELD && !(device.quirks & DEAF))
        device.behind = device.pieces;
    device.left[device.pieces] -= device.passing;
    return ASSAY_OK;
}

void bridge_event_destroy(void *event, int32_t index)
{
    (void)index;
    free(event);
}

int32_t bridge_tensor_from_bytes(const void *bytes, uint64_t size, const int64_t *sizes,
                                 int32_t dim, int32_t dtype, struct bridge_tensor **tensor)
{
    (void)bytes, (void)sizes, (void)dim, (void)dtype;
    *tensor = calloc(1, sizeof **tensor);
    (*tensor)->bytes = size;
    return ASSAY_OK;
}

int32_t bridge_tensor_to(const struct bridge_tensor *tensor, int32_t index,
                         struct bridge_tensor **copy)
{
    (void)index;
    return bridge_tensor_from_bytes(NULL, tensor->bytes, NULL, 0, 0, copy);
}

void bridge_tensor_free(struct bridge_tensor *tensor)
{
    free(tensor);
}

static int32_t begin_piece(struct bridge_tensor *flag)
{
    ck_assert_int_lt(device.pieces + 1, PIECES);
    flag->piece = ++device.pieces;
    device.left[flag->piece] = device.given > FEW_PARTS ? 2 * device.looks : device.looks;
    device.given = 0;
    return ASSAY_OK;
}

int32_t bridge_call(const char *op, const struct bridge_value *values, int32_t count,
                    struct bridge_tensor **result)
{
    struct bridge_tensor *const to = (struct bridge_tensor *)values[0].tensor;
    (void)op, (void)count, (void)result;
    if (to->bytes > FLAG_BYTES)
        return device.given++, ASSAY_OK;
    if (device.current != HELD)
        return begin_piece(to);
    to->is_mark = 1;
    to->piece = device.behind;
    return ASSAY_OK;
}

/* Work completes in order. Each query brings the piece closer to its end. */
static int is_done(const struct bridge_tensor *tensor)
{
    for (int piece = 1; piece <= tensor->piece; piece++) {
        const int is_looked_at = piece == tensor->piece && !tensor->is_mark;
        if (device.left[piece] > 0)
            return is_looked_at && --device.left[piece] == 0;
    }
    return 1;
}

int32_t bridge_tensor_read(const struct bridge_tensor *tensor, void *bytes, uint64_t size)
{
    float *const numbers = bytes;
    const float seen = is_done(tensor) && !(device.quirks & LOSES) ? 1 : 0;
    if (device.quirks & LOSES)
        *milliseconds /= 2;
    for (uint64_t i = 0; i < size / sizeof seen; i++)
        numbers[i] = seen;
    return ASSAY_OK;
}

/* ---- use by checks */

static const struct bridge_stream stream = {.id = HELD};

static void all_work_is_done(void)
{
    device.completed = device.recorded;
    memset(device.left, 0, sizeof device.left);
}

static void holds(struct assay_check *check)
{
    struct assay_held held;
    assay_hold(check, stream, &held);
    ck_assert((device.quirks & QUEUES) || device.behind == device.pieces);
    ck_assert_int_eq(assay_gate_is_closed(&held), 1);
    assay_gate_open(&held);
    assay_gate_finish(&held);
    expect_true(check, device.left[device.pieces] == 0, "it is open when its work is done");
}

static void holds_work(struct assay_check *check)
{
    struct assay_held held;
    assay_hold_work(check, stream, &held);
    assay_gate_finish(&held);
}

static void opens_early(struct assay_check *check)
{
    struct assay_held held;
    assay_hold(check, stream, &held);
    all_work_is_done();
    assay_gate_finish(&held);
}

static void sees_something_wrong(struct assay_check *check)
{
    struct assay_held held;
    assay_hold(check, stream, &held);
    require_true(check, 0, "a demand");
}

static void sees_something_wrong_too_late(struct assay_check *check)
{
    struct assay_held held;
    assay_hold(check, stream, &held);
    all_work_is_done();
    require_true(check, 0, "a demand");
}

static void takes_too_long(struct assay_check *check)
{
    struct fake_host *const host = check->context;
    struct assay_held held;
    assay_hold(check, stream, &held);
    host->milliseconds /= 4;
    assay_gate_finish(&held);
    expect_true(check, 0, "a demand");
}

static void sees_something_wrong_after_it(struct assay_check *check)
{
    struct assay_held held;
    assay_hold(check, stream, &held);
    assay_gate_finish(&held);
    expect_true(check, 0, "a demand");
}

static void waits_for_a_call(struct assay_check *check)
{
    struct assay_held held;
    assay_hold(check, stream, &held);
    expect_returned_meanwhile(check, &held, 1, "a demand");
    expect_returned_meanwhile(check, &held, 0, "a demand");
    assay_gate_finish(&held);
}

static void two_hold_one_stream(struct assay_check *check)
{
    struct assay_held first, second;
    assay_hold(check, stream, &first);
    assay_hold(check, stream, &second);
    assay_gate_open(&first);
    expect_true(check, assay_gate_is_closed(&second), "the second one holds on");
    assay_gate_finish(&first);
    assay_gate_finish(&second);
}

static void two_streams_at_a_time(struct assay_check *check)
{
    const struct bridge_stream other = {.id = HELD + 1};
    struct assay_held first, second;
    assay_hold(check, stream, &first);
    assay_hold(check, other, &second);
}

#define OWN "no adapter offers a gate, and "
#define NOTHING_GOES_ON                                                                            \
    OWN "none can be made: all work that was tried was done when its calls returned"

static const struct {
    void (*body)(struct assay_check *check);
    int looks, passing, quirks; /* properties of the device */
    int kind;                   /* kind of the finding, or 0 */
    const char *seen;
} cases[] = {
    {holds, MANY, 0, 0, 0, ""},
    {holds, 2, 1, 0, 0, ""},
    {holds, MANY, 0, DEAF, ASSAY_FINDING_UNOBSERVABLE,
     OWN "a stream behind an event was not seen to wait"},
    {holds, 0, 0, 0, ASSAY_FINDING_UNOBSERVABLE, NOTHING_GOES_ON},
    {holds, MANY, 0, LOSES, ASSAY_FINDING_UNOBSERVABLE,
     OWN "none can be made: the end of the work never arrived on the host"},
    {holds, MANY, 0, NO_STREAMS, ASSAY_FINDING_UNOBSERVABLE,
     OWN "none can be made: there are no other streams: no streams"},
    {holds, MANY, 0, NO_EVENTS, ASSAY_FINDING_UNOBSERVABLE, OWN "none can be made: no events"},
    {opens_early, MANY, 0, 0, ASSAY_FINDING_UNOBSERVABLE,
     OWN "the work that held the stream ended too early"},
    {sees_something_wrong, MANY, 0, 0, ASSAY_FINDING_FAIL, "not so: 0"},
    {sees_something_wrong_too_late, MANY, 0, 0, ASSAY_FINDING_UNOBSERVABLE,
     OWN "the work that held the stream ended too early"},
    {takes_too_long, MANY, 0, 0, ASSAY_FINDING_UNOBSERVABLE,
     OWN "the work that held the stream ended too late"},
    {sees_something_wrong_after_it, MANY, 0, 0, ASSAY_FINDING_FAIL, "not so: 0"},
    {waits_for_a_call, MANY, 0, 0, ASSAY_FINDING_UNOBSERVABLE,
     OWN "the gate of the check did not show it"},
    {two_hold_one_stream, MANY, 0, 0, 0, ""},
    {holds, 0, 0, QUEUES, 0, ""},
    {holds_work, MANY, 0, 0, 0, ""},
    {holds_work, 0, 0, QUEUES, ASSAY_FINDING_UNOBSERVABLE, NOTHING_GOES_ON},
    {two_hold_one_stream, 0, 0, QUEUES, 0, ""},
    {holds, 0, 0, QUEUES | LAGS, ASSAY_FINDING_UNOBSERVABLE, NOTHING_GOES_ON},
    {holds, 0, 0, DEAF | QUEUES, ASSAY_FINDING_UNOBSERVABLE, NOTHING_GOES_ON},
    {opens_early, 0, 0, QUEUES, ASSAY_FINDING_UNOBSERVABLE,
     OWN "the work that held the stream ended too early"},
    {sees_something_wrong, 0, 0, QUEUES, ASSAY_FINDING_FAIL, "not so: 0"},
    {two_streams_at_a_time, MANY, 0, 0, ASSAY_FINDING_UNOBSERVABLE,
     OWN "the gate of the check holds only one stream at a time"},
};

TEST_EACH(gate_holds_or_says_why_not, cases)
{
    struct fake_host host = {.milliseconds = 30000};
    milliseconds = &host.milliseconds;
    memset(&device, 0, sizeof device);
    device.looks = cases[_i].looks;
    device.passing = cases[_i].passing;
    device.quirks = cases[_i].quirks;
    fake_host_run(&host, cases[_i].body);
    ck_assert_int_eq(host.kind, cases[_i].kind);
    if (cases[_i].kind)
        ck_assert_str_eq(host.seen, cases[_i].seen);
    if (cases[_i].kind == ASSAY_FINDING_UNOBSERVABLE)
        ck_assert_str_eq(host.subject, ASSAY_GATE);
}
