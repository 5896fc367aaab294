/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Hooks: the methods that PyTorch calls for features other than operators, and the name.
 *
 * isBuilt, isAvailable and hasPrimaryContext must be overridden, because those of the base class
 * raise. isAvailable must not start the device. maybeExchangeDevice with a negative index is a
 * no-op.
 */
#include "foo.h"

#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/DeviceType.h>
#include <c10/util/Exception.h>

#include <limits>

namespace foo
{

namespace
{

struct Hooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override
    {
        return true;
    }

    bool isAvailable() const override
    {
        return foo_device_count() > 0;
    }

    bool hasPrimaryContext(c10::DeviceIndex index) const override
    {
        return foo_used(index) != 0;
    }

    void init() const override
    {
        check(foo_device_count() > 0 ? FOO_OK : FOO_BAD_DEVICE, "init");
        check(foo_forked() ? FOO_FORKED : FOO_OK, "init");
    }

    /* @with module */
    c10::DeviceIndex deviceCount() const override
    {
        return device_count();
    }

    c10::DeviceIndex getCurrentDevice() const override
    {
        return current_device();
    }

    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        check(foo_device_set(index), "set device");
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

    at::Device getDeviceFromPtr(void *address) const override
    {
        int device = 0;
        size_t bytes = 0;
        check(foo_find(address, &device, &bytes), "device of a pointer");
        return device_of(static_cast<c10::DeviceIndex>(device));
    }

    void resizePrivateUse1Bytes(const c10::Storage &storage, size_t bytes) const override
    {
        TORCH_CHECK(bytes <= static_cast<size_t>(std::numeric_limits<int64_t>::max()),
                    "foo: resize storage: ", bytes, " bytes are not addressable");
        resize_storage(storage.unsafeGetStorageImpl(), bytes);
    }
    /* @end */

    /* @with pinned */
    at::Allocator *getPinnedMemoryAllocator() const override
    {
        return pinned_allocator();
    }

    bool isPinnedPtr(const void *address) const override
    {
        return is_pinned(address);
    }
    /* @end */

    /* @with generator */
    const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override
    {
        return default_generator(index);
    }

    at::Generator getNewGenerator(c10::DeviceIndex index) const override
    {
        return new_generator(index);
    }
    /* @end */
};

const bool registered = [] {
    c10::register_privateuse1_backend("foo");
    at::RegisterPrivateUse1HooksInterface(new Hooks()); /* never destroyed */
    return true;
}();

} // namespace

} // namespace foo
