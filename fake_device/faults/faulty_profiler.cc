/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The profiler stubs with their faults. Each method queries its own faults. If none is on, it calls
 * the correct method.
 */
#include "faulty_parts.h"

#include "device_index.h"
#include "status.h"
#include "switchboard.h"

#include <torch/csrc/profiler/stubs/base.h>

namespace fakedev
{

namespace
{

using torch::profiler::impl::ProfilerVoidEventStub;

bool is_complete(const ProfilerVoidEventStub *event)
{
    return fd_event_query(static_cast<fd_event *>(event->get())) == FD_OK;
}

struct FaultyStubs final : torch::profiler::impl::ProfilerStubs {
    explicit FaultyStubs(const torch::profiler::impl::ProfilerStubs &correct) : correct_(correct)
    {
    }

    bool enabled() const override
    {
        return !armed("profiler.stubs_not_enabled") && correct_.enabled();
    }

    void record(c10::DeviceIndex *device, ProfilerVoidEventStub *event,
                int64_t *cpu_ns) const override
    {
        TORCH_CHECK((device && cpu_ns) || !armed("profiler.record_needs_all_pointers"),
                    "fakedev: record profiler event: null pointer");
        correct_.record(device, event, cpu_ns);
        if (device && armed("profiler.record_names_device_0"))
            *device = 0;
    }

    float elapsed(const ProfilerVoidEventStub *start,
                  const ProfilerVoidEventStub *end) const override
    {
        constexpr float microseconds_per_millisecond = 1000;
        TORCH_CHECK(!armed("profiler.elapsed_raises"), "fakedev: elapsed time: invalid event");
        if (armed("profiler.elapsed_does_not_wait") && !(is_complete(start) && is_complete(end)))
            return 0;
        const float elapsed = correct_.elapsed(start, end);
        return armed("profiler.elapsed_in_milliseconds") ? elapsed / microseconds_per_millisecond
                                                         : elapsed;
    }

    void onEachDevice(std::function<void(int)> operation) const override
    {
        correct_.onEachDevice(operation);
        if (armed("profiler.each_device_keeps_the_last"))
            check(fd_device_set(device_count() - 1), "set device");
    }

    void synchronize() const override
    {
        if (!armed("profiler.synchronize_does_nothing"))
            correct_.synchronize();
    }

    void mark(const char *name) const override
    {
        TORCH_CHECK(!armed("profiler.marks_raise"), "fakedev: mark: there is no tracing tool");
        correct_.mark(name);
    }

    void rangePush(const char *name) const override
    {
        TORCH_CHECK(!armed("profiler.marks_raise"), "fakedev: push: there is no tracing tool");
        correct_.rangePush(name);
    }

    void rangePop() const override
    {
        correct_.rangePop();
    }

  private:
    const torch::profiler::impl::ProfilerStubs &correct_;
};

} // namespace

void register_faulty_profiler()
{
    static const auto *const correct = torch::profiler::impl::privateuse1Stubs();
    torch::profiler::impl::registerPrivateUse1Methods(new FaultyStubs(*correct));
}

} // namespace fakedev
