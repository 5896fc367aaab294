/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Memory of the no_storage backend: a table of buffers with ids. Code outside this backend sees
 * only the ids. The first write to a buffer allocates its bytes.
 */
#pragma once

#include "common/fleet_device.h"

#include <vector>

namespace no_storage
{

constexpr int64_t bytes_per_device = int64_t{1} << 32;

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
    /* Null until the first write. */
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

/* The allocator's "pointers" are ids of buffers. */
c10::Allocator *allocator();

} // namespace no_storage
