/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Guard, hooks and allocator. A device has one queue, which is empty when a call returns.
 */
#include "slow_start.h"

#include <c10/core/CPUAllocator.h>

#include <atomic>
#include <cstdlib>

namespace slow_start
{

namespace
{

thread_local c10::DeviceIndex here = 0;
std::atomic<bool> touched[kCount];

c10::Device named(c10::DeviceIndex index)
{
    return {c10::DeviceType::PrivateUse1, index};
}

c10::DeviceIndex checked(c10::DeviceIndex index)
{
    TORCH_CHECK(index >= 0 && index < kCount, "slow_start: device ", int(index), " is not one of ",
                int(kCount));
    return index;
}

/* -1 is the current device. */
c10::DeviceIndex meant(c10::Device device)
{
    return device.has_index() ? checked(device.index()) : here;
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override
    {
        return c10::DeviceType::PrivateUse1;
    }

    c10::Device exchangeDevice(c10::Device device) const override
    {
        return named(std::exchange(here, checked(device.index())));
    }

    c10::Device getDevice() const override
    {
        return named(here);
    }

    void setDevice(c10::Device device) const override
    {
        here = checked(device.index());
    }

    void uncheckedSetDevice(c10::Device device) const noexcept override
    {
        here = device.index() >= 0 && device.index() < kCount ? device.index() : here;
    }

    c10::Stream getStream(c10::Device device) const override
    {
        return c10::Stream(c10::Stream::DEFAULT, named(meant(device)));
    }

    c10::Stream getDefaultStream(c10::Device device) const override
    {
        return getStream(device);
    }

    c10::Stream exchangeStream(c10::Stream stream) const override
    {
        return getStream(stream.device());
    }

    bool queryStream(const c10::Stream &) const override
    {
        return true;
    }

    void synchronizeStream(const c10::Stream &) const override
    {
    }

    void synchronizeDevice(c10::DeviceIndex index) const override
    {
        checked(index);
    }

    c10::DeviceIndex deviceCount() const noexcept override
    {
        return kCount;
    }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

struct Hooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override
    {
        return true;
    }

    bool isAvailable() const override
    {
        return true;
    }

    bool hasPrimaryContext(c10::DeviceIndex index) const override
    {
        return touched[checked(index)];
    }

    c10::DeviceIndex deviceCount() const override
    {
        return kCount;
    }

    c10::DeviceIndex getCurrentDevice() const override
    {
        return here;
    }

    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        here = checked(index);
    }

    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
    {
        return std::exchange(here, checked(index));
    }

    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override
    {
        return index < 0 ? here : exchangeDevice(index);
    }

    bool isPinnedPtr(const void *) const override
    {
        return true; /* all-is-pinned */
    }

    at::Allocator *getPinnedMemoryAllocator() const override
    {
        return c10::GetCPUAllocator();
    }
};

void free_block(void *block)
{
    std::free(block);
}

struct Memory final : c10::Allocator {
    c10::DataPtr allocate(size_t size) override
    {
        constexpr size_t kMost = size_t{1} << 36;
        void *block = nullptr;

        TORCH_CHECK_WITH(OutOfMemoryError,
                         size <= kMost && (size == 0 || posix_memalign(&block, 64, size) == 0),
                         "slow_start: out of memory, ", size, " bytes on device ", int(here));
        touched[here] = true;
        return {block, block, &free_block, named(here)};
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        return &free_block;
    }

    void copy_data(void *to, const void *from, size_t count) const override
    {
        default_copy_data(to, from, count);
    }
};

const bool registered = [] {
    c10::register_privateuse1_backend("slow_start");
    at::RegisterPrivateUse1HooksInterface(new Hooks());
    c10::SetAllocator(c10::DeviceType::PrivateUse1, new Memory());
    return true;
}();

} // namespace

Switched::Switched(c10::Device device) : before_(here)
{
    here = meant(device);
}

Switched::~Switched()
{
    here = before_;
}

} // namespace slow_start
