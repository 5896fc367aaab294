/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Makes the calls that load_from_c cannot make in C: finds the name of the registered backend, and
 * adds two tensors. Links torch and must not depend on the fake device, except for its device type.
 */
#include "../which_torch.h"

#include <ATen/ATen.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <string>

#define EXPORT extern "C" __attribute__((visibility("default")))

namespace
{

constexpr auto type = c10::DeviceType::PrivateUse1;

bool has_kernel(const char *name, const char *overload)
{
    const auto operation = c10::Dispatcher::singleton().findSchema({name, overload});
    return operation && operation->hasKernelForDispatchKey(c10::DispatchKey::PrivateUse1);
}

} // namespace

EXPORT int32_t helper_is_registered(const char **missing)
{
    *missing = !c10::impl::hasDeviceGuardImpl(type)          ? "device guard"
               : !c10::GetAllocator(type)                    ? "allocator"
               : !at::getHostAllocator(type)                 ? "host allocator"
               : !at::isPrivateUse1HooksRegistered()         ? "hooks"
               : !c10::is_privateuse1_backend_registered()   ? "name"
               : !has_kernel("aten::empty", "memory_format") ? "aten::empty.memory_format"
               : !has_kernel("aten::add", "out")             ? "aten::add.out"
                                                             : nullptr;
    return *missing == nullptr;
}

EXPORT int32_t helper_add(int32_t device, float left, float right, float *sum, const char **error)
{
    static thread_local std::string text;
    try {
        const at::Device where(type, static_cast<c10::DeviceIndex>(device));
        const at::Tensor one = at::full({4}, left, at::device(where).dtype(at::kFloat));
        const at::Tensor result = one + at::full({4}, right, at::device(where).dtype(at::kFloat));

        TORCH_CHECK(result.device() == where, "the sum is on ", result.device());
        *sum = result.cpu().sum().item<float>() / 4;
        return 0;
    } catch (const std::exception &exception) {
        text = exception.what();
        *error = text.c_str();
        return 1;
    }
}
