/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The hooks with their faults. Each method queries its own faults, and calls the correct method if
 * none of these faults is on.
 */
#include "faulty_parts.h"

#include "device_index.h"
#include "faulty_generator.h"
#include "host_allocator.h"
#include "refusing.h"
#include "status.h"
#include "switchboard.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <set>
#include <stdexcept>

namespace fakedev
{

namespace
{

/* Implements storage.resize_() and omits the steps whose faults are on. */
void resize_wrongly(c10::StorageImpl *storage, size_t size)
{
    const DeviceScope scope(armed("storage.resize_on_current_device") ? current_device()
                                                                      : storage->device().index());
    c10::DataPtr data = storage->allocator()->allocate(size);
    const size_t kept = std::min(storage->nbytes(), size);
    if (kept > 0 && !armed("storage.resize_forgets_data"))
        check(fd_memory_copy(data.get(), storage->data(), kept), "resize storage");
    storage->set_data_ptr_noswap(std::move(data));
    storage->set_nbytes(size);
}

size_t rounded_up(size_t size)
{
    constexpr size_t word = 8;
    return (size + word - 1) / word * word;
}

/* True if the address was pinned at this or an earlier call. */
bool pinned_once(const void *pointer, bool now)
{
    static auto *const seen = new std::set<const void *>();
    if (now)
        seen->insert(pointer);
    return seen->count(pointer) > 0;
}

/* The cheapest driver call that starts the driver. */
void start_device()
{
    uint64_t free_bytes = 0, total_bytes = 0;
    check(fd_memory_info(current_device(), &free_bytes, &total_bytes), "memory info");
    mark_device_used(current_device());
}

struct FaultyHooks : Hooks {
    bool isBuilt() const override
    {
        return armed("hooks.is_built_missing") ? at::PrivateUse1HooksInterface::isBuilt()
                                               : Hooks::isBuilt();
    }

    bool isAvailable() const override
    {
        TORCH_CHECK(device_count() > 0 || !armed("hooks.is_available_raises"),
                    "fakedev: no device");
        if (armed("hooks.is_available_starts_device"))
            start_device();
        return Hooks::isAvailable() && !armed("hooks.never_available");
    }

    bool hasPrimaryContext(c10::DeviceIndex index) const override
    {
        if (armed("hooks.primary_context_raises"))
            return at::PrivateUse1HooksInterface::hasPrimaryContext(index);
        if (armed("hooks.context_never_made"))
            return false;
        return Hooks::hasPrimaryContext(index) || armed("hooks.context_of_any_device");
    }

    void init() const override
    {
        TORCH_CHECK(fd_started() != 1 || !armed("hooks.init_wants_to_be_first"),
                    "fakedev: init: the device runs already");
        if (!armed("host.allocator_needs_a_start"))
            Hooks::init();
    }

    /* ---- the current device ---- */

    c10::DeviceIndex deviceCount() const override
    {
        const c10::DeviceIndex count = Hooks::deviceCount();
        return armed("hooks.count_differs") ? static_cast<c10::DeviceIndex>(count + 1) : count;
    }

    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        if (!armed("hooks.set_ignores_argument"))
            Hooks::setCurrentDevice(index);
    }

    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
    {
        const c10::DeviceIndex previous = Hooks::exchangeDevice(index);
        return armed("hooks.exchange_returns_new") ? index : previous;
    }

    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override
    {
        const bool takes_zero = index < 0 && armed("hooks.maybe_exchange_is_zero");
        return Hooks::maybeExchangeDevice(takes_zero ? c10::DeviceIndex{0} : index);
    }

    /* ---- memory ---- */

    at::Device getDeviceFromPtr(void *pointer) const override
    {
        struct fd_block block;
        if (armed("hooks.pointer_of_the_host") && fd_memory_find(pointer, &block) != FD_OK)
            return make_device(0);
        const at::Device device = Hooks::getDeviceFromPtr(pointer);

        if (armed("hooks.pointer_has_no_index"))
            return at::Device(at::kPrivateUse1);
        return armed("hooks.pointer_is_on_current_device") ? make_device(current_device()) : device;
    }

    bool isPinnedPtr(const void *pointer) const override
    {
        const bool pinned = Hooks::isPinnedPtr(pointer);
        TORCH_CHECK(pinned || !pointer || !armed("host.unknown_address_raises"),
                    "fakedev: invalid address");
        if (armed("host.nothing_is_pinned"))
            return false;
        if (armed("host.lookup_fails_beside_an_allocation") &&
            another_thread_allocates_host_memory())
            return false;
        if (armed("host.pinned_only_at_base"))
            return pinned && !Hooks::isPinnedPtr(static_cast<const char *>(pointer) - 1);
        if (armed("host.pinned_for_ever"))
            return pinned_once(pointer, pinned);
        return pinned || armed("host.everything_is_pinned");
    }

    at::Allocator *getPinnedMemoryAllocator() const override
    {
        if (armed("hooks.no_pinned_allocator"))
            return at::PrivateUse1HooksInterface::getPinnedMemoryAllocator();
        TORCH_CHECK(fd_started() == 1 || !armed("host.allocator_needs_a_start"),
                    "fakedev: the device was not started");
        return at::getHostAllocator(c10::DeviceType::PrivateUse1);
    }

    void resizePrivateUse1Bytes(const c10::Storage &storage, size_t size) const override
    {
        c10::StorageImpl *const impl = storage.unsafeGetStorageImpl();
        if (armed("storage.refused_resize_shrinks")) {
            impl->set_nbytes(0);
            return at::PrivateUse1HooksInterface::resizePrivateUse1Bytes(storage, size);
        }
        if (size == 0 && armed("storage.emptied_keeps_memory"))
            return impl->set_nbytes(0);
        if (armed("storage.huge_size_wraps"))
            return Hooks::resizePrivateUse1Bytes(storage, rounded_up(size));
        if (!impl->resizable() && armed("storage.resizable_unchecked"))
            return resize_wrongly(impl, size);
        if (armed("storage.resize_on_current_device") || armed("storage.resize_forgets_data"))
            return resize_wrongly(impl, size);
        Hooks::resizePrivateUse1Bytes(storage, size);
    }

    /* ---- random ---- */

    const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override
    {
        const c10::DeviceIndex device = resolve_device(index, "default generator");
        TORCH_CHECK(!armed("generator.default_missing"), "fakedev: no default generator");
        if (armed("hooks.default_generator_of_current"))
            return faulty_default_generator(current_device());
        return faulty_default_generator(armed("generator.default_is_shared") ? 0 : device);
    }

    at::Generator getNewGenerator(c10::DeviceIndex index) const override
    {
        if (armed("generator.refused_unclearly"))
            throw std::out_of_range("map::at");
        if (armed("generator.new_is_of_the_cpu"))
            return at::detail::createCPUGenerator();
        if (armed("generator.new_shares_engine"))
            return new_shared_engine(resolve_device(index, "generator"));
        if (armed("generator.new_ignores_index"))
            return new_faulty_generator(current_device());
        if (armed("generator.any_index"))
            return new_faulty_generator(index);
        return new_faulty_generator(resolve_device(index, "generator"));
    }
};

} // namespace

at::PrivateUse1HooksInterface *make_faulty_hooks()
{
    return new RefusingHooks<FaultyHooks>();
}

} // namespace fakedev
