/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Streams with their faults: the current stream, new streams, and the lookup of a stream by id.
 */
#include "faulty_streams.h"

#include "device_index.h"
#include "status.h"
#include "streams.h"
#include "switchboard.h"

#include <torch/csrc/autograd/graph_task.h>

#include <atomic>
#include <cstdlib>
#include <deque>
#include <functional>
#include <mutex>
#include <set>

namespace fakedev
{

namespace
{

constexpr int64_t no_stream = -1;

bool in_backward()
{
    return torch::autograd::get_current_graph_task_id() != -1;
}

/* The last stream that backward made current, if a fault leaves it current. */
std::atomic<int64_t> left_by_backward{no_stream};

/* Streams that were current on this thread before. */
thread_local std::set<int64_t> left;

/* Streams created outside the pool, because the pool never destroys streams. */
std::deque<fd_stream *> made;
std::mutex made_mutex;

fd_stream *stream_of_its_own(c10::DeviceIndex index)
{
    fd_stream *stream = nullptr;
    check(fd_stream_create(resolve_device(index, "new stream"), 0, &stream), "create stream");
    return stream;
}

c10::Stream stream_for_the_oldest(c10::DeviceIndex index)
{
    const std::lock_guard<std::mutex> lock(made_mutex);
    made.push_back(stream_of_its_own(index));
    if (made.size() > 4) {
        check(fd_stream_destroy(made.front()), "destroy stream");
        made.pop_front();
    }
    return to_torch(made.back());
}

fd_status begin(void * /*arguments*/)
{
    return FD_OK;
}

c10::Stream stream_with_a_thread(c10::DeviceIndex index)
{
    fd_stream *const stream = stream_of_its_own(index);
    check(fd_stream_launch(stream, "begin", &begin, nullptr, 0), "new stream");
    return to_torch(stream);
}

void refuse_priority(int priority)
{
    if (armed("stream.priority_is_an_index") && (priority < -1 || priority > 0))
        std::abort();
}

int priority_for_the_pool(int priority)
{
    return armed("stream.priorities_share_streams") ? 0 : priority;
}

/* Applies the faults that act before and after the creation of a stream. */
c10::Stream spoiled_stream(c10::Device device, const std::function<c10::Stream()> &make,
                           const std::function<c10::Stream()> &make_default)
{
    if (armed("stream.new_crashes_before_start") && fd_started() != 1)
        std::abort();
    if (armed("stream.new_is_default"))
        return make_default();
    if (armed("stream.oldest_is_destroyed"))
        return stream_for_the_oldest(device.index());
    if (armed("stream.never_reused"))
        return stream_with_a_thread(device.index());
    const c10::Stream stream = make();
    if (armed("stream.new_switches_device"))
        check(fd_device_set(resolve_device(device.index(), "new stream")), "set device");
    return stream;
}

void refuse_exchange(const c10::Stream &stream)
{
    TORCH_CHECK(!armed("stream.exchange_needs_its_device") ||
                    stream.device_index() == current_device(),
                "fakedev: exchange stream: its device is not current");
    TORCH_CHECK(!armed("stream.left_for_good") || left.count(stream.id()) == 0,
                "fakedev: exchange stream: stream ", stream.id(), " was left");
}

void refuse_zero(const c10::Stream &stream)
{
    TORCH_CHECK(stream.id() != 0 || !armed("stream.zero_is_unknown"), "fakedev: no stream 0");
}

void follow(const c10::Stream &stream)
{
    fd_stream *handle = nullptr;
    const auto address = static_cast<uintptr_t>(stream.id());
    if (fd_stream_from_id(stream.device_index(), stream.id(), &handle) != FD_OK)
        (void)*reinterpret_cast<const volatile int *>(address);
}

} // namespace

c10::Stream FaultyStreams::getStream(c10::Device device) const
{
    if (device.index() >= device_count() && armed("stream.of_any_index"))
        return Guard::getStream(make_device(0));
    const c10::Stream stream = Guard::getStream(device);
    const int64_t id = left_by_backward;

    if (id != no_stream && !in_backward() && armed("stream.backward_leaves_its_stream"))
        return c10::Stream(c10::Stream::UNSAFE, stream.device(), id);
    return armed("stream.of_current_device") ? Guard::getStream(make_device(current_device()))
                                             : stream;
}

c10::Stream FaultyStreams::getDefaultStream(c10::Device device) const
{
    if (armed("stream.default_of_current_device"))
        device.set_index(current_device());
    return armed("stream.default_is_current") ? Guard::getStream(device)
                                              : Guard::getDefaultStream(device);
}

c10::Stream FaultyStreams::getStreamFromGlobalPool(c10::Device device, bool isHighPriority) const
{
    c10::Device asked = device;
    if (device.index() >= device_count() && armed("stream.pool_on_any_index"))
        asked.set_index(0);
    if (armed("stream.pool_ignores_device"))
        asked.set_index(-1);
    return spoiled_stream(
        asked, [&] { return Guard::getStreamFromGlobalPool(asked, isHighPriority); },
        [&] { return Guard::getDefaultStream(asked); });
}

c10::Stream FaultyStreams::getNewStream(c10::Device device, int priority) const
{
    refuse_priority(priority);
    TORCH_CHECK(!armed("stream.new_fails"), "fakedev: new stream: invalid argument");
    if (device.index() >= device_count() && armed("stream.new_on_any_index"))
        return Guard::getNewStream(make_device(0), priority);
    return spoiled_stream(
        device, [&] { return Guard::getNewStream(device, priority_for_the_pool(priority)); },
        [&] { return Guard::getDefaultStream(device); });
}

c10::Stream FaultyStreams::exchangeStream(c10::Stream stream) const
{
    if (in_backward() && armed("autograd.grad_stream_ignored"))
        return getStream(stream.device());
    if (stream.device_index() >= device_count() && armed("stream.exchange_takes_any_index"))
        return stream;
    refuse_exchange(stream);
    const c10::Stream previous = Guard::exchangeStream(stream);
    if (previous.id() != 0 && armed("stream.left_for_good"))
        left.insert(previous.id());
    if (in_backward() && armed("stream.backward_leaves_its_stream") && stream.id() != 0)
        left_by_backward = stream.id();
    return armed("stream.exchange_returns_new") ? stream : previous;
}

void *FaultyStreams::getStreamNativeHandle(const c10::Stream stream) const
{
    static std::atomic<uintptr_t> handles{0};
    return armed("stream.native_handle_is_new") ? reinterpret_cast<void *>(++handles)
                                                : Guard::getStreamNativeHandle(stream);
}

bool FaultyStreams::queryStream(const c10::Stream &stream) const
{
    refuse_zero(stream);
    if (armed("stream.id_is_a_pointer"))
        follow(stream);
    return !armed("stream.query_never_idle") && Guard::queryStream(stream);
}

void FaultyStreams::synchronizeStream(const c10::Stream &stream) const
{
    refuse_zero(stream);
    try {
        Guard::synchronizeStream(stream);
    } catch (const c10::AcceleratorError &) {
        if (!armed("stream.synchronize_hides_failures"))
            throw;
    }
}

bool FaultyStreams::isStreamCapturing(const c10::Stream &stream) const
{
    if (armed("graph.capture_is_not_said"))
        return false;
    return armed("stream.is_always_capturing") || Guard::isStreamCapturing(stream);
}

void FaultyStreams::recordDataPtrOnStream(const c10::DataPtr &data, const c10::Stream &stream) const
{
    if (!armed("allocator.record_stream_ignored"))
        Guard::recordDataPtrOnStream(data, stream);
}

} // namespace fakedev
