// SPDX-License-Identifier: BSD-3-Clause
//
// The device guard: the raw interface that a backend registers, and c10::DeviceGuard as core uses
// it.
#include "bridge_internal.h"

#include <c10/core/DeviceGuard.h>

static_assert(static_cast<int>(c10::DeviceType::PrivateUse1) == BRIDGE_PRIVATEUSE1);

struct bridge_scope {
    c10::DeviceGuard guard;
};

namespace
{

template <class Question>
bridge_device ask_device(Question &&question) noexcept
{
    bridge_device answer = {ASSAY_OK, -1, -1};
    const int32_t status = bridge::guarded([&] { answer = question(); });
    answer.status = status;
    return answer;
}

} // namespace

int32_t bridge_guard_registered(void)
{
    return c10::impl::hasDeviceGuardImpl(c10::kPrivateUse1) ? 1 : 0;
}

const void *bridge_guard_identity(void)
{
    return bridge_guard_registered() ? &bridge::guard() : nullptr;
}

struct bridge_device bridge_guard_type(void)
{
    return ask_device([] {
        return bridge_device{0, static_cast<int32_t>(bridge::guard().type()), -1};
    });
}

struct bridge_device bridge_guard_current(void)
{
    return ask_device([] { return bridge::report(bridge::guard().getDevice()); });
}

struct bridge_device bridge_guard_exchange(int32_t device)
{
    return ask_device([&] {
        const bridge_device previous =
            bridge::report(bridge::guard().exchangeDevice(bridge::device(device)));
        bridge::remember_switch(device);
        return previous;
    });
}

int32_t bridge_guard_set(int32_t device)
{
    return bridge::guarded([&] {
        bridge::guard().setDevice(bridge::device(device));
        bridge::remember_switch(device);
    });
}

void bridge_guard_unchecked_set(int32_t device)
{
    bridge::guard().uncheckedSetDevice(bridge::device(device));
    bridge::remember_switch(BRIDGE_SWITCHED); // it is not known whether the device was switched
}

int32_t bridge_guard_count(int32_t *count)
{
    return bridge::guarded([&] { *count = bridge::guard().deviceCount(); });
}

int32_t bridge_guard_synchronize(int32_t device)
{
    return bridge::guarded(
        [&] { bridge::guard().synchronizeDevice(static_cast<c10::DeviceIndex>(device)); });
}

int32_t bridge_guard_capability(int32_t device, uint64_t *bits)
{
    return bridge::guarded([&] {
        *bits = bridge::guard()
                    .getDeviceCapability(bridge::device(device))
                    .capability_data.capability_bits;
    });
}

int32_t bridge_scope_enter(int32_t device, struct bridge_scope **scope)
{
    return bridge::guarded(
        [&] { *scope = new bridge_scope{c10::DeviceGuard(bridge::device(device))}; });
}

void bridge_scope_leave(struct bridge_scope *scope)
{
    delete scope;
}

int32_t bridge_scope_unwind(int32_t device, int32_t *inside)
{
    struct thrown_on_purpose {
    };
    try {
        const c10::DeviceGuard scope(bridge::device(device));
        const c10::Device current = bridge::guard().getDevice();
        if (inside != nullptr)
            *inside = current.index();
        throw thrown_on_purpose();
    } catch (const thrown_on_purpose &) {
        return ASSAY_OK;
    } catch (...) {
        return bridge::remember_exception();
    }
}
