/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls of torch functions that only C++ can call. Demonstrations in Python use them through
 * ctypes. If the backend throws, the result is -1000.
 */
#include "fleet_headers.h"

namespace
{

constexpr int kThrew = -1000;

const c10::impl::DeviceGuardImplInterface *guard()
{
    return c10::impl::getDeviceGuardImpl(c10::DeviceType::PrivateUse1);
}

c10::Device device_of(int index)
{
    return {c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(index)};
}

template <typename Call>
int answer(Call call) noexcept
{
    try {
        return static_cast<int>(call());
    } catch (const std::exception &) {
        return kThrew;
    }
}

} // namespace

#define FLEET_CALL extern "C" __attribute__((visibility("default")))

FLEET_CALL int fleet_exchange_device(int index)
{
    return answer([&] { return guard()->exchangeDevice(device_of(index)).index(); });
}

/* Not called inside answer(), because its exceptions must not be caught. */
FLEET_CALL void fleet_unchecked_set_device(int index)
{
    guard()->uncheckedSetDevice(device_of(index));
}

FLEET_CALL int fleet_hooks_device_count()
{
    return answer([] { return at::detail::getPrivateUse1Hooks().deviceCount(); });
}

FLEET_CALL int fleet_maybe_exchange_device(int index)
{
    return answer([&] {
        return at::detail::getPrivateUse1Hooks().maybeExchangeDevice(
            static_cast<c10::DeviceIndex>(index));
    });
}

FLEET_CALL int fleet_has_primary_context(int index)
{
    return answer([&] {
        return at::detail::getPrivateUse1Hooks().hasPrimaryContext(
            static_cast<c10::DeviceIndex>(index));
    });
}

/* Clones the first `count` bytes of a block. Returns whether the clone and the source have equal
 * bytes on the CPU. */
FLEET_CALL int fleet_clone_is_equal(void *block, size_t count)
{
    return answer([&] {
        c10::Allocator *const allocator = c10::GetAllocator(c10::DeviceType::PrivateUse1);
        const c10::DataPtr copy = allocator->clone(block, count);
        const auto options = at::TensorOptions().dtype(at::kByte).device(copy.device());
        const auto host = [&](void *data) {
            return at::for_blob(data, {static_cast<int64_t>(count)})
                .target_device(copy.device()) /* otherwise torch calls the hooks to find the device
                 * of the address */
                .options(options)
                .make_tensor()
                .cpu();
        };
        return at::equal(host(block), host(copy.get()));
    });
}
