/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Device guards and hooks without a defect.
 */
#include "fleet_guard.h"

#include <c10/core/CPUAllocator.h>

#include <atomic>
#include <chrono>
#include <map>

namespace fleet
{

c10::DeviceType Guard::type() const
{
    return c10::DeviceType::PrivateUse1;
}

c10::Device Guard::exchangeDevice(c10::Device to) const
{
    const c10::DeviceIndex before = current_device();
    set_current_device(to.index());
    return device(before);
}

c10::Device Guard::getDevice() const
{
    return device(current_device());
}

void Guard::setDevice(c10::Device to) const
{
    set_current_device(to.index());
}

void Guard::uncheckedSetDevice(c10::Device to) const noexcept
{
    if (is_device(to.index()))
        store_current_device(to.index());
}

c10::DeviceIndex Guard::deviceCount() const noexcept
{
    return backend.devices;
}

c10::Stream Guard::getStream(c10::Device of) const
{
    return c10::Stream(c10::Stream::DEFAULT, device(resolved(of.index())));
}

c10::Stream Guard::exchangeStream(c10::Stream to) const
{
    return Guard::getStream(to.device()); /* there is only one stream */
}

/* ---- synchronous ---------------------------------------------------------------------------------- */

c10::Stream SynchronousGuard::getDefaultStream(c10::Device of) const
{
    return Guard::getStream(of);
}

bool SynchronousGuard::queryStream(const c10::Stream &) const
{
    return true;
}

void SynchronousGuard::synchronizeStream(const c10::Stream &) const
{
}

void SynchronousGuard::synchronizeDevice(c10::DeviceIndex index) const
{
    resolved(index);
}

/* ---- streams and events --------------------------------------------------------------------------- */

namespace
{

struct Event {
    c10::DeviceIndex device;
    int64_t nanoseconds;
};

thread_local std::map<c10::DeviceIndex, c10::StreamId> current_streams;

c10::Stream numbered_stream(c10::DeviceIndex index, c10::StreamId id)
{
    return c10::Stream(c10::Stream::UNSAFE, device(index), id);
}

} // namespace

c10::Stream StreamGuard::next_stream(c10::DeviceIndex index)
{
    static std::atomic<c10::StreamId> last{0};
    return numbered_stream(index, ++last);
}

c10::Stream current_stream(c10::DeviceIndex index)
{
    const c10::DeviceIndex real = resolved(index);
    return numbered_stream(real, current_streams[real]);
}

c10::Stream StreamGuard::getStream(c10::Device of) const
{
    return current_stream(of.index());
}

c10::Stream StreamGuard::getNewStream(c10::Device of, int) const
{
    return next_stream(resolved(of.index()));
}

c10::Stream StreamGuard::getStreamFromGlobalPool(c10::Device of, bool) const
{
    return getNewStream(device(resolved(of.index())), 0);
}

c10::Stream StreamGuard::exchangeStream(c10::Stream to) const
{
    const c10::Stream before = getStream(to.device());
    current_streams[to.device_index()] = to.id();
    return before;
}

void StreamGuard::record(void **event, const c10::Stream &stream, c10::DeviceIndex index,
                         c10::EventFlag) const
{
    TORCH_CHECK(index == -1 || index == stream.device_index(), backend.name,
                ": an event of device ", int(index), " cannot be recorded on a stream of device ",
                int(stream.device_index()));
    check_index(stream.device_index());
    if (*event == nullptr)
        *event = new Event();
    *static_cast<Event *>(*event) = {stream.device_index(), nanoseconds()};
}

void StreamGuard::block(void *, const c10::Stream &) const
{
}

bool StreamGuard::queryEvent(void *) const
{
    return true;
}

void StreamGuard::synchronizeEvent(void *) const
{
}

void StreamGuard::destroyEvent(void *event, c10::DeviceIndex) const noexcept
{
    delete static_cast<Event *>(event);
}

double StreamGuard::elapsedTime(void *first, void *second, c10::DeviceIndex) const
{
    const auto &begin = *static_cast<Event *>(first), &end = *static_cast<Event *>(second);
    TORCH_CHECK(begin.device == end.device, backend.name, ": the events are of different devices");
    return static_cast<double>(end.nanoseconds - begin.nanoseconds) / 1e6;
}

c10::DeviceIndex StreamGuard::device_of_event(void *event)
{
    return static_cast<Event *>(event)->device;
}

int64_t StreamGuard::nanoseconds() const
{
    return std::chrono::nanoseconds(std::chrono::steady_clock::now().time_since_epoch()).count();
}

/* ---- hooks ---------------------------------------------------------------------------------------- */

bool Hooks::isBuilt() const
{
    return true;
}

bool Hooks::isAvailable() const
{
    return true;
}

bool Hooks::hasPrimaryContext(c10::DeviceIndex index) const
{
    return was_used(index);
}

c10::DeviceIndex Hooks::deviceCount() const
{
    return backend.devices;
}

c10::DeviceIndex Hooks::getCurrentDevice() const
{
    return current_device();
}

void Hooks::setCurrentDevice(c10::DeviceIndex index) const
{
    set_current_device(index);
}

c10::DeviceIndex Hooks::exchangeDevice(c10::DeviceIndex index) const
{
    const c10::DeviceIndex before = current_device();
    set_current_device(index);
    return before;
}

c10::DeviceIndex Hooks::maybeExchangeDevice(c10::DeviceIndex index) const
{
    return index < 0 ? current_device() : exchangeDevice(index);
}

at::Allocator *Hooks::getPinnedMemoryAllocator() const
{
    return c10::GetCPUAllocator();
}

void Hooks::grow(const c10::Storage &storage, size_t size) const
{
    TORCH_CHECK(storage.resizable(), backend.name, ": this storage cannot be resized");
    const c10::DeviceGuard guard(storage.device());
    replace(storage, size, std::min(size, storage.nbytes()));
}

void Hooks::replace(const c10::Storage &storage, size_t size, size_t kept)
{
    c10::Allocator *const allocator = c10::GetAllocator(c10::DeviceType::PrivateUse1);
    c10::DataPtr block = allocator->allocate(size);
    if (kept > 0)
        allocator->copy_data(block.get(), storage.data(), kept);
    storage.unsafeGetStorageImpl()->set_data_ptr_noswap(std::move(block));
    storage.unsafeGetStorageImpl()->set_nbytes(size);
}

} // namespace fleet
