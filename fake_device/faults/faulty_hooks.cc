/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The hooks with their faults: each method asks for its own, and is the clean one without.
 */
#include "faulty_hooks.h"

#include "device_index.h"
#include "faulty_generator.h"
#include "host_allocator.h"
#include "refusing.h"
#include "status.h"
#include "switchboard.h"

#include <ATen/CPUGeneratorImpl.h>

#include <algorithm>
#include <stdexcept>

namespace fakedev
{

namespace
{

/* A body of resize_() that leaves out what is on. */
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

struct FaultyHooks : Hooks {
    bool isAvailable() const override
    {
        TORCH_CHECK(device_count() > 0 || !armed("hooks.is_available_raises"),
                    "fakedev: no device");
        return Hooks::isAvailable();
    }

    bool hasPrimaryContext(c10::DeviceIndex index) const override
    {
        if (armed("hooks.primary_context_raises"))
            return at::PrivateUse1HooksInterface::hasPrimaryContext(index);
        return Hooks::hasPrimaryContext(index);
    }

    c10::DeviceIndex deviceCount() const override
    {
        const c10::DeviceIndex count = Hooks::deviceCount();

        return armed("hooks.count_differs") ? static_cast<c10::DeviceIndex>(count + 1) : count;
    }

    /* ---- memory ---- */

    at::Device getDeviceFromPtr(void *pointer) const override
    {
        const at::Device device = Hooks::getDeviceFromPtr(pointer);

        if (armed("hooks.pointer_has_no_index"))
            return at::Device(at::kPrivateUse1);
        return armed("hooks.pointer_is_on_current_device") ? make_device(current_device()) : device;
    }

    bool isPinnedPtr(const void *pointer) const override
    {
        if (!Hooks::isPinnedPtr(pointer) || !armed("host.pinned_only_at_base"))
            return Hooks::isPinnedPtr(pointer);
        return !Hooks::isPinnedPtr(static_cast<const char *>(pointer) - 1);
    }

    at::Allocator *getPinnedMemoryAllocator() const override
    {
        if (armed("hooks.no_pinned_allocator"))
            return at::PrivateUse1HooksInterface::getPinnedMemoryAllocator();
        return at::getHostAllocator(c10::DeviceType::PrivateUse1);
    }

    void resizePrivateUse1Bytes(const c10::Storage &storage, size_t size) const override
    {
        c10::StorageImpl *const impl = storage.unsafeGetStorageImpl();

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
