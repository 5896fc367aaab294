/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Device guard: PyTorch's handle on "the current device", its streams and its events.
 *
 * For: c10::DeviceGuard, StreamGuard, c10::Event, torch.accelerator, torch.Stream, torch.Event and
 * autograd's device threads all go through the one object registered here.
 * Without: "PyTorch is not linked with support for fakedev devices" at first use.
 * Traps: the object is never destroyed (static destructors of others still call it);
 * uncheckedSetDevice and deviceCount are noexcept, a throw there ends the process; -1 never leaves;
 * synchronizeDevice is called with any device current.
 * Serves: DEV-001 to DEV-041; streams and events are in streams.cc and events.cc.
 */
#include "device_allocator.h"
#include "device_index.h"
#include "events.h"
#include "status.h"
#include "streams.h"

#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/csrc/autograd/graph_task.h>

#include <algorithm>

namespace fakedev
{

namespace
{

c10::DeviceIndex index_of(const c10::Device &device)
{
    TORCH_CHECK(device.type() == c10::DeviceType::PrivateUse1,
                "fakedev: expected a fakedev device, got ", device);
    return device.index();
}

c10::DeviceCapability supported_dtypes(c10::DeviceIndex index)
{
    constexpr uint64_t arithmetic =
        1ULL << c10::kIndex_Byte | 1ULL << c10::kIndex_Char | 1ULL << c10::kIndex_Short |
        1ULL << c10::kIndex_Int | 1ULL << c10::kIndex_Long | 1ULL << c10::kIndex_Half |
        1ULL << c10::kIndex_Float | 1ULL << c10::kIndex_Double | 1ULL << c10::kIndex_ComplexFloat |
        1ULL << c10::kIndex_ComplexDouble | 1ULL << c10::kIndex_Bool |
        1ULL << c10::kIndex_BFloat16 | 1ULL << c10::kIndex_UInt16 | 1ULL << c10::kIndex_UInt32 |
        1ULL << c10::kIndex_UInt64;
    struct fd_properties properties;
    c10::DeviceCapability capability;

    check(fd_device_properties(index, &properties), "device capability");
    if (fd_fault("guard.capability_claims_everything"))
        return capability;
    capability.capability_data.capability_bits = arithmetic;
    if (!properties.has_fp64)
        capability.capability_data.capability_bits &= ~(1ULL << c10::kIndex_Double);
    if (fd_fault("guard.capability_is_empty"))
        capability.capability_data.capability_bits = 0;
    if (index > 0 && fd_fault("guard.capability_only_on_device_zero"))
        capability.capability_data.capability_bits = 1ULL << c10::kIndex_Byte;
    return capability;
}

/* The driver answers more than how many devices it once had. */
bool driver_answers() noexcept
{
    struct fd_properties properties;

    return device_count() > 0 && fd_device_properties(current_device(), &properties) == FD_OK;
}

/* Defects of the end of the process: the guard relies on what is gone by then. */
void need_statics()
{
    TORCH_CHECK(!statics_are_gone() || !fd_fault("guard.unusable_at_exit"),
                "fakedev: the runtime was shut down");
}

thread_local bool device_was_set = false;

/* A defect of real backends: a copy of the current device that only the first question fills. */
c10::DeviceIndex remembered_device() noexcept
{
    static thread_local const c10::DeviceIndex first = current_device();

    return first;
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override
    {
        return fd_fault("guard.type_is_cuda") ? c10::DeviceType::CUDA
                                              : c10::DeviceType::PrivateUse1;
    }

    c10::Device exchangeDevice(c10::Device device) const override
    {
        const c10::Device previous = getDevice();

        setDevice(device);
        return fd_fault("guard.exchange_returns_new") ? device : previous;
    }

    c10::Device getDevice() const override
    {
        need_statics();
        if (fd_fault("guard.current_is_minus_one") ||
            (fd_fault("guard.no_device_on_new_threads") && !device_was_set))
            return make_device(-1);
        return make_device(fd_fault("guard.current_is_remembered") ? remembered_device()
                                                                   : current_device());
    }

    void setDevice(c10::Device device) const override
    {
        const c10::DeviceIndex index = fd_fault("guard.set_takes_minus_one_as_zero")
                                           ? std::max<c10::DeviceIndex>(index_of(device), 0)
                                           : index_of(device);

        check(fd_device_set(fd_fault("guard.set_ignores_argument") ? 0 : index), "set device");
        device_was_set = true;
    }

    void uncheckedSetDevice(c10::Device device) const noexcept override
    {
        if (fd_fault("guard.unchecked_set_does_nothing"))
            return;
        need_statics();
        const fd_status status =
            fd_device_set(fd_fault("guard.unchecked_set_is_zero") ? 0 : device.index());
        if (fd_fault("guard.unchecked_set_throws")) {
            check(status, "set device");
            TORCH_CHECK(driver_answers(), "fakedev: set device: the driver does not answer");
        }
    }

    c10::DeviceIndex deviceCount() const noexcept override
    {
        const c10::DeviceIndex count = device_count();

        TORCH_CHECK(!fd_fault("guard.count_throws") || driver_answers(), "fakedev: no device");
        return fd_fault("guard.count_one_too_many") ? static_cast<c10::DeviceIndex>(count + 1)
                                                    : count;
    }

    c10::DeviceCapability getDeviceCapability(c10::Device device) const override
    {
        if (fd_fault("guard.capability_any_index"))
            return supported_dtypes(0);
        return supported_dtypes(resolve_device(index_of(device), "device capability"));
    }

    void synchronizeDevice(const c10::DeviceIndex index) const override
    {
        const c10::DeviceIndex device = resolve_device(index, "synchronize device");

        TORCH_INTERNAL_ASSERT(!fd_fault("guard.synchronize_asserts"));
        if (fd_fault("guard.synchronize_switches_device"))
            check(fd_device_set(device), "set device");
        if (fd_fault("guard.synchronize_only_current_stream"))
            check(fd_stream_synchronize(current_stream(device)), "synchronize device");
        else if (!fd_fault("guard.synchronize_does_nothing"))
            check(fd_device_synchronize(device), "synchronize device");
        for (int32_t i = 0; i < device_count() && fd_fault("guard.synchronize_waits_for_all"); i++)
            check(fd_device_synchronize(i), "synchronize device");
    }

    /* ---- streams ---- */

    c10::Stream getStream(c10::Device device) const override
    {
        return get_current_stream(index_of(device));
    }

    c10::Stream getDefaultStream(c10::Device device) const override
    {
        return get_default_stream(index_of(device));
    }

    c10::Stream getStreamFromGlobalPool(c10::Device device, bool isHighPriority) const override
    {
        return get_new_stream(index_of(device), isHighPriority ? -1 : 0);
    }

    c10::Stream getNewStream(c10::Device device, int priority) const override
    {
        return get_new_stream(index_of(device), priority);
    }

    c10::Stream exchangeStream(c10::Stream stream) const override
    {
        const bool in_backward = torch::autograd::get_current_graph_task_id() != -1;

        if (in_backward && fd_fault("autograd.grad_stream_ignored"))
            return getStream(stream.device());
        return exchange_stream(stream);
    }

    void *getStreamNativeHandle(const c10::Stream stream) const override
    {
        return to_driver(stream);
    }

    bool queryStream(const c10::Stream &stream) const override
    {
        return query_stream(stream);
    }

    void synchronizeStream(const c10::Stream &stream) const override
    {
        synchronize_stream(stream);
    }

    void recordDataPtrOnStream(const c10::DataPtr &data, const c10::Stream &stream) const override
    {
        record_stream(data, stream);
    }

    /* ---- events ---- */

    void record(void **event, const c10::Stream &stream, const c10::DeviceIndex index,
                const c10::EventFlag flag) const override
    {
        record_event(event, stream, index, flag);
    }

    void block(void *event, const c10::Stream &stream) const override
    {
        block_stream(event, stream);
    }

    bool queryEvent(void *event) const override
    {
        return query_event(event);
    }

    void synchronizeEvent(void *event) const override
    {
        synchronize_event(event);
    }

    double elapsedTime(void *start, void *end, const c10::DeviceIndex /*index*/) const override
    {
        return elapsed_milliseconds(start, end);
    }

    void destroyEvent(void *event, const c10::DeviceIndex /*index*/) const noexcept override
    {
        destroy_event(event);
    }
};

const bool registered = [] {
    if (!fd_fault("guard.not_registered"))
        c10::impl::registerDeviceGuard(c10::DeviceType::PrivateUse1, new Guard());
    return true;
}();

} // namespace

} // namespace fakedev
