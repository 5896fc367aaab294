/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The stand-in for a driver: host memory, and one thread per stream. Replace this file.
 */
#include "foo_runtime.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

namespace
{

constexpr int kMostDevices = 8;
constexpr size_t kMemory = size_t{4} << 30; /* per device */
constexpr size_t kAlignment = 64;

using Clock = std::chrono::steady_clock;

/* The progress of a stream. Shared by its thread, its events and blocks that wait to be freed. */
struct Progress {
    std::mutex mutex;
    std::condition_variable changed;
    uint64_t queued = 0, done = 0;

    bool reached(uint64_t mark)
    {
        const std::lock_guard<std::mutex> lock(mutex);
        return done >= mark;
    }

    void wait(uint64_t mark)
    {
        std::unique_lock<std::mutex> lock(mutex);
        changed.wait(lock, [&] { return done >= mark; });
    }
};

struct Mark {
    std::shared_ptr<Progress> progress;
    uint64_t count = 0;

    bool reached() const
    {
        return !progress || progress->reached(count);
    }

    void wait() const
    {
        if (progress)
            progress->wait(count);
    }
};

} // namespace

struct foo_stream {
    int device = 0;
    std::shared_ptr<Progress> progress = std::make_shared<Progress>();
    std::deque<std::function<void()>> work;

    /* Enqueues work and returns the mark that follows this work. */
    Mark push(std::function<void()> item)
    {
        const std::lock_guard<std::mutex> lock(progress->mutex);
        if (progress->queued++ == 0)
            std::thread([this] { run(); }).detach();
        work.push_back(std::move(item));
        progress->changed.notify_all();
        return {progress, progress->queued};
    }

    Mark last()
    {
        const std::lock_guard<std::mutex> lock(progress->mutex);
        return {progress, progress->queued};
    }

  private:
    [[noreturn]] void run()
    {
        for (;;) {
            std::unique_lock<std::mutex> lock(progress->mutex);
            progress->changed.wait(lock, [&] { return !work.empty(); });
            const std::function<void()> next = std::move(work.front());
            work.pop_front();
            lock.unlock();
            next();
            lock.lock();
            progress->done++;
            progress->changed.notify_all();
        }
    }
};

struct foo_event {
    mutable std::mutex mutex;
    Mark mark;
    std::shared_ptr<Clock::time_point> time;
};

namespace
{

struct Block {
    int device;
    size_t bytes;
};

struct Freed {
    void *address;
    Block block;
    std::vector<Mark> marks;
};

/* All state; never destroyed, because static destructors of other libraries free tensors. */
struct Runtime {
    std::mutex mutex;
    std::array<std::vector<foo_stream *>, kMostDevices> streams;
    std::array<size_t, kMostDevices> held{};
    std::map<uintptr_t, Block> blocks;
    std::vector<Freed> freed;
};

Runtime &runtime()
{
    static auto *const instance = new Runtime();
    return *instance;
}

thread_local int current = 0;
std::atomic<bool> forked{false};
std::array<std::atomic<bool>, kMostDevices> used{};

void notice_forks()
{
    static const bool noticed = [] {
        pthread_atfork(nullptr, nullptr, [] { forked = true; });
        return true;
    }();
    (void)noticed;
}

/* Every function that uses a device calls this first. */
int enter(int device)
{
    if (forked)
        return FOO_FORKED;
    if (device < 0 || device >= foo_device_count())
        return FOO_BAD_DEVICE;
    notice_forks();
    used[static_cast<size_t>(device)] = true;
    return FOO_OK;
}

foo_stream *add_stream(Runtime &all, int device)
{
    auto *const stream = new foo_stream();
    stream->device = device;
    all.streams[static_cast<size_t>(device)].push_back(stream);
    return stream;
}

std::vector<Mark> marks_of(Runtime &all, int device)
{
    std::vector<Mark> marks;
    for (foo_stream *stream : all.streams[static_cast<size_t>(device)])
        marks.push_back(stream->last());
    return marks;
}

bool is_idle(const Freed &freed)
{
    for (const Mark &mark : freed.marks)
        if (!mark.reached())
            return false;
    std::free(freed.address);
    return true;
}

/* Frees the blocks that no stream can still access. */
void reap(Runtime &all)
{
    std::vector<Freed> kept;
    for (Freed &freed : all.freed)
        if (is_idle(freed))
            all.held[static_cast<size_t>(freed.block.device)] -= freed.block.bytes;
        else
            kept.push_back(std::move(freed));
    all.freed = std::move(kept);
}

std::map<uintptr_t, Block>::iterator find(Runtime &all, const void *address)
{
    const auto wanted = reinterpret_cast<uintptr_t>(address);
    auto after = all.blocks.upper_bound(wanted);
    if (after == all.blocks.begin())
        return all.blocks.end();
    --after;
    return wanted - after->first < after->second.bytes ? after : all.blocks.end();
}

int wait_for_all(int device)
{
    Runtime &all = runtime();
    std::unique_lock<std::mutex> lock(all.mutex);
    const std::vector<Mark> marks = marks_of(all, device);
    lock.unlock();
    for (const Mark &mark : marks)
        mark.wait();
    return FOO_OK;
}

} // namespace

const char *foo_error_text(int error)
{
    switch (error) {
    case FOO_OK:
        return "no error";
    case FOO_NOT_READY:
        return "not ready";
    case FOO_BAD_DEVICE:
        return "there is no such device";
    case FOO_NO_MEMORY:
        return "out of memory";
    case FOO_BAD_ADDRESS:
        return "no memory of a device begins at this address";
    case FOO_NOT_RECORDED:
        return "the event was never recorded";
    case FOO_FORKED:
        return "the device was in use when this process was forked; start it with spawn";
    default:
        return "unknown error";
    }
}

int foo_device_count(void)
{
    static const int count = [] {
        const char *const text = std::getenv("FOO_DEVICES");
        const long wanted = text ? std::strtol(text, nullptr, 10) : 2;
        return static_cast<int>(wanted < 0 ? 0 : wanted > kMostDevices ? kMostDevices : wanted);
    }();
    return count;
}

int foo_device_get(void)
{
    return current;
}

int foo_device_set(int device)
{
    if (device < 0 || device >= foo_device_count())
        return FOO_BAD_DEVICE;
    current = device;
    return FOO_OK;
}

int foo_device_synchronize(int device)
{
    const int error = enter(device);
    return error == FOO_OK ? wait_for_all(device) : error;
}

int foo_forked(void)
{
    return forked;
}

int foo_used(int device)
{
    return device >= 0 && device < foo_device_count() && used[static_cast<size_t>(device)];
}

int foo_allocate(int device, size_t bytes, void **address)
{
    const int error = enter(device);
    Runtime &all = runtime();
    if (error != FOO_OK)
        return error;
    const std::lock_guard<std::mutex> lock(all.mutex);
    size_t &held = all.held[static_cast<size_t>(device)];
    reap(all);
    if (bytes > kMemory - held || posix_memalign(address, kAlignment, bytes) != 0)
        return FOO_NO_MEMORY;
    all.blocks[reinterpret_cast<uintptr_t>(*address)] = {device, bytes};
    held += bytes;
    return FOO_OK;
}

int foo_free(void *address)
{
    Runtime &all = runtime();
    if (forked)
        return FOO_FORKED;
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = all.blocks.find(reinterpret_cast<uintptr_t>(address));
    if (found == all.blocks.end())
        return FOO_BAD_ADDRESS;
    all.freed.push_back({address, found->second, marks_of(all, found->second.device)});
    all.blocks.erase(found);
    reap(all);
    return FOO_OK;
}

int foo_find(const void *address, int *device, size_t *bytes)
{
    Runtime &all = runtime();
    if (forked)
        return FOO_FORKED;
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto found = find(all, address);

    if (found == all.blocks.end())
        return FOO_BAD_ADDRESS;
    *device = found->second.device;
    *bytes = found->second.bytes;
    return FOO_OK;
}

int foo_memory(int device, size_t *free_bytes, size_t *total_bytes)
{
    const int error = enter(device);
    Runtime &all = runtime();
    if (error != FOO_OK)
        return error;
    const std::lock_guard<std::mutex> lock(all.mutex);
    reap(all);
    *free_bytes = kMemory - all.held[static_cast<size_t>(device)];
    *total_bytes = kMemory;
    return FOO_OK;
}

int foo_stream_default(int device, foo_stream **stream)
{
    const int error = enter(device);
    Runtime &all = runtime();
    if (error != FOO_OK)
        return error;
    const std::lock_guard<std::mutex> lock(all.mutex);
    const auto &streams = all.streams[static_cast<size_t>(device)];
    *stream = streams.empty() ? add_stream(all, device) : streams.front();
    return FOO_OK;
}

int foo_stream_create(int device, foo_stream **stream)
{
    foo_stream *first = nullptr;
    const int error = foo_stream_default(device, &first);
    Runtime &all = runtime();
    if (error != FOO_OK)
        return error;
    const std::lock_guard<std::mutex> lock(all.mutex);
    *stream = add_stream(all, device);
    return FOO_OK;
}

int foo_stream_query(foo_stream *stream)
{
    const int error = enter(stream->device);
    if (error != FOO_OK)
        return error;
    return stream->last().reached() ? FOO_OK : FOO_NOT_READY;
}

int foo_stream_synchronize(foo_stream *stream)
{
    const int error = enter(stream->device);
    if (error == FOO_OK)
        stream->last().wait();
    return error;
}

static Mark mark_of(const foo_event *event)
{
    const std::lock_guard<std::mutex> lock(event->mutex);
    return event->mark;
}

int foo_stream_wait(foo_stream *stream, const foo_event *event)
{
    const int error = enter(stream->device);
    if (error == FOO_OK)
        stream->push([mark = mark_of(event)] { mark.wait(); });
    return error;
}

int foo_event_create(foo_event **event)
{
    *event = new foo_event();
    return FOO_OK;
}

int foo_event_destroy(foo_event *event)
{
    delete event;
    return FOO_OK;
}

int foo_event_record(foo_event *event, foo_stream *stream)
{
    const int error = enter(stream->device);
    const auto time = std::make_shared<Clock::time_point>();
    if (error != FOO_OK)
        return error;
    const std::lock_guard<std::mutex> lock(event->mutex);
    event->time = time;
    event->mark = stream->push([time] { *time = Clock::now(); });
    return FOO_OK;
}

int foo_event_query(const foo_event *event)
{
    return mark_of(event).reached() ? FOO_OK : FOO_NOT_READY;
}

int foo_event_synchronize(const foo_event *event)
{
    if (forked)
        return FOO_FORKED;
    mark_of(event).wait();
    return FOO_OK;
}

static int read_time(const foo_event *event, Clock::time_point *time)
{
    const std::lock_guard<std::mutex> lock(event->mutex);
    if (!event->time)
        return FOO_NOT_RECORDED;
    if (!event->mark.reached())
        return FOO_NOT_READY;
    *time = *event->time;
    return FOO_OK;
}

int foo_event_elapsed(const foo_event *start, const foo_event *end, double *milliseconds)
{
    Clock::time_point from, to;
    int error = read_time(start, &from);
    if (error == FOO_OK)
        error = read_time(end, &to);
    if (error == FOO_OK)
        *milliseconds = std::chrono::duration<double, std::milli>(to - from).count();
    return error;
}

int foo_copy(foo_stream *stream, void *to, const void *from, size_t bytes)
{
    const int error = enter(stream->device);
    if (error == FOO_OK)
        stream->push([to, from, bytes] { std::memmove(to, from, bytes); });
    return error;
}

int foo_launch(foo_stream *stream, void (*kernel)(void *), void *arguments, void (*done)(void *))
{
    const int error = enter(stream->device);
    if (error != FOO_OK)
        return error;
    stream->push([kernel, arguments, done] {
        kernel(arguments);
        if (done)
            done(arguments);
    });
    return FOO_OK;
}
