/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Calls that load_from_c cannot make in C: ask PyTorch who is registered, and add two tensors.
 * Links torch and knows nothing of the fake device but the type of its devices.
 */
#include "../which_torch.h"

#include <ATen/ATen.h>
#include <ATen/core/CachingHostAllocator.h>
#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/Event.h>
#include <c10/core/StreamGuard.h>
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

/* A rule that C++ programs rely on: a block is given back by the function raw_deleter() names. */
EXPORT int32_t helper_raw_deleter_is_the_blocks()
{
    c10::Allocator *allocator = c10::GetAllocator(type);

    return allocator->allocate(64).get_deleter() == allocator->raw_deleter();
}

/* 1, 0, or -1 when the question raised, which it never may. */
EXPORT int32_t helper_is_available()
{
    try {
        return at::detail::getPrivateUse1Hooks().isAvailable() ? 1 : 0;
    } catch (const std::exception &) {
        return -1;
    }
}

EXPORT int32_t helper_is_built()
{
    try {
        return at::detail::getPrivateUse1Hooks().isBuilt() ? 1 : 0;
    } catch (const std::exception &) {
        return -1;
    }
}

/* The question that the engine of backward asks of each device. */
EXPORT int32_t helper_has_context(int32_t device)
{
    const auto index = static_cast<c10::DeviceIndex>(device);

    return at::detail::getPrivateUse1Hooks().hasPrimaryContext(index) ? 1 : 0;
}

/* Device index of a pointer as from_blob sees it, -1 when it raises. */
EXPORT int32_t helper_device_of(void *pointer)
{
    try {
        return at::detail::getPrivateUse1Hooks().getDeviceFromPtr(pointer).index();
    } catch (const std::exception &) {
        return -1;
    }
}

EXPORT int32_t helper_guard_count()
{
    return c10::impl::getDeviceGuardImpl(type)->deviceCount();
}

EXPORT int32_t helper_stream_guard_restores()
{
    const auto *guard = c10::impl::getDeviceGuardImpl(type);
    const c10::Stream before = guard->getStream(c10::Device(type, 0));

    {
        const c10::StreamGuard scope(guard->getNewStream(c10::Device(type, 0), 0));
    }
    return guard->getStream(c10::Device(type, 0)) == before;
}

EXPORT int32_t helper_new_stream_is_refused(int32_t device)
{
    try {
        const c10::Device wanted(type, static_cast<c10::DeviceIndex>(device));
        (void)c10::impl::getDeviceGuardImpl(type)->getNewStream(wanted, 0);
        return 0;
    } catch (const std::exception &) {
        return 1;
    }
}

EXPORT int64_t helper_default_stream(int32_t device)
{
    const c10::Device wanted(type, static_cast<c10::DeviceIndex>(device));

    return c10::impl::getDeviceGuardImpl(type)->getDefaultStream(wanted).id();
}

/* The device of a stream of the pool, -1 when it raises. */
EXPORT int32_t helper_pool_device(int32_t device)
{
    try {
        const c10::Device wanted(type, static_cast<c10::DeviceIndex>(device));
        return c10::impl::getDeviceGuardImpl(type)->getStreamFromGlobalPool(wanted).device_index();
    } catch (const std::exception &) {
        return -1;
    }
}

EXPORT int32_t helper_exchanges(int64_t id, int32_t device)
{
    try {
        const c10::Device wanted(type, static_cast<c10::DeviceIndex>(device));
        (void)c10::impl::getDeviceGuardImpl(type)->exchangeStream(
            c10::Stream(c10::Stream::UNSAFE, wanted, id));
        return 1;
    } catch (const std::exception &) {
        return 0;
    }
}

EXPORT int32_t helper_device_after_new_stream(int32_t device)
{
    const auto *guard = c10::impl::getDeviceGuardImpl(type);

    (void)guard->getNewStream(c10::Device(type, static_cast<c10::DeviceIndex>(device)), 0);
    return guard->getDevice().index();
}

EXPORT int32_t helper_moved_event_is_complete()
{
    const auto *guard = c10::impl::getDeviceGuardImpl(type);
    c10::Event event(type);

    event.record(guard->getStream(c10::Device(type, 0)));
    const c10::Event moved(std::move(event));
    try {
        return event.query(); // NOLINT: what is left behind is the question
    } catch (const std::exception &) {
        return 0;
    }
}

EXPORT int32_t helper_record_host_event(void *pointer)
{
    const auto *guard = c10::impl::getDeviceGuardImpl(type);

    return at::getHostAllocator(type)->record_event(pointer, pointer,
                                                    guard->getStream(c10::Device(type, 0)));
}

#if FAKEDEV_HAS_HOST_HISTORY

EXPORT void helper_begin_host_history(void)
{
    at::getHostAllocator(type)->record_history(true, nullptr, 100, {}, false);
}

/* Entries of the history of pinned memory that are about an address. */
EXPORT int32_t helper_host_history_of(void *pointer)
{
    int32_t found = 0;

    for (const auto &entry : at::getHostAllocator(type)->get_traces())
        found += entry.addr_ == reinterpret_cast<size_t>(pointer);
    return found;
}

/* Segments of pinned memory that a snapshot would show. */
EXPORT int32_t helper_host_segments(void)
{
    return static_cast<int32_t>(at::getHostAllocator(type)->get_segments().size());
}

#endif
