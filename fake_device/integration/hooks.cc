/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hooks: how generic CPU code of PyTorch asks the backend for what is not an operator.
 *
 * For: pin_memory, generators, from_blob, storage.resize_, the engine of backward
 * (hasPrimaryContext for every device), torch._C._accelerator_hooks_*. Without: each of these
 * raises "Please register PrivateUse1HooksInterface ...". Traps: isBuilt, isAvailable and
 * hasPrimaryContext have a base that raises; isAvailable must not start a context; isPinnedPtr gets
 * null and freed pointers; init() runs only on the C++ lazy path (pinned memory, from_blob, default
 * generator), and again after it has thrown; maybeExchangeDevice with a negative index is a no-op.
 * Serves: HOOK-001 to HOOK-025, HOST-002, HOST-005 to HOST-008, GEN-001, GEN-002, STOR-005,
 * STOR-019.
 */
#include "device_index.h"
#include "generator.h"
#include "host_allocator.h"
#include "status.h"
#include "storage.h"

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/headeronly/version.h>

namespace fakedev
{

namespace
{

/* Virtual tables of another minor release mean other functions: refuse instead of calling them. */
void check_torch_version()
{
    constexpr int minor_shift = 48;
    const uint64_t running = aoti_torch_abi_version() >> minor_shift;

    TORCH_CHECK(running == TORCH_ABI_VERSION >> minor_shift, "fakedev: built for torch ",
                TORCH_VERSION, ", but this process runs torch ", running >> 8, ".", running & 0xff,
                "; rebuild it");
}

struct Hooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override
    {
        return true;
    }

    bool isAvailable() const override
    {
        TORCH_CHECK(device_count() > 0 || !fd_fault("hooks.is_available_raises"),
                    "fakedev: no device");
        return device_count() > 0;
    }

    bool hasPrimaryContext(c10::DeviceIndex index) const override
    {
        if (fd_fault("hooks.primary_context_raises"))
            return at::PrivateUse1HooksInterface::hasPrimaryContext(index);
        return device_was_used(index) && fd_started() == 1;
    }

    void init() const override
    {
        check_torch_version();
        check(device_count() > 0 ? FD_OK : FD_ERROR_NO_DEVICE, "init");
        check(fd_forked_after_start() ? FD_ERROR_FORKED : FD_OK, "init");
    }

    c10::DeviceIndex deviceCount() const override
    {
        return fd_fault("hooks.count_differs") ? static_cast<c10::DeviceIndex>(device_count() + 1)
                                               : device_count();
    }

    c10::DeviceIndex getCurrentDevice() const override
    {
        return current_device();
    }

    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        check(fd_device_set(index), "set device");
    }

    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
    {
        const c10::DeviceIndex previous = current_device();

        setCurrentDevice(index);
        return previous;
    }

    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override
    {
        return index < 0 ? current_device() : exchangeDevice(index);
    }

    /* ---- memory ---- */

    at::Device getDeviceFromPtr(void *pointer) const override
    {
        struct fd_block block;
        const fd_status status =
            pointer ? fd_memory_find(pointer, &block) : FD_ERROR_INVALID_HANDLE;

        TORCH_CHECK(status == FD_OK && block.device >= 0,
                    "fakedev: the pointer is not in live device memory");
        if (fd_fault("hooks.pointer_has_no_index"))
            return at::Device(at::kPrivateUse1);
        if (fd_fault("hooks.pointer_is_on_current_device"))
            return make_device(current_device());
        return make_device(static_cast<c10::DeviceIndex>(block.device));
    }

    bool isPinnedPtr(const void *pointer) const override
    {
        return is_live_host_block(pointer);
    }

    at::Allocator *getPinnedMemoryAllocator() const override
    {
        if (fd_fault("hooks.no_pinned_allocator"))
            return at::PrivateUse1HooksInterface::getPinnedMemoryAllocator();
        return host_allocator();
    }

    void resizePrivateUse1Bytes(const c10::Storage &storage, size_t size) const override
    {
        resize_storage(storage.unsafeGetStorageImpl(), size);
    }

    /* ---- random ---- */

    const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override
    {
        return default_generator(index);
    }

    at::Generator getNewGenerator(c10::DeviceIndex index) const override
    {
        return new_generator(index);
    }
};

const bool registered = [] {
    if (!fd_fault("hooks.not_registered"))
        at::RegisterPrivateUse1HooksInterface(new Hooks()); /* never destroyed */
    return true;
}();

} // namespace

} // namespace fakedev
