/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Guard and hooks. Every function that needs the device throws before torch.async_streams._lazy_init().
 */
#include "async_streams/async_streams.h"

#include <array>
#include <atomic>

constinit const fleet::Backend fleet::backend{"async_streams", 2};

namespace async_streams
{

namespace
{

std::shared_ptr<Event> &held(void *event)
{
    return *static_cast<std::shared_ptr<Event> *>(event);
}

struct Guard final : fleet::StreamGuard {
    c10::Device exchangeDevice(c10::Device to) const override
    {
        require_started();
        return StreamGuard::exchangeDevice(to);
    }

    void setDevice(c10::Device to) const override
    {
        require_started();
        StreamGuard::setDevice(to);
    }

    c10::Stream getStream(c10::Device of) const override
    {
        require_started();
        return StreamGuard::getStream(of);
    }

    c10::Stream getNewStream(c10::Device of, int) const override
    {
        static std::array<std::atomic<c10::StreamId>, kDevices> made{};
        require_started();
        const c10::DeviceIndex index = fleet::resolved(of.index());
        const c10::StreamId next = made[static_cast<size_t>(index)]++;
        return c10::Stream(c10::Stream::UNSAFE, fleet::device(index), 1 + next % (kStreams - 1));
    }

    c10::Stream exchangeStream(c10::Stream to) const override
    {
        queue(to);
        return StreamGuard::exchangeStream(to);
    }

    void *getStreamNativeHandle(const c10::Stream stream) const override
    {
        return &queue(stream);
    }

    bool queryStream(const c10::Stream &stream) const override
    {
        return is_idle(queue(stream));
    }

    void synchronizeStream(const c10::Stream &stream) const override
    {
        wait_for(queue(stream));
    }

    void synchronizeDevice(c10::DeviceIndex index) const override
    {
        wait_for_device(index);
    }

    void record(void **event, const c10::Stream &stream, c10::DeviceIndex index,
                c10::EventFlag flag) const override
    {
        TORCH_CHECK(index < 0 || index == stream.device_index(),
                    "async_streams: an event of device ", int(index),
                    " cannot be recorded on device ", int(stream.device_index()));
        Queue &where = queue(stream);
        if (*event == nullptr)
            *event =
                new std::shared_ptr<Event>(make_event(flag == c10::EventFlag::BACKEND_DEFAULT));
        async_streams::record(held(*event), where);
    }

    void block(void *event, const c10::Stream &stream) const override
    {
        if (event != nullptr)
            hold_behind(held(event), queue(stream));
    }

    bool queryEvent(void *event) const override
    {
        return event == nullptr || has_happened(*held(event));
    }

    void synchronizeEvent(void *event) const override
    {
        if (event != nullptr)
            wait_for(*held(event));
    }

    double elapsedTime(void *first, void *second, c10::DeviceIndex) const override
    {
        return milliseconds_between(*held(first), *held(second));
    }

    void destroyEvent(void *event, c10::DeviceIndex) const noexcept override
    {
        delete static_cast<std::shared_ptr<Event> *>(event);
    }

    void recordDataPtrOnStream(const c10::DataPtr &data, const c10::Stream &stream) const override
    {
        memory()->recordStream(data, stream);
    }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

struct Hooks final : fleet::GeneratorHooks<Generator> {
    void init() const override
    {
        start();
    }

    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        require_started();
        fleet::set_current_device(index);
    }

    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
    {
        require_started();
        return fleet::Hooks::exchangeDevice(index);
    }

    at::Allocator *getPinnedMemoryAllocator() const override
    {
        return pinned_memory();
    }

    bool isPinnedPtr(const void *address) const override
    {
        return is_pinned(address);
    }

    at::Device getDeviceFromPtr(void *address) const override
    {
        return fleet::device(memory()->owner(address));
    }

    void resizePrivateUse1Bytes(const c10::Storage &storage, size_t size) const override
    {
        grow(storage, size);
    }
};

const bool registered = fleet::register_backend(new Hooks(), memory());

} // namespace

} // namespace async_streams

/* Called by the device module, which has no other access to the C++ code. */
extern "C" __attribute__((visibility("default"))) bool async_streams_start()
{
    try {
        async_streams::start();
    } catch (const c10::Error &) {
        return false;
    }
    return true;
}

extern "C" __attribute__((visibility("default"))) bool async_streams_is_started()
{
    return async_streams::is_started();
}

extern "C" __attribute__((visibility("default"))) bool async_streams_is_forked()
{
    return async_streams::is_forked();
}
