/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Device indices; see device_index.h. No function here starts the driver.
 */
#include "device_index.h"

#include "status.h"

#include <c10/util/Exception.h>

#include <array>
#include <atomic>

namespace fakedev
{

namespace
{

std::array<std::atomic<bool>, FD_MAX_DEVICES> used_devices;

bool is_in_range(c10::DeviceIndex index)
{
    return index >= 0 && index < device_count();
}

} // namespace

c10::DeviceIndex device_count() noexcept
{
    int32_t count = 0;
    if (fd_device_count(&count) != FD_OK)
        count = 0;
    return static_cast<c10::DeviceIndex>(count);
}

c10::DeviceIndex current_device() noexcept
{
    int32_t device = 0;
    if (fd_device_get(&device) != FD_OK)
        device = 0;
    return static_cast<c10::DeviceIndex>(device);
}

c10::DeviceIndex resolve_device(c10::DeviceIndex index, const char *what)
{
    return require_device(index == -1 ? current_device() : index, what);
}

c10::DeviceIndex require_device(c10::DeviceIndex index, const char *what)
{
    TORCH_CHECK(is_in_range(index), "fakedev: ", what, ": invalid device index ",
                static_cast<int>(index), ", there are ", static_cast<int>(device_count()),
                " devices");
    return index;
}

void mark_device_used(c10::DeviceIndex index) noexcept
{
    if (is_in_range(index))
        used_devices[static_cast<size_t>(index)].store(true, std::memory_order_relaxed);
}

bool device_was_used(c10::DeviceIndex index) noexcept
{
    return is_in_range(index) &&
           used_devices[static_cast<size_t>(index)].load(std::memory_order_relaxed);
}

DeviceScope::DeviceScope(c10::DeviceIndex index) : previous_(current_device())
{
    check(fd_device_set(index), "set device");
}

DeviceScope::~DeviceScope()
{
    (void)fd_device_set(previous_);
}

} // namespace fakedev
