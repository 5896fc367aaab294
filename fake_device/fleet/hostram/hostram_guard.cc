/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The device guard: current device, streams, events.
 */
#include "hostram.h"

#include <atomic>
#include <chrono>
#include <map>

namespace hostram
{

namespace
{

using Clock = std::chrono::steady_clock;

struct Event {
    c10::DeviceIndex device;
    Clock::time_point time;
};

thread_local std::map<c10::DeviceIndex, c10::StreamId> current_streams;
std::atomic<c10::StreamId> next_stream{1};

c10::DeviceIndex resolved(c10::Device device)
{
    return device.has_index() ? device.index() : current_device();
}

c10::Stream make_stream(c10::DeviceIndex index, c10::StreamId id)
{
    return c10::Stream(c10::Stream::UNSAFE, device_of(index), id);
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override
    {
        return c10::DeviceType::PrivateUse1;
    }

    c10::Device exchangeDevice(c10::Device device) const override
    {
        const c10::Device previous = getDevice();

        if (device.index() >= 0 && device.index() < kDevices) /* exchange-bad-index */
            set_current_device(device.index());
        return previous;
    }

    c10::Device getDevice() const override
    {
        return device_of(current_device());
    }

    void setDevice(c10::Device device) const override
    {
        set_current_device(device.index());
    }

    void uncheckedSetDevice(c10::Device device) const noexcept override
    {
        set_current_device(device.index()); /* unchecked-set-device */
    }

    c10::DeviceIndex deviceCount() const noexcept override
    {
        return kDevices;
    }

    c10::DeviceCapability getDeviceCapability(c10::Device device) const override
    {
        check_index(resolved(device));
        return {}; /* dtype-capability */
    }

    c10::Stream getStream(c10::Device device) const override
    {
        const c10::DeviceIndex index = resolved(device);

        check_index(index);
        return make_stream(index, current_streams[index]);
    }

    c10::Stream getDefaultStream(c10::Device device) const override
    {
        const c10::DeviceIndex index = resolved(device);

        check_index(index);
        return make_stream(index, 0);
    }

    c10::Stream getNewStream(c10::Device device, int) const override
    {
        start_work();
        return make_stream(resolved(device), next_stream++); /* stream-bad-index */
    }

    c10::Stream getStreamFromGlobalPool(c10::Device device, bool) const override
    {
        check_index(resolved(device));
        return getNewStream(device, 0);
    }

    c10::Stream exchangeStream(c10::Stream stream) const override
    {
        check_index(stream.device_index());
        c10::StreamId &mine = current_streams[stream.device_index()];
        const c10::Stream previous = make_stream(stream.device_index(), mine);
        mine = stream.id();
        return previous;
    }

    bool queryStream(const c10::Stream &) const override
    {
        return true; /* kernels have run when they return */
    }

    void synchronizeStream(const c10::Stream &stream) const override
    {
        check_index(stream.device_index());
        wait_for_work();
    }

    void synchronizeDevice(c10::DeviceIndex index) const override
    {
        set_current_device(index); /* sync-leaves-device */
        wait_for_work();
    }

    void record(void **event, const c10::Stream &stream, c10::DeviceIndex index,
                c10::EventFlag) const override
    {
        TORCH_CHECK(index == -1 || index == stream.device_index(), "hostram: an event of device ",
                    int(index), " cannot be recorded on a stream of device ",
                    int(stream.device_index()));
        check_index(stream.device_index());
        if (*event == nullptr)
            *event = new Event();
        *static_cast<Event *>(*event) = {stream.device_index(), Clock::now()};
    }

    void block(void *, const c10::Stream &) const override
    {
        /* Whatever was recorded has happened. */
    }

    bool queryEvent(void *) const override
    {
        return true;
    }

    void synchronizeEvent(void *) const override
    {
    }

    void destroyEvent(void *event, c10::DeviceIndex) const noexcept override
    {
        delete static_cast<Event *>(event);
    }

    double elapsedTime(void *from, void *to, c10::DeviceIndex) const override
    {
        const auto *const first = static_cast<Event *>(from), *const second =
                                                                  static_cast<Event *>(to);
        const c10::DeviceIndex before = current_device();

        set_current_device(first->device); /* elapsed-leaves-device */
        TORCH_CHECK(first->device == second->device,
                    "hostram: the events are of different devices");
        const std::chrono::duration<double, std::milli> span = second->time - first->time;
        set_current_device(before);
        return span.count();
    }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

} // namespace

} // namespace hostram
