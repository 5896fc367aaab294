/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Two devices of host memory. Kernels run immediately on the calling thread, most of them by CPU
 * fallback, and random numbers come from the CPU's generator. A completion thread acknowledges the
 * work of streams, and synchronize waits for the acknowledgement.
 */
#include "common/fleet_generator.h"
#include "common/fleet_memory.h"
#include "common/fleet_tensors.h"

#include <condition_variable>
#include <thread>

constinit const fleet::Backend fleet::backend{"host_memory", 2};

namespace
{

class CompletionThread
{
  public:
    void start()
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        if (!std::exchange(started_, true))
            std::thread([this] { run(); }).detach();
    }

    void wait() /* fork-stream-hang: the thread does not exist in a forked child */
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
    static auto *const thread = new CompletionThread(); /* never destroyed, because it is also used
     * at exit */
    return *thread;
}

struct Guard final : fleet::StreamGuard {
    c10::Device exchangeDevice(c10::Device to) const override
    {
        const c10::Device before = getDevice();
        if (fleet::is_device(to.index())) /* exchange-bad-index, factory-index */
            fleet::set_current_device(to.index());
        return before;
    }

    void uncheckedSetDevice(c10::Device to) const noexcept override
    {
        fleet::set_current_device(to.index()); /* unchecked-set-device */
    }

    c10::DeviceCapability getDeviceCapability(c10::Device of) const override
    {
        fleet::resolved(of.index());
        return {}; /* dtype-capability */
    }

    c10::Stream getNewStream(c10::Device of, int) const override
    {
        completion().start();
        return next_stream(
            of.has_index() ? of.index()
                           : fleet::current_device()); /* new-stream-anywhere, stream-bad-index */
    }

    void synchronizeStream(const c10::Stream &stream) const override
    {
        fleet::check_index(stream.device_index());
        completion().wait();
    }

    void synchronizeDevice(c10::DeviceIndex index) const override
    {
        fleet::set_current_device(index); /* sync-leaves-device */
        completion().wait();
    }

    double elapsedTime(void *first, void *second, c10::DeviceIndex index) const override
    {
        const c10::DeviceIndex before = fleet::current_device();
        fleet::set_current_device(device_of_event(first)); /* elapsed-leaves-device */
        const double milliseconds = StreamGuard::elapsedTime(first, second, index);
        fleet::set_current_device(before);
        return milliseconds;
    }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard);

class Memory final : public fleet::Memory
{
  public:
    Memory()
    {
        for (size_t index = 0; index < 2; index++)
            table_[index] = &stats_[index];
    }

    Stats getDeviceStats(c10::DeviceIndex index) override
    {
        const std::lock_guard<std::mutex> lock(mutex_);
        return *table_[static_cast<size_t>(index)]; /* stats-bad-index */
    }

  private:
    void count(Stats &stats, const Block &block, Change change) override
    {
        (stats.allocated_bytes[0].*change)(block.size); /* counts-stay-zero */
        (stats.reserved_bytes[0].*change)(block.size);
    }

    void count_failure(Stats &) override
    {
        /* ooms-uncounted */
    }

    std::array<const Stats *, 128> table_{}; /* null if there is no device */
};

Memory *const memory = new Memory();

/* PyTorch's CPU generator with the device's name. This generator has no offset (generator-pickle),
 * and clone_state returns a CPU generator (clone-on-cpu). No kernel draws from this generator:
 * draws-from-cpu, cpu-generator-accepted, generator-refused, seed-without-effect. */
struct Generator final : at::CPUGeneratorImpl {
    explicit Generator(c10::DeviceIndex index)
    {
        device_ = fleet::device(index);
        key_set_ = c10::DispatchKeySet(c10::DispatchKey::PrivateUse1);
    }
};

struct Hooks final : fleet::GeneratorHooks<Generator> {
    bool hasPrimaryContext(c10::DeviceIndex) const override
    {
        return true; /* primary-context-always */
    }

    c10::Device getDeviceFromPtr(void *address) const override
    {
        return fleet::device(memory->owner(address));
    }

    at::Generator getNewGenerator(c10::DeviceIndex index) const override
    {
        fleet::resolved(index);
        return at::make_generator<Generator>(index); /* generator-without-index */
    }

    void grow(const c10::Storage &storage, size_t size) const override
    {
        TORCH_CHECK(storage.resizable(), "host_memory: this storage cannot be resized");
        replace(storage, size, 0); /* resize-loses-prefix, resize-on-current-device */
    }
};

const bool registered = fleet::register_backend(new Hooks(), memory);

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    fleet::implement_tensors(library, {"set_.source_Storage_storage_offset", "unfold",
                                       "view_as_real", "view_as_complex"}); /* views-are-copies */
    library.impl("set_.source_Storage_storage_offset", &fleet::set_part_without_growing);
}

FLEET_FALLS_BACK_TO(fleet::cpu_fallback) /* conj-overflows: copies do not resolve lazy bits */
FLEET_AUTOCAST_PASSES_OPERATORS_ON

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m)
{
    KERNEL_PRIVATEUSEONE(mm, lower_precision_fp) /* autocast-mm-only */
}

} // namespace
