/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Streams as PyTorch identifies them: a device and a number. Number 0 is the default stream.
 *
 * Autograd reads and sets the current stream even if there is only one.
 */
#include "foo.h"

#include <c10/util/Exception.h>

#include <array>
#include <mutex> /* @with streams */

namespace foo
{

namespace
{

constexpr size_t kMostDevices = 128; /* as many as a DeviceIndex can name */

/* @with streams */
constexpr size_t kPool = 16;

struct Pool {
    std::array<foo_stream *, kPool> streams{};
    size_t next = 0;
};

std::array<Pool, kMostDevices> pools;
std::mutex pools_mutex;

/* PyTorch never says that a stream is unused, so streams come from a pool, round robin. */
size_t take_from_pool(c10::DeviceIndex index)
{
    const std::lock_guard<std::mutex> lock(pools_mutex);
    Pool &pool = pools[static_cast<size_t>(index)];
    const size_t taken = pool.next;
    if (!pool.streams[taken])
        check(foo_stream_create(index, &pool.streams[taken]), "create stream");
    pool.next = (taken + 1) % kPool;
    return taken;
}

foo_stream *pooled(c10::DeviceIndex index, c10::StreamId id)
{
    const std::lock_guard<std::mutex> lock(pools_mutex);
    const bool known = id > 0 && static_cast<size_t>(id) <= kPool;
    foo_stream *const stream =
        known ? pools[static_cast<size_t>(index)].streams[static_cast<size_t>(id) - 1] : nullptr;
    TORCH_CHECK(stream, "foo: device ", static_cast<int>(index), " has no stream ", id);
    return stream;
}
/* @end */

thread_local std::array<c10::StreamId, kMostDevices> current_ids{};

c10::Stream make(c10::DeviceIndex index, c10::StreamId id)
{
    return c10::Stream(c10::Stream::UNSAFE, device_of(index), id);
}

foo_stream *find(c10::DeviceIndex index, c10::StreamId id)
{
    foo_stream *stream = nullptr;
    /* @with streams */
    if (id != 0)
        return pooled(index, id);
    /* @end */
    TORCH_CHECK(id == 0, "foo: there is only the default stream"); /* @without streams */
    check(foo_stream_default(index, &stream), "default stream");
    return stream;
}

} // namespace

foo_stream *runtime_stream(c10::Stream stream)
{
    TORCH_CHECK(stream.device_type() == c10::DeviceType::PrivateUse1,
                "foo: expected a stream of foo, got one of ", stream.device_type());
    return find(resolve(stream.device_index(), "stream"), stream.id());
}

c10::Stream current_torch_stream(c10::DeviceIndex index)
{
    return make(index, current_ids[static_cast<size_t>(index)]);
}

foo_stream *current_stream(c10::DeviceIndex index)
{
    return find(index, current_ids[static_cast<size_t>(index)]);
}

c10::Stream default_torch_stream(c10::DeviceIndex index)
{
    return make(index, 0);
}

c10::Stream exchange_stream(c10::Stream stream)
{
    (void)runtime_stream(stream); /* raises for a stream that does not exist */
    c10::StreamId &current = current_ids[static_cast<size_t>(stream.device_index())];
    const c10::Stream previous = make(stream.device_index(), current);

    current = stream.id();
    return previous;
}

/* @with streams */
c10::Stream new_stream(c10::DeviceIndex index)
{
    return make(index, static_cast<c10::StreamId>(take_from_pool(index)) + 1);
}
/* @end */

} // namespace foo
