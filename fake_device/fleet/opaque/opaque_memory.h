/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices and memory of the opaque backend. Memory is a table of buffers with ids; an id is all that
 * anybody outside ever sees of it. A buffer gets its bytes when it is first written.
 */
#pragma once

#include <c10/core/Device.h>
#include <c10/util/intrusive_ptr.h>

#include <cstdint>
#include <vector>

namespace opaque
{

constexpr c10::DeviceIndex device_count = 2;
constexpr int64_t bytes_per_device = int64_t{1} << 32;

c10::DeviceIndex current_device() noexcept;
void unchecked_set_device(c10::DeviceIndex index) noexcept;
/* Raises for an index that is no device. */
void set_device(c10::DeviceIndex index);
/* -1 is the current device; raises for an index that is no device. */
c10::DeviceIndex resolved(c10::DeviceIndex index);
bool was_used(c10::DeviceIndex index) noexcept;

class Buffer : public c10::intrusive_ptr_target
{
  public:
    Buffer(c10::DeviceIndex device, int64_t size);
    ~Buffer() override;
    Buffer(const Buffer &) = delete;
    Buffer &operator=(const Buffer &) = delete;

    int64_t id() const
    {
        return id_;
    }
    c10::DeviceIndex device() const
    {
        return device_;
    }
    int64_t size() const
    {
        return size_;
    }
    /* Null until somebody writes. */
    const char *read() const
    {
        return bytes_.empty() ? nullptr : bytes_.data();
    }
    char *write();
    void resize(int64_t size);

  private:
    c10::DeviceIndex device_;
    int64_t size_;
    int64_t id_;
    std::vector<char> bytes_;
};

using BufferPtr = c10::intrusive_ptr<Buffer>;

/* The live buffer of an id, or null. */
Buffer *find_buffer(int64_t id);

} // namespace opaque
