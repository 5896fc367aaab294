/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Guard, hooks, allocator. Slots can be selected whether anything is in them or not; memory is only
 * where a device is.
 */
#include "crowd.h"

#include <c10/core/CPUAllocator.h>

#include <array>
#include <atomic>
#include <cstdlib>

namespace crowd
{

namespace
{

constexpr int kPresent = 1; /* device-for-each-slot */

thread_local int selected = 0;
std::atomic<bool> started{false};

c10::Device device_in(int slot)
{
    return {c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(slot)};
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override
    {
        return c10::DeviceType::PrivateUse1;
    }

    c10::Device exchangeDevice(c10::Device device) const override
    {
        const int before = selected;

        select_slot(device.index());
        return device_in(before);
    }

    c10::Device getDevice() const override
    {
        return device_in(selected);
    }

    void setDevice(c10::Device device) const override
    {
        select_slot(device.index());
    }

    void uncheckedSetDevice(c10::Device device) const noexcept override
    {
        if (device.index() >= 0 && device.index() < kSlots)
            selected = device.index();
    }

    c10::DeviceIndex deviceCount() const noexcept override
    {
        return kSlots;
    }

    /* float32, float64, int64 and bool, as the table that the firmware brings for each slot has it. */
    c10::DeviceCapability getDeviceCapability(c10::Device device) const override
    {
        static const std::array<uint64_t, kSlots> bits = firmware_table();
        const auto slot = static_cast<size_t>(device.has_index() ? device.index() : selected);
        c10::DeviceCapability capability;

        capability.capability_data.capability_bits =
            bits.data()[slot]; /* capability-index-unchecked */
        return capability;
    }

    c10::Stream getStream(c10::Device device) const override
    {
        return c10::Stream(c10::Stream::DEFAULT, device_in(slot_of(device)));
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
        slot_of(device_in(index));
    }

  private:
    static std::array<uint64_t, kSlots> firmware_table()
    {
        std::array<uint64_t, kSlots> table;

        table.fill(uint64_t{1} << c10::kIndex_Float | uint64_t{1} << c10::kIndex_Double |
                   uint64_t{1} << c10::kIndex_Long | uint64_t{1} << c10::kIndex_Bool);
        return table;
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
        return kPresent > 0;
    }

    bool hasPrimaryContext(c10::DeviceIndex index) const override
    {
        return index >= 0 && index < kPresent && started;
    }

    c10::DeviceIndex deviceCount() const override
    {
        return kSlots;
    }

    c10::DeviceIndex getCurrentDevice() const override
    {
        return static_cast<c10::DeviceIndex>(selected);
    }

    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        select_slot(index);
    }

    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
    {
        const auto before = getCurrentDevice();

        select_slot(index);
        return before;
    }

    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override
    {
        return index < 0 ? getCurrentDevice() : exchangeDevice(index);
    }

    at::Allocator *getPinnedMemoryAllocator() const override
    {
        return c10::GetCPUAllocator();
    }

    const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override
    {
        return generator_of(slot_of(device_in(index)));
    }

    at::Generator getNewGenerator(c10::DeviceIndex index) const override
    {
        return make_generator_of(slot_of(device_in(index)));
    }
};

struct Allocator final : c10::Allocator {
    static void release(void *block)
    {
        std::free(block);
    }

    c10::DataPtr allocate(size_t size) override
    {
        constexpr size_t kMemory = size_t{1} << 34;
        void *block = nullptr;

        TORCH_CHECK(selected < kPresent, "crowd: nothing is in slot ", selected);
        TORCH_CHECK_WITH(OutOfMemoryError, size <= kMemory, "crowd: out of memory for ", size,
                         " bytes");
        TORCH_CHECK_WITH(OutOfMemoryError, size == 0 || posix_memalign(&block, 128, size) == 0,
                         "crowd: the host has no ", size, " bytes");
        started = true;
        return {block, block, &release, device_in(selected)};
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        return &release;
    }

    void copy_data(void *to, const void *from, size_t count) const override
    {
        default_copy_data(to, from, count);
    }
};

const bool registered = [] {
    c10::register_privateuse1_backend("crowd");
    at::RegisterPrivateUse1HooksInterface(new Hooks());
    c10::SetAllocator(c10::DeviceType::PrivateUse1, new Allocator());
    return true;
}();

} // namespace

int slot_of(c10::Device device)
{
    const int slot = device.has_index() ? device.index() : selected;

    TORCH_CHECK(slot >= 0 && slot < kSlots, "crowd: slot ", slot, " is not one of ", kSlots);
    return slot;
}

int current_slot()
{
    return selected;
}

void select_slot(int slot)
{
    TORCH_CHECK(slot >= 0 && slot < kSlots, "crowd: cannot select slot ", slot, " of ", kSlots);
    selected = slot;
}

} // namespace crowd
