/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Streams and events. A queue stores the error of a task that failed, and the next wait throws
 * this error.
 */
#include "async_streams/async_streams.h"

#include <pthread.h>

#include <array>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <mutex>
#include <thread>

namespace async_streams
{

class Queue
{
  public:
    void give(Order order)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!thread_.joinable())
            thread_ = std::thread([this] { work(); });
        orders_.push_back(std::move(order));
        changed_.notify_all();
    }

    bool is_idle()
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return orders_.empty();
    }

    void settle()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        changed_.wait(lock, [this] { return orders_.empty(); });
    }

    void wait()
    {
        settle();
        const std::lock_guard<std::mutex> lock(mutex_);
        const std::string words = std::exchange(failure_, {});
        TORCH_CHECK(words.empty(), "async_streams: an order failed: ", words);
    }

  private:
    [[noreturn]] void work()
    {
        const at::NoGradGuard nothing_to_record;
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            changed_.wait(lock, [this] { return !orders_.empty(); });
            Order order = std::move(orders_.front());
            lock.unlock();
            const std::string words = failure_of(order);
            order = nullptr;
            lock.lock();
            if (failure_.empty())
                failure_ = words;
            orders_.pop_front();
            changed_.notify_all();
        }
    }

    static std::string failure_of(const Order &order)
    {
        try {
            order();
        } catch (const c10::Error &error) {
            return error.what_without_backtrace();
        } catch (const std::exception &error) {
            return error.what();
        }
        return {};
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Order> orders_; /* the first one is running */
    std::string failure_;
    std::thread thread_;
};

struct Event {
    explicit Event(bool with_time) : timed(with_time)
    {
    }

    const bool timed;
    std::mutex mutex;
    std::condition_variable changed;
    uint64_t recorded = 0;
    uint64_t reached = 0;
    std::chrono::steady_clock::time_point when;
};

namespace
{

using Queues = std::array<std::array<Queue, kStreams>, kDevices>;

std::atomic<bool> started{false};
std::atomic<bool> forked{false}; /* in a child process, the parent's threads do not exist */

Queues &queues()
{
    static auto *const all = new Queues(); /* never destroyed, because they are also used at exit */
    return *all;
}

} // namespace

void start()
{
    TORCH_CHECK(
        !forked,
        "async_streams: a child process that was forked after the first use cannot use the device");
    if (!started.exchange(true))
        pthread_atfork(nullptr, nullptr, [] { forked = true; });
}

bool is_started()
{
    return started && !forked;
}

bool is_forked()
{
    return forked;
}

void require_started()
{
    TORCH_CHECK(
        !forked,
        "async_streams: a child process that was forked after the first use cannot use the device");
    TORCH_CHECK(started,
                "async_streams: the device is not started; call torch.async_streams._lazy_init()");
}

Queue &queue(const c10::Stream &stream)
{
    require_started();
    TORCH_CHECK(stream.id() >= 0 && stream.id() < kStreams, "async_streams: there is no stream ",
                stream.id());
    return queues()[static_cast<size_t>(fleet::resolved(stream.device_index()))]
                   [static_cast<size_t>(stream.id())];
}

void give(Queue &queue, Order order)
{
    queue.give(std::move(order));
}

bool is_idle(Queue &queue)
{
    return queue.is_idle();
}

void wait_for(Queue &queue)
{
    queue.wait();
}

void settle(Queue &queue)
{
    queue.settle();
}

void settle_all()
{
    if (!is_started())
        return;
    for (auto &of_device : queues())
        for (Queue &one : of_device)
            one.settle();
}

void wait_for_device(c10::DeviceIndex index)
{
    require_started();
    for (Queue &one : queues()[static_cast<size_t>(fleet::resolved(index))])
        one.wait();
}

std::shared_ptr<Event> make_event(bool timed)
{
    return std::make_shared<Event>(timed);
}

void record(const std::shared_ptr<Event> &event, Queue &queue)
{
    const std::lock_guard<std::mutex> lock(event->mutex);
    const uint64_t version = ++event->recorded;
    queue.give([event, version] {
        const std::lock_guard<std::mutex> inner(event->mutex);
        event->reached = version;
        event->when = std::chrono::steady_clock::now();
        event->changed.notify_all();
    });
}

void hold_behind(const std::shared_ptr<Event> &event, Queue &queue)
{
    const std::lock_guard<std::mutex> lock(event->mutex);
    queue.give([event, version = event->recorded] {
        std::unique_lock<std::mutex> inner(event->mutex);
        event->changed.wait(inner, [&] { return event->reached >= version; });
    });
}

bool has_happened(Event &event)
{
    const std::lock_guard<std::mutex> lock(event.mutex);
    return event.reached > 0; /* recorded-again-is-done */
}

void wait_for(Event &event) /* event-wait-drops-error */
{
    std::unique_lock<std::mutex> lock(event.mutex);
    event.changed.wait(lock, [&] { return event.reached >= event.recorded; });
}

double milliseconds_between(Event &first, Event &second)
{
    TORCH_CHECK(first.timed && second.timed, "async_streams: an event was made without timing");
    const std::chrono::duration<double, std::milli> between = second.when - first.when;
    return between.count();
}

} // namespace async_streams
