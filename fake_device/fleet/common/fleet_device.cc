/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The current device of each thread, and the devices that are in use.
 */
#include "fleet_device.h"

#include <array>
#include <atomic>

namespace fleet
{

namespace
{

thread_local c10::DeviceIndex current = 0;
std::array<std::atomic<bool>, 128> used{};

} // namespace

c10::Device device(c10::DeviceIndex index)
{
    return {c10::DeviceType::PrivateUse1, index};
}

bool is_device(c10::DeviceIndex index) noexcept
{
    return index >= 0 && index < backend.devices;
}

void check_index(c10::DeviceIndex index)
{
    TORCH_CHECK(is_device(index), backend.name, ": there is no device ", int(index), ", only ",
                int(backend.devices));
}

c10::DeviceIndex resolved(c10::DeviceIndex index)
{
    if (index == -1)
        return current;
    check_index(index);
    return index;
}

c10::DeviceIndex current_device() noexcept
{
    return current;
}

void set_current_device(c10::DeviceIndex index)
{
    check_index(index);
    current = index;
}

void store_current_device(c10::DeviceIndex index) noexcept
{
    current = index;
}

void mark_used(c10::DeviceIndex index) noexcept
{
    used[static_cast<size_t>(index)] = true;
}

bool was_used(c10::DeviceIndex index) noexcept
{
    return is_device(index) && used[static_cast<size_t>(index)];
}

bool register_backend(at::PrivateUse1HooksInterface *hooks, c10::Allocator *allocator)
{
    c10::register_privateuse1_backend(backend.name);
    at::RegisterPrivateUse1HooksInterface(hooks);
    c10::SetAllocator(c10::DeviceType::PrivateUse1, allocator);
    return true;
}

} // namespace fleet
