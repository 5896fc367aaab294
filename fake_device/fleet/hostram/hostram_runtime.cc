/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Devices and the completion thread. Kernels run at once on the calling thread; the completion thread
 * acknowledges what streams have queued, in order, so that a synchronize has something to wait for.
 */
#include "hostram.h"

#include <condition_variable>
#include <mutex>
#include <thread>

namespace hostram
{

namespace
{

thread_local c10::DeviceIndex current = 0;

class CompletionThread
{
  public:
    bool started()
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return started_;
    }

    void start()
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!started_) {
            started_ = true;
            std::thread([this] { run(); }).detach();
        }
    }

    void wait()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        if (!started_)
            return;
        const uint64_t ticket = ++queued_;
        changed_.notify_all();
        changed_.wait(lock, [&] { return done_ >= ticket; });
    }

  private:
    void run()
    {
        std::unique_lock<std::mutex> lock(mutex_);
        for (;;) {
            changed_.wait(lock, [&] { return done_ < queued_; });
            done_ = queued_;
            changed_.notify_all();
        }
    }

    std::mutex mutex_;
    std::condition_variable changed_;
    bool started_ = false;
    uint64_t queued_ = 0, done_ = 0;
};

CompletionThread &completion()
{
    static auto *const thread = new CompletionThread(); /* never destroyed: used at exit, too */
    return *thread;
}

} // namespace

c10::DeviceIndex current_device()
{
    return current;
}

void check_index(c10::DeviceIndex index)
{
    TORCH_CHECK(index >= 0 && index < kDevices, "hostram: there is no device ", int(index),
                ", only ", int(kDevices));
}

void set_current_device(c10::DeviceIndex index)
{
    check_index(index);
    current = index;
}

void start_work()
{
    completion().start();
}

bool has_run()
{
    return completion().started();
}

void wait_for_work()
{
    completion().wait();
}

} // namespace hostram
