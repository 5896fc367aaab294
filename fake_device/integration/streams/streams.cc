/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Streams: the queues that torch.Stream, StreamGuard and autograd make current.
 *
 * Purpose: the stream methods of the device guard. Core treats streams as values and never reports
 * that a stream is unused. Therefore each device and priority has a pool, from which new streams
 * are taken in turn: a million torch.Stream objects start at most 64 workers per device. If this
 * file is removed, autograd fails, because it calls getStream and exchangeStream even for a backend
 * without streams. The other methods raise core's "Backend doesn't support ...".
 * Serves: STRM-001 to STRM-051.
 */
#include "streams.h"

#include "device_index.h"
#include "status.h"

#include <c10/util/Exception.h>

#include <algorithm>
#include <array>
#include <mutex>

namespace fakedev
{

namespace
{

constexpr size_t pool_size = 32;

struct Pool {
    std::array<fd_stream *, pool_size> streams{};
    size_t next = 0;
};

/* The device has two priorities: normal (0) and high (negative). */
Pool pools[FD_MAX_DEVICES][2];
std::mutex pools_mutex;

fd_stream *take_from_pool(c10::DeviceIndex index, int priority)
{
    const std::lock_guard<std::mutex> lock(pools_mutex);
    Pool &pool = pools[index][priority < 0 ? 1 : 0];
    fd_stream *&slot = pool.streams[pool.next];
    if (!slot)
        check(fd_stream_create(index, priority < 0 ? -1 : 0, &slot), "create stream");
    pool.next = (pool.next + 1) % pool_size;
    return slot;
}

} // namespace

fd_stream *to_driver(const c10::Stream &stream)
{
    fd_stream *handle = nullptr;
    TORCH_CHECK(stream.device_type() == c10::DeviceType::PrivateUse1,
                "fakedev: expected a stream of fakedev, got one of ", stream.device_type());
    const c10::DeviceIndex index = resolve_device(stream.device_index(), "stream");
    check(fd_stream_from_id(index, stream.id(), &handle), "find stream");
    return handle;
}

c10::Stream to_torch(const fd_stream *stream)
{
    const auto index = static_cast<c10::DeviceIndex>(fd_stream_device(stream));
    return c10::Stream(c10::Stream::UNSAFE, make_device(index), fd_stream_id(stream));
}

fd_stream *current_stream(c10::DeviceIndex index)
{
    fd_stream *stream = nullptr;
    check(fd_stream_get_current(index, &stream), "current stream");
    mark_device_used(index);
    return stream;
}

c10::Stream get_current_stream(c10::DeviceIndex index)
{
    fd_stream *stream = nullptr;
    check(fd_stream_get_current(resolve_device(index, "current stream"), &stream),
          "current stream");
    return to_torch(stream);
}

c10::Stream get_default_stream(c10::DeviceIndex index)
{
    fd_stream *stream = nullptr;
    check(fd_stream_default(resolve_device(index, "default stream"), &stream), "default stream");
    return to_torch(stream);
}

c10::Stream get_new_stream(c10::DeviceIndex index, int priority)
{
    return to_torch(take_from_pool(resolve_device(index, "new stream"), priority));
}

c10::Stream exchange_stream(const c10::Stream &stream)
{
    fd_stream *previous = nullptr;
    check(fd_stream_set_current(to_driver(stream), &previous), "exchange stream");
    return to_torch(previous);
}

bool query_stream(const c10::Stream &stream)
{
    const fd_status status = fd_stream_query(to_driver(stream));
    if (status == FD_ERROR_NOT_READY)
        return false;
    check(status, "query stream");
    return true;
}

void synchronize_stream(const c10::Stream &stream)
{
    check(fd_stream_synchronize(to_driver(stream)), "synchronize stream");
}

bool is_capturing(const c10::Stream &stream)
{
    int32_t capturing = 0;
    check(fd_stream_is_capturing(to_driver(stream), &capturing), "is capturing");
    return capturing != 0;
}

} // namespace fakedev
