/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The buffers of both devices, and an allocator for memory without a tensor. The allocator's
 * "pointers" are ids of buffers.
 */
#include "no_storage/no_storage_memory.h"

#include <array>
#include <cstring>
#include <mutex>
#include <unordered_map>

namespace no_storage
{
namespace
{

struct Table {
    std::mutex mutex;
    std::unordered_map<int64_t, Buffer *> buffers;
    std::array<int64_t, 2> bytes{}; /* per device */
    int64_t last_id = 0;
};

Table &table()
{
    static auto *const instance = new Table(); /* buffers may outlive all static objects */
    return *instance;
}

void account(c10::DeviceIndex device, int64_t size)
{
    int64_t &bytes = table().bytes[static_cast<size_t>(device)];
    bytes += size; /* failed-allocation-counts */
    TORCH_CHECK_WITH(OutOfMemoryError, bytes <= bytes_per_device, "no_storage: no ", size,
                     " bytes left on device ", int(device));
}

} // namespace

Buffer::Buffer(c10::DeviceIndex device, int64_t size) : device_(device), size_(size)
{
    Table &all = table();
    const std::lock_guard<std::mutex> lock(all.mutex);
    account(device, size);
    id_ = ++all.last_id;
    all.buffers[id_] = this;
    fleet::mark_used(device);
}

Buffer::~Buffer()
{
    Table &all = table();
    const std::lock_guard<std::mutex> lock(all.mutex);
    all.bytes[static_cast<size_t>(device_)] -= size_;
    all.buffers.erase(id_);
}

char *Buffer::write()
{
    if (bytes_.empty())
        bytes_.resize(static_cast<size_t>(size_));
    return bytes_.data();
}

void Buffer::resize(int64_t size)
{
    const std::lock_guard<std::mutex> lock(table().mutex);
    account(device_, size - size_);
    size_ = size;
    if (!bytes_.empty())
        bytes_.resize(static_cast<size_t>(size));
}

namespace
{

/* The live buffer of an id, or null. */
Buffer *find_buffer(int64_t id)
{
    Table &all = table();
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.buffers.find(id);
    return found == all.buffers.end() ? nullptr : found->second;
}

void *pointer_of(int64_t id)
{
    return reinterpret_cast<void *>(id); // NOLINT: an id where others have an address
}

void release(void *pointer)
{
    if (Buffer *const buffer = find_buffer(reinterpret_cast<int64_t>(pointer)))
        c10::raw::intrusive_ptr::decref(buffer);
}

struct IdAllocator final : c10::Allocator {
    c10::DataPtr allocate(size_t count) override
    {
        const c10::Device device = fleet::device(fleet::current_device());
        if (count == 0)
            return {nullptr, nullptr, &release, device};
        TORCH_CHECK(count < size_t{1} << 62, "no_storage: ", count, " bytes are too many");
        auto buffer = c10::make_intrusive<Buffer>(device.index(), static_cast<int64_t>(count));
        void *const pointer = pointer_of(buffer->id());
        buffer.release(); /* from here on, the deleter owns the buffer */
        return {pointer, pointer, &release, device};
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        return &release;
    }

    void copy_data(void *target, const void *source, size_t count) const override
    {
        if (count == 0)
            return;
        Buffer *const to = find_buffer(reinterpret_cast<int64_t>(target));
        const Buffer *const from = find_buffer(reinterpret_cast<int64_t>(source));

        TORCH_CHECK(to && from, "no_storage: copy_data takes ids of this allocator");
        TORCH_CHECK(static_cast<int64_t>(count) <= std::min(to->size(), from->size()),
                    "no_storage: copy_data past the end");
        if (from->read())
            std::memcpy(to->write(), from->read(), count);
    }
};

} // namespace

c10::Allocator *allocator()
{
    static auto *const made = new IdAllocator();
    return made;
}

} // namespace no_storage
