/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hooks: the methods that PyTorch's generic code calls for features that are not operators.
 *
 * Purpose: pin_memory, generators, from_blob, storage.resize_, the engine of backward
 * (hasPrimaryContext for every device), torch._C._accelerator_hooks_*.
 * If this file is removed, each of these raises "Please register PrivateUse1HooksInterface ...".
 * Traps: in the base class, isBuilt, isAvailable and hasPrimaryContext raise. isAvailable must not
 * start a context. isPinnedPtr is called with null and with freed pointers. Core calls init() only
 * on the lazy path in C++ (pinned memory, from_blob, default generator), and again after an
 * exception. maybeExchangeDevice with a negative index is a no-op.
 * Serves: HOOK-001 to HOOK-025, HOST-002, HOST-005 to HOST-008, GEN-001, GEN-002, STOR-005,
 * STOR-019.
 */
#include "hooks.h"

#include "device_index.h"
#include "generator.h"
#include "host_allocator.h"
#include "status.h"
#include "storage.h"

#include <torch/csrc/inductor/aoti_torch/c/shim.h>
#include <torch/headeronly/version.h>

namespace fakedev
{

namespace
{

/* In another minor release of torch, the virtual tables differ and calls would reach other
 * functions. Therefore loading is refused. */
void check_torch_version()
{
    constexpr int minor_shift = 48;
    const uint64_t running = aoti_torch_abi_version() >> minor_shift;
    TORCH_CHECK(running == TORCH_ABI_VERSION >> minor_shift, "fakedev: built for torch ",
                TORCH_VERSION, ", but this process runs torch ", running >> 8, ".", running & 0xff,
                "; rebuild it");
}

} // namespace

bool Hooks::isBuilt() const
{
    return true;
}

bool Hooks::isAvailable() const
{
    return device_count() > 0;
}

bool Hooks::hasPrimaryContext(c10::DeviceIndex index) const
{
    return device_was_used(index) && fd_started() == 1;
}

void Hooks::init() const
{
    check_torch_version();
    check(device_count() > 0 ? FD_OK : FD_ERROR_NO_DEVICE, "init");
    check(fd_forked_after_start() ? FD_ERROR_FORKED : FD_OK, "init");
}

c10::DeviceIndex Hooks::deviceCount() const
{
    return device_count();
}

c10::DeviceIndex Hooks::getCurrentDevice() const
{
    return current_device();
}

void Hooks::setCurrentDevice(c10::DeviceIndex index) const
{
    check(fd_device_set(index), "set device");
}

c10::DeviceIndex Hooks::exchangeDevice(c10::DeviceIndex index) const
{
    const c10::DeviceIndex previous = current_device();
    setCurrentDevice(index);
    return previous;
}

c10::DeviceIndex Hooks::maybeExchangeDevice(c10::DeviceIndex index) const
{
    return index < 0 ? current_device() : exchangeDevice(index);
}

at::Device Hooks::getDeviceFromPtr(void *pointer) const
{
    struct fd_block block;
    const fd_status status = pointer ? fd_memory_find(pointer, &block) : FD_ERROR_INVALID_HANDLE;
    TORCH_CHECK(status == FD_OK && block.device >= 0,
                "fakedev: the pointer is not in live device memory");
    return make_device(static_cast<c10::DeviceIndex>(block.device));
}

bool Hooks::isPinnedPtr(const void *pointer) const
{
    return is_live_host_block(pointer);
}

at::Allocator *Hooks::getPinnedMemoryAllocator() const
{
    return host_allocator();
}

void Hooks::resizePrivateUse1Bytes(const c10::Storage &storage, size_t size) const
{
    resize_storage(storage.unsafeGetStorageImpl(), size);
}

const at::Generator &Hooks::getDefaultGenerator(c10::DeviceIndex index) const
{
    return default_generator(index);
}

at::Generator Hooks::getNewGenerator(c10::DeviceIndex index) const
{
    return new_generator(index);
}

} // namespace fakedev
