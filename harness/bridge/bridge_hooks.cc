// SPDX-License-Identifier: BSD-3-Clause
//
// The accelerator hooks of PrivateUse1, called one by one in the same way as core calls them.
#include "bridge_internal.h"

#include <ATen/Context.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>

namespace
{

const at::PrivateUse1HooksInterface &hooks()
{
    // Without a registration core returns the base class, which would answer some queries.
    TORCH_CHECK(at::isPrivateUse1HooksRegistered(),
                "Please register PrivateUse1HooksInterface by `RegisterPrivateUse1HooksInterface` "
                "first.");
    return at::detail::getPrivateUse1Hooks();
}

struct PlainHooks final : at::PrivateUse1HooksInterface {
    void init() const override
    {
        TORCH_CHECK(++inits > 1, "the first init() fails");
    }

    mutable int32_t inits = 0;
};

PlainHooks *plain_hooks()
{
    static auto *const hooks = new PlainHooks(); // core uses the object until the process ends
    return hooks;
}

// NULL if `hand_out` throws.
template <class HandOut>
const void *address_of(HandOut &&hand_out) noexcept
{
    const void *address = nullptr;
    (void)bridge::guarded([&] { address = &hand_out(); });
    return address;
}

} // namespace

int32_t bridge_hooks_registered(void)
{
    return at::isPrivateUse1HooksRegistered() ? 1 : 0;
}

int32_t bridge_hooks_is_built(int32_t *built)
{
    return bridge::guarded([&] { *built = hooks().isBuilt() ? 1 : 0; });
}

int32_t bridge_hooks_is_available(int32_t *available)
{
    return bridge::guarded([&] { *available = hooks().isAvailable() ? 1 : 0; });
}

int32_t bridge_hooks_init(void)
{
    return bridge::guarded([] { hooks().init(); });
}

int32_t bridge_hooks_has_context(int32_t device, int32_t *has)
{
    return bridge::guarded(
        [&] { *has = hooks().hasPrimaryContext(bridge::index(device)) ? 1 : 0; });
}

int32_t bridge_hooks_count(int32_t *count)
{
    return bridge::guarded([&] { *count = hooks().deviceCount(); });
}

int32_t bridge_hooks_current(int32_t *device)
{
    return bridge::guarded([&] { *device = hooks().getCurrentDevice(); });
}

int32_t bridge_hooks_set(int32_t device)
{
    return bridge::guarded([&] {
        hooks().setCurrentDevice(bridge::index(device));
        bridge::remember_switch(device);
    });
}

int32_t bridge_hooks_exchange(int32_t device, int32_t *previous)
{
    return bridge::guarded([&] {
        *previous = hooks().exchangeDevice(bridge::index(device));
        bridge::remember_switch(device);
    });
}

int32_t bridge_hooks_maybe_exchange(int32_t device, int32_t *previous)
{
    return bridge::guarded([&] {
        *previous = hooks().maybeExchangeDevice(bridge::index(device));
        bridge::remember_switch(device);
    });
}

int32_t bridge_hooks_device_of(void *pointer, struct bridge_device *device)
{
    return bridge::guarded([&] { *device = bridge::report(hooks().getDeviceFromPtr(pointer)); });
}

int32_t bridge_hooks_is_pinned(const void *pointer, int32_t *pinned)
{
    return bridge::guarded([&] { *pinned = hooks().isPinnedPtr(pointer) ? 1 : 0; });
}

const void *bridge_hooks_identity(void)
{
    return address_of([]() -> const at::AcceleratorHooksInterface & { return hooks(); });
}

const void *bridge_hooks_of_context(void)
{
    return address_of([]() -> const at::AcceleratorHooksInterface & {
        return at::globalContext().getAcceleratorHooksInterface(c10::kPrivateUse1);
    });
}

int32_t bridge_hooks_register_plain(void)
{
    return bridge::guarded([] { at::RegisterPrivateUse1HooksInterface(plain_hooks()); });
}

int32_t bridge_hooks_plain_inits(void)
{
    return plain_hooks()->inits;
}

int32_t bridge_hooks_pinned_allocator(const void **allocator)
{
    return bridge::guarded([&] {
        at::globalContext().lazyInitDevice(c10::kPrivateUse1);
        *allocator = hooks().getPinnedMemoryAllocator();
    });
}
