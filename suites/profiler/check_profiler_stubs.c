/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stubs that a backend registers with registerPrivateUse1Methods, called as the profiler
 * calls them. If a backend registers no stubs, the first check is skipped, and the other checks
 * are not run.
 */
#include "host_clock.h"
#include "recorded.h"
#include "waiting.h"

static void stubs_are_enabled(struct assay_check *check)
{
    struct bridge_profiler_event *event = NULL;
    int32_t enabled = -1;
    require_ok(check, bridge_profiler_enabled(&enabled));
    if (enabled == 0 && bridge_profiler_record(NULL, &event, NULL) != ASSAY_OK)
        assay_skip(check, "profiler.stubs", bridge_error_text());
    expect_int(check, enabled, 1, "enabled() of registered stubs returns true");
    bridge_profiler_event_free(event);
}

/* Records an event on the current stream of the current device. */
static struct bridge_profiler_event *recorded(struct assay_check *check)
{
    struct bridge_profiler_event *event = NULL;
    require_ok(check, bridge_profiler_record(NULL, &event, NULL));
    require_that(check, event != NULL, "record() sets the event", "the event is null");
    return event;
}

static void record_sets_device_event_and_time(struct assay_check *check)
{
    for (uint32_t i = 0; i < check->device_count; i++) {
        const int32_t current = assay_device(check, i);
        struct bridge_profiler_event *event = NULL;
        int32_t device = -1;
        int64_t cpu_ns = -1;
        require_ok(check, bridge_guard_set(current));
        bridge_profiler_event_free(recorded(check));
        require_ok(check, bridge_profiler_record(&device, &event, &cpu_ns));
        expect_int(check, device, current, "record() sets the index of the current device");
        expect_that(check, event != NULL, "record() sets the event", "the event is null");
        expect_that(check, cpu_ns > 0, "record() sets the time of the CPU", "cpu_ns is %lld",
                    (long long)cpu_ns);
        expect_device(check, bridge_guard_current(), current,
                      "record() does not change the current device");
        bridge_profiler_event_free(event);
    }
}

static void elapsed_is_in_microseconds(struct assay_check *check)
{
    double elapsed = -1;
    require_ok(check, bridge_guard_set(assay_device(check, 0)));
    const int64_t before = assay_now_ns();
    struct bridge_profiler_event *const start = recorded(check);
    require_ok(check, bridge_profiler_elapsed(start, start, &elapsed));
    expect_that(check, elapsed >= 0, "elapsed() is not negative", "it is %g", elapsed);
    const int64_t inside = assay_let_time_pass();
    struct bridge_profiler_event *const end = recorded(check);
    require_ok(check, bridge_profiler_elapsed(start, end, &elapsed));
    const int64_t outside = assay_now_ns() - before;

    expect_elapsed(check, .call = "elapsed()", .unit = "us", .unit_ns = 1e3, .elapsed = elapsed,
                   .inside = inside, .outside = outside);
    bridge_profiler_event_free(start);
    bridge_profiler_event_free(end);
}

struct waiter {
    struct assay_check *check;
    struct bridge_profiler_event *start, *end;
};

static void wait_for_elapsed(void *context)
{
    const struct waiter *const waiter = context;
    double elapsed = -1;
    expect_ok(waiter->check, bridge_profiler_elapsed(waiter->start, waiter->end, &elapsed));
    expect_that(waiter->check, elapsed >= 0, "elapsed() to a later event is not negative",
                "it is %g", elapsed);
}

static void elapsed_waits_for_both_events(struct assay_check *check)
{
    const struct bridge_stream stream = assay_enter_stream(check, assay_device(check, 0));
    struct waiter done = {.check = check, .start = recorded(check), .end = recorded(check)};
    const int64_t patience_ns = assay_patience(check, wait_for_elapsed, &done);
    struct assay_held held;
    assay_hold(check, stream, &held);
    struct waiter waiter = {.check = check, .start = done.start, .end = recorded(check)};
    assay_expect_wait(check, &held, patience_ns, wait_for_elapsed, &waiter,
                      "elapsed() does not return before both events are complete",
                      "elapsed() returns");
    assay_gate_finish(&held);
    bridge_profiler_event_free(done.start);
    bridge_profiler_event_free(done.end);
    bridge_profiler_event_free(waiter.end);
}

struct visits {
    struct assay_check *check;
    int32_t seen[64], count;
};

static void visit(void *context, int32_t device)
{
    struct visits *const visits = context;
    expect_device(visits->check, bridge_guard_current(), device,
                  "onEachDevice makes the device current whose index it passes");
    if (device >= 0 && device < (int32_t)(sizeof visits->seen / sizeof *visits->seen))
        visits->seen[device]++;
    visits->count++;
}

static void visit_from(struct assay_check *check, int32_t current)
{
    struct visits visits = {.check = check};
    int32_t count = 0;
    require_ok(check, bridge_guard_count(&count));
    require_ok(check, bridge_guard_set(current));
    require_ok(check, bridge_profiler_on_each_device(visit, &visits));
    expect_int(check, visits.count, count, "onEachDevice calls the function once for each device");
    for (uint32_t i = 0; i < check->device_count; i++) {
        const int32_t device = assay_device(check, i);
        expect_int(check, visits.seen[device], 1, "onEachDevice visits each usable device once");
    }
    expect_device(check, bridge_guard_current(), current,
                  "onEachDevice restores the current device");
}

static void on_each_device_visits_each_device_once(struct assay_check *check)
{
    for (uint32_t i = 0; i < check->device_count; i++)
        visit_from(check, assay_device(check, i));
}

static void wait_for_devices(void *context)
{
    const struct waiter *const waiter = context;
    expect_ok(waiter->check, bridge_profiler_synchronize());
}

static void synchronize_waits_for_the_current_device(struct assay_check *check)
{
    const struct bridge_stream stream = assay_enter_stream(check, assay_device(check, 0));
    struct waiter waiter = {.check = check};
    struct assay_held held;
    const int64_t patience_ns = assay_patience(check, wait_for_devices, &waiter);
    assay_hold_work(check, stream, &held);
    assay_expect_wait(check, &held, patience_ns, wait_for_devices, &waiter,
                      "synchronize() does not return while the device has pending work",
                      "synchronize() returns");
    assay_gate_finish(&held);
}

static void marks_and_ranges_do_not_raise(struct assay_check *check)
{
    expect_works(check, bridge_profiler_mark("mark"), "mark() does not raise");
    expect_works(check, bridge_profiler_range_push("outer"), "rangePush() does not raise");
    expect_works(check, bridge_profiler_range_push(""), "rangePush() takes an empty name");
    expect_works(check, bridge_profiler_range_pop(), "rangePop() does not raise");
    expect_works(check, bridge_profiler_range_pop(), "rangePop() ends the outer range");
}

const struct assay_check_row profiler_stubs_checks[] = {
    {"profiler.stubs_are_enabled", stubs_are_enabled},
    {"profiler.record_sets_device_event_and_time", record_sets_device_event_and_time},
    {"profiler.elapsed_is_in_microseconds", elapsed_is_in_microseconds},
    {"profiler.elapsed_waits_for_both_events", elapsed_waits_for_both_events},
    {"profiler.on_each_device_visits_each_device_once", on_each_device_visits_each_device_once},
    {"profiler.stubs_synchronize_waits_for_pending_work", synchronize_waits_for_the_current_device},
    {"profiler.marks_and_ranges_do_not_raise", marks_and_ranges_do_not_raise},
    {0},
};
