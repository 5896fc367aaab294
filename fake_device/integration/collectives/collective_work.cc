/* SPDX-License-Identifier: BSD-3-Clause
 *
 * A c10d::Work that wraps the Work of the inner backend, which communicates with the other ranks.
 *
 * Purpose: async_op=True, wait(), is_completed(), get_future(), and the buckets of
 * DistributedDataParallel.
 * Traps: "completed" must mean that the results are on the device, not only that they have reached
 * the host. The copy runs on a thread of the inner backend. On this thread, gradient recording is
 * enabled by default, and the current stream differs from the caller's. That thread must not drop
 * the last reference to a tensor: if Python knows the tensor, the thread waits for Python's lock.
 * If the interpreter ends during this wait, the process is terminated.
 * Serves: DIST-016, DIST-019, DIST-020.
 */
#include "collective_work.h"

#include <ATen/core/ivalue_inl.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include <algorithm>
#include <future>
#include <memory>
#include <mutex>

namespace fakedev
{
namespace
{

void land(const std::vector<Landing> &landings)
{
    const at::NoGradGuard no_gradients;
    for (const Landing &landing : landings)
        landing.on_device.copy_(landing.on_host);
    const auto *const guard = c10::impl::getDeviceGuardImpl(c10::DeviceType::PrivateUse1);
    for (const Landing &landing : landings)
        guard->synchronizeStream(guard->getStream(landing.on_device.device()));
}

/* All callbacks hold this object. When the last callback is destroyed, the future of `gone` is
 * ready. */
struct CallbackAlive {
    std::promise<void> gone;
    ~CallbackAlive()
    {
        gone.set_value();
    }
};

/* Runs on a thread of the inner backend when its work has completed. */
struct Finish {
    std::shared_ptr<CallbackAlive> alive; /* first member: destroyed after the future */
    c10::intrusive_ptr<c10::ivalue::Future> future;
    std::vector<Landing> landings;
    std::vector<at::Tensor> results;

    void operator()(c10::ivalue::Future &arrived) const
    {
        try {
            arrived.value(); /* rethrows an exception of the inner backend */
            land(landings);
        } catch (...) {
            future->setError(std::current_exception());
            return;
        }
        future->markCompleted(c10::IValue(results));
    }
};

/* Owns each future until the callback of the future is destroyed. A thread of the user then
 * releases the future. */
class KeptFutures
{
  public:
    void keep(c10::intrusive_ptr<c10::ivalue::Future> future, std::future<void> is_gone)
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        kept_.push_back({std::move(future), std::move(is_gone)});
    }
    void release()
    {
        std::vector<Kept> released; /* destroyed after the lock: it may wait for Python's lock */
        const std::lock_guard<std::mutex> lock(mutex_);
        const auto first = std::partition(kept_.begin(), kept_.end(), [](const Kept &kept) {
            return kept.is_gone.wait_for(std::chrono::seconds(0)) != std::future_status::ready;
        });
        std::move(first, kept_.end(), std::back_inserter(released));
        kept_.erase(first, kept_.end());
    }

  private:
    struct Kept {
        c10::intrusive_ptr<c10::ivalue::Future> future;
        std::future<void> is_gone;
    };
    std::mutex mutex_;
    std::vector<Kept> kept_;
};

KeptFutures &kept_futures()
{
    static KeptFutures *const futures = new KeptFutures(); /* used until the process ends */
    return *futures;
}

class CollectiveWork : public c10d::Work
{
  public:
    CollectiveWork(c10::intrusive_ptr<c10d::Work> inner,
                   c10::intrusive_ptr<c10::ivalue::Future> future, std::vector<at::Tensor> results)
        : inner_(std::move(inner)), results_(std::move(results)), future_(std::move(future))
    {
    }
    bool isCompleted() override
    {
        return future_->completed();
    }
    bool isSuccess() const override
    {
        return future_->completed() && !future_->hasError();
    }
    std::exception_ptr exception() const override
    {
        return future_->completed() ? future_->exception_ptr() : nullptr;
    }
    std::vector<at::Tensor> result() override
    {
        return results_;
    }
    void synchronize() override
    {
        wait(kNoTimeout);
    }
    bool wait(std::chrono::milliseconds timeout) override
    {
        inner_->wait(timeout);
        future_->waitAndThrow();
        release_finished_work();
        return true;
    }
    c10::intrusive_ptr<c10::ivalue::Future> getFuture() override
    {
        return future_;
    }
    void abort() override
    {
        inner_->abort();
    }

  private:
    c10::intrusive_ptr<c10d::Work> inner_;
    std::vector<at::Tensor> results_;
    c10::intrusive_ptr<c10::ivalue::Future> future_;
};

class PointToPointWork : public c10d::Work
{
  public:
    PointToPointWork(c10::intrusive_ptr<c10d::Work> inner, std::vector<Landing> landings)
        : inner_(std::move(inner)), landings_(std::move(landings))
    {
    }
    bool isCompleted() override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return landed_;
    }
    bool isSuccess() const override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return landed_;
    }
    int sourceRank() const override
    {
        return inner_->sourceRank();
    }
    void synchronize() override
    {
        wait(kNoTimeout);
    }
    bool wait(std::chrono::milliseconds timeout) override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (landed_)
            return true;
        inner_->wait(timeout);
        land(landings_);
        landed_ = true;
        return true;
    }
    void abort() override
    {
        inner_->abort();
    }

  private:
    c10::intrusive_ptr<c10d::Work> inner_;
    std::vector<Landing> landings_;
    bool landed_ = false;
};

} // namespace

void release_finished_work()
{
    kept_futures().release();
}

c10::intrusive_ptr<c10d::Work> collective_work(c10::intrusive_ptr<c10d::Work> inner,
                                               std::vector<Landing> landings,
                                               std::vector<at::Tensor> results)
{
    release_finished_work();
    auto future = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::ofTensors());
    auto alive = std::make_shared<CallbackAlive>();
    kept_futures().keep(future, alive->gone.get_future());
    inner->getFuture()->addCallback(Finish{std::move(alive), future, std::move(landings), results});
    return c10::make_intrusive<CollectiveWork>(std::move(inner), std::move(future),
                                               std::move(results));
}

c10::intrusive_ptr<c10d::Work> waited_work(c10::intrusive_ptr<c10d::Work> inner,
                                           const std::vector<Landing> &landings,
                                           std::vector<at::Tensor> results)
{
    auto future = c10::make_intrusive<c10::ivalue::Future>(c10::ListType::ofTensors());
    inner->wait();
    land(landings);
    future->markCompleted(c10::IValue(results));
    return c10::make_intrusive<CollectiveWork>(std::move(inner), std::move(future),
                                               std::move(results));
}

c10::intrusive_ptr<c10d::Work> point_to_point_work(c10::intrusive_ptr<c10d::Work> inner,
                                                   std::vector<Landing> landings)
{
    return c10::make_intrusive<PointToPointWork>(std::move(inner), std::move(landings));
}

} // namespace fakedev
