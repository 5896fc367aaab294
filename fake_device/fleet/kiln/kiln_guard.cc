/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Guard, hooks, name, and the current device and streams of each thread.
 */
#include "kiln.h"

#include <atomic>

namespace kiln
{

namespace
{

thread_local c10::DeviceIndex current = 0;
thread_local std::array<c10::StreamId, kDevices> streams{};

void make_current(c10::DeviceIndex index)
{
    require_lit();
    TORCH_CHECK(index >= 0 && index < kDevices, "kiln: there is no device ", int(index));
    current = index;
}

c10::Stream stream_of(c10::DeviceIndex index, c10::StreamId id)
{
    return c10::Stream(c10::Stream::UNSAFE, device(index), id);
}

std::shared_ptr<Event> &held(void *event)
{
    return *static_cast<std::shared_ptr<Event> *>(event);
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override
    {
        return c10::DeviceType::PrivateUse1;
    }

    c10::Device getDevice() const override
    {
        return device(current);
    }

    c10::Device exchangeDevice(c10::Device to) const override
    {
        const c10::Device former = getDevice();
        make_current(to.index());
        return former;
    }

    void setDevice(c10::Device to) const override
    {
        make_current(to.index());
    }

    void uncheckedSetDevice(c10::Device to) const noexcept override
    {
        if (to.index() >= 0 && to.index() < kDevices)
            current = to.index();
    }

    c10::DeviceIndex deviceCount() const noexcept override
    {
        return kDevices;
    }

    c10::Stream getStream(c10::Device of) const override
    {
        require_lit();
        return current_stream(of.index());
    }

    c10::Stream getDefaultStream(c10::Device of) const override
    {
        return stream_of(of.index(), 0);
    }

    c10::Stream getNewStream(c10::Device of, int) const override
    {
        static std::array<std::atomic<c10::StreamId>, kDevices> made{};
        require_lit();
        const c10::DeviceIndex index = device(of.index()).index();
        const c10::StreamId next = made[static_cast<size_t>(index)]++;
        return stream_of(index, 1 + next % (kStreams - 1));
    }

    c10::Stream getStreamFromGlobalPool(c10::Device of, bool) const override
    {
        return getNewStream(of, 0);
    }

    c10::Stream exchangeStream(c10::Stream to) const override
    {
        queue(to);
        const c10::Stream former = current_stream(to.device_index());
        streams[static_cast<size_t>(to.device_index())] = to.id();
        return former;
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
        TORCH_CHECK(index < 0 || index == stream.device_index(), "kiln: an event of device ",
                    int(index), " cannot be recorded on device ", int(stream.device_index()));
        Queue &where = queue(stream);
        if (*event == nullptr)
            *event =
                new std::shared_ptr<Event>(make_event(flag == c10::EventFlag::BACKEND_DEFAULT));
        kiln::record(held(*event), where);
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

struct Hooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override
    {
        return true;
    }

    bool isAvailable() const override
    {
        return true;
    }

    void init() const override
    {
        light();
    }

    bool hasPrimaryContext(c10::DeviceIndex index) const override
    {
        return is_in_use(device(index).index());
    }

    c10::DeviceIndex deviceCount() const override
    {
        return kDevices;
    }

    c10::DeviceIndex getCurrentDevice() const override
    {
        return current;
    }

    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        make_current(index);
    }

    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
    {
        const c10::DeviceIndex former = current;
        make_current(index);
        return former;
    }

    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override
    {
        return index < 0 ? current : exchangeDevice(index);
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
        return device(owner(address));
    }

    const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override
    {
        return default_generator(index);
    }

    at::Generator getNewGenerator(c10::DeviceIndex index) const override
    {
        return new_generator(index);
    }

    void resizePrivateUse1Bytes(const c10::Storage &storage, size_t size) const override
    {
        c10::StorageImpl *const impl = storage.unsafeGetStorageImpl();
        TORCH_CHECK(impl->resizable(), "kiln: memory of somebody else cannot grow");
        const c10::DeviceGuard there(impl->device());
        c10::DataPtr grown = memory()->allocate(size);
        const size_t kept = std::min(size, impl->nbytes());
        if (kept > 0)
            memory()->copy_data(grown.get(), impl->data(), kept);
        impl->set_data_ptr_noswap(std::move(grown));
        impl->set_nbytes(size);
    }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

const bool registered = [] {
    c10::register_privateuse1_backend("kiln");
    at::RegisterPrivateUse1HooksInterface(new Hooks());
    return true;
}();

} // namespace

c10::Device device(c10::DeviceIndex index)
{
    if (index == -1)
        index = current;
    TORCH_CHECK(index >= 0 && index < kDevices, "kiln: there is no device ", int(index));
    return {c10::DeviceType::PrivateUse1, index};
}

c10::Stream current_stream(c10::DeviceIndex index)
{
    const c10::DeviceIndex real = device(index).index();
    return stream_of(real, streams[static_cast<size_t>(real)]);
}

} // namespace kiln

/* For the device module, which has no other way to C++. */
extern "C" __attribute__((visibility("default"))) bool kiln_light()
{
    try {
        kiln::light();
    } catch (const c10::Error &) {
        return false;
    }
    return true;
}

extern "C" __attribute__((visibility("default"))) bool kiln_is_lit()
{
    return kiln::is_lit();
}

extern "C" __attribute__((visibility("default"))) bool kiln_is_left_behind()
{
    return kiln::is_left_behind();
}
