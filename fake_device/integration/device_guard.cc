/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Device guard: PyTorch's interface to the current device, its streams and its events.
 *
 * Purpose: c10::DeviceGuard, StreamGuard, c10::Event, torch.accelerator, torch.Stream, torch.Event
 * and autograd's device threads all use the object that is registered here.
 * If this file is removed, the first use raises "PyTorch is not linked with support for fakedev
 * devices".
 * Traps: the object must never be destroyed, because static destructors of other libraries still
 * call it. uncheckedSetDevice and deviceCount are noexcept, so an exception there ends the process.
 * The index -1 must never be returned. synchronizeDevice is called while any device is current.
 * Serves: DEV-001 to DEV-041; streams and events are in streams.cc and events.cc.
 */
#include "device_guard.h"

#include "device_allocator.h"
#include "device_index.h"
#include "events.h"
#include "status.h"
#include "streams.h"

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
    capability.capability_data.capability_bits = arithmetic;
    if (!properties.has_fp64)
        capability.capability_data.capability_bits &= ~(1ULL << c10::kIndex_Double);
    return capability;
}

} // namespace

c10::DeviceType Guard::type() const
{
    return c10::DeviceType::PrivateUse1;
}

c10::Device Guard::exchangeDevice(c10::Device device) const
{
    const c10::Device previous = getDevice();
    setDevice(device);
    return previous;
}

c10::Device Guard::getDevice() const
{
    return make_device(current_device());
}

void Guard::setDevice(c10::Device device) const
{
    check(fd_device_set(index_of(device)), "set device");
}

void Guard::uncheckedSetDevice(c10::Device device) const noexcept
{
    (void)fd_device_set(device.index());
}

c10::DeviceIndex Guard::deviceCount() const noexcept
{
    return device_count();
}

c10::DeviceCapability Guard::getDeviceCapability(c10::Device device) const
{
    return supported_dtypes(resolve_device(index_of(device), "device capability"));
}

void Guard::synchronizeDevice(const c10::DeviceIndex index) const
{
    check(fd_device_synchronize(resolve_device(index, "synchronize device")), "synchronize device");
}

c10::Stream Guard::getStream(c10::Device device) const
{
    return get_current_stream(index_of(device));
}

c10::Stream Guard::getDefaultStream(c10::Device device) const
{
    return get_default_stream(index_of(device));
}

c10::Stream Guard::getStreamFromGlobalPool(c10::Device device, bool isHighPriority) const
{
    return get_new_stream(index_of(device), isHighPriority ? -1 : 0);
}

c10::Stream Guard::getNewStream(c10::Device device, int priority) const
{
    return get_new_stream(index_of(device), priority);
}

c10::Stream Guard::exchangeStream(c10::Stream stream) const
{
    return exchange_stream(stream);
}

void *Guard::getStreamNativeHandle(const c10::Stream stream) const
{
    return to_driver(stream);
}

bool Guard::queryStream(const c10::Stream &stream) const
{
    return query_stream(stream);
}

void Guard::synchronizeStream(const c10::Stream &stream) const
{
    synchronize_stream(stream);
}

#if FAKEDEV_HAS_GRAPHS
bool Guard::isStreamCapturing(const c10::Stream &stream) const
{
    return is_capturing(stream);
}
#endif

void Guard::recordDataPtrOnStream(const c10::DataPtr &data, const c10::Stream &stream) const
{
    record_stream(data, stream);
}

void Guard::record(void **event, const c10::Stream &stream, const c10::DeviceIndex index,
                   const c10::EventFlag flag) const
{
    record_event(event, stream, index, flag);
}

void Guard::block(void *event, const c10::Stream &stream) const
{
    block_stream(event, stream);
}

bool Guard::queryEvent(void *event) const
{
    return query_event(event);
}

void Guard::synchronizeEvent(void *event) const
{
    synchronize_event(event);
}

double Guard::elapsedTime(void *start, void *end, const c10::DeviceIndex /*index*/) const
{
    return elapsed_milliseconds(start, end);
}

void Guard::destroyEvent(void *event, const c10::DeviceIndex /*index*/) const noexcept
{
    destroy_event(event);
}

} // namespace fakedev
