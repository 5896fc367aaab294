// SPDX-License-Identifier: BSD-3-Clause
//
// The parts that a backend registers for the profiler: ProfilerStubs, and an activity profiler for
// Kineto.
#include "bridge_internal.h"

#include <torch/csrc/profiler/stubs/base.h>

using torch::profiler::impl::privateuse1Stubs;
using torch::profiler::impl::ProfilerVoidEventStub;

struct bridge_profiler_event {
    ProfilerVoidEventStub value;
};

int32_t bridge_profiler_enabled(int32_t *enabled)
{
    return bridge::guarded([&] { *enabled = privateuse1Stubs()->enabled() ? 1 : 0; });
}

int32_t bridge_profiler_record(int32_t *device, struct bridge_profiler_event **event,
                               int64_t *cpu_ns)
{
    return bridge::guarded([&] {
        ProfilerVoidEventStub made;
        auto index = static_cast<c10::DeviceIndex>(device ? *device : -1);
        privateuse1Stubs()->record(device ? &index : nullptr, &made, cpu_ns);
        if (device)
            *device = index;
        *event = made ? new bridge_profiler_event{made} : nullptr;
    });
}

void bridge_profiler_event_free(struct bridge_profiler_event *event)
{
    delete event;
}

int32_t bridge_profiler_elapsed(const struct bridge_profiler_event *start,
                                const struct bridge_profiler_event *end, double *microseconds)
{
    return bridge::guarded(
        [&] { *microseconds = privateuse1Stubs()->elapsed(&start->value, &end->value); });
}

int32_t bridge_profiler_on_each_device(void (*visit)(void *context, int32_t device), void *context)
{
    return bridge::guarded(
        [&] { privateuse1Stubs()->onEachDevice([&](int device) { visit(context, device); }); });
}

int32_t bridge_profiler_synchronize(void)
{
    return bridge::guarded([] { privateuse1Stubs()->synchronize(); });
}

int32_t bridge_profiler_mark(const char *name)
{
    return bridge::guarded([&] { privateuse1Stubs()->mark(name); });
}

int32_t bridge_profiler_range_push(const char *name)
{
    return bridge::guarded([&] { privateuse1Stubs()->rangePush(name); });
}

int32_t bridge_profiler_range_pop(void)
{
    return bridge::guarded([] { privateuse1Stubs()->rangePop(); });
}

// The class of torch/csrc/profiler/standalone/privateuse1_profiler.h. The header needs Kineto's
// headers, and a torch that was built without Kineto, or before 2.12, has no such class. Weak
// symbols let the bridge load with every torch.
namespace torch::profiler::impl
{

class PrivateUse1ProfilerRegistry
{
  public:
    __attribute__((weak)) static PrivateUse1ProfilerRegistry &instance();
    __attribute__((weak)) bool hasFactory() const;
    __attribute__((weak)) bool isRegisteredWithKineto() const;
};

} // namespace torch::profiler::impl

int32_t bridge_profiler_plugin(int32_t *registered, int32_t *with_kineto)
{
    using torch::profiler::impl::PrivateUse1ProfilerRegistry;
    if (&PrivateUse1ProfilerRegistry::instance == nullptr)
        return bridge::refuse(ASSAY_EUNSUPPORTED,
                              "this torch has no registry of activity profilers");
    return bridge::guarded([&] {
        const auto &registry = PrivateUse1ProfilerRegistry::instance();
        *registered = registry.hasFactory() ? 1 : 0;
        *with_kineto = registry.isRegisteredWithKineto() ? 1 : 0;
    });
}
