/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Profiler stubs: device time in torch.autograd.profiler.
 *
 * Purpose: profile(use_device="fakedev", use_kineto=False) records a device event before and after
 * each operator, and queries the time between them.
 * If this file is removed, the profile has CPU times only, and C++ prints "PrivateUse1 used in
 * profiler but not enabled" for each operator.
 * Traps: enabled() returns false by default. elapsed() is in microseconds and must wait for both
 * events. cpu_ns may be null. onEachDevice must restore the current device. The profiler uses an
 * event after the call that created it, so a shared pointer owns each event.
 * Serves: PROF-001 to PROF-008.
 */
#include "device_index.h"
#include "status.h"
#include "streams.h"

#include <c10/util/ApproximateClock.h>
#include <torch/csrc/profiler/stubs/base.h>

#include <functional>
#include <memory>

namespace fakedev
{

namespace
{

using torch::profiler::impl::ProfilerVoidEventStub;

fd_event *handle_of(const ProfilerVoidEventStub *event)
{
    TORCH_CHECK(event && *event, "fakedev: a profiler event that was never recorded");
    return static_cast<fd_event *>(event->get());
}

struct ProfilerStubs final : torch::profiler::impl::ProfilerStubs {
    bool enabled() const override
    {
        return true;
    }

    void record(c10::DeviceIndex *device, ProfilerVoidEventStub *event,
                int64_t *cpu_ns) const override
    {
        fd_event *handle = nullptr;
        const c10::DeviceIndex index = current_device();
        check(fd_event_create(FD_EVENT_TIMING, &handle), "create event");
        *event = ProfilerVoidEventStub(
            handle, [](void *owned) { (void)fd_event_destroy(static_cast<fd_event *>(owned)); });
        check(fd_event_record(handle, current_stream(index)), "record event");
        if (device)
            *device = index;
        if (cpu_ns)
            *cpu_ns = c10::getTime();
    }

    float elapsed(const ProfilerVoidEventStub *start,
                  const ProfilerVoidEventStub *end) const override
    {
        constexpr double microseconds_per_millisecond = 1000;
        double milliseconds = 0;
        check(fd_event_synchronize(handle_of(start)), "synchronize event");
        check(fd_event_synchronize(handle_of(end)), "synchronize event");
        check(fd_event_elapsed(handle_of(start), handle_of(end), &milliseconds), "elapsed time");
        return static_cast<float>(milliseconds * microseconds_per_millisecond);
    }

    void onEachDevice(std::function<void(int)> operation) const override
    {
        for (c10::DeviceIndex i = 0; i < device_count(); i++) {
            const DeviceScope scope(i);
            operation(i);
        }
    }

    void synchronize() const override
    {
        for (c10::DeviceIndex i = 0; i < device_count(); i++)
            check(fd_device_synchronize(i), "synchronize device");
    }

    /* Marks and ranges are for a vendor's own tracing tool, which this device does not have. */
    void mark(const char * /*name*/) const override
    {
    }

    void rangePush(const char * /*name*/) const override
    {
    }

    void rangePop() const override
    {
    }
};

const bool stubs_registered = [] {
    static ProfilerStubs stubs;

    torch::profiler::impl::registerPrivateUse1Methods(&stubs);
    return true;
}();

} // namespace

} // namespace fakedev
