/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Guard, hooks, allocator and generator. The device is one, and done with everything before a call
 * returns; its memory is memory of the host that nobody else may touch.
 */
#include "jit_device.h"

#include <ATen/ATen.h>
#include <ATen/detail/PrivateUse1HooksInterface.h>
#include <c10/core/CPUAllocator.h>
#include <c10/core/CachingDeviceAllocator.h>
#include <c10/core/DeviceCapability.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>
#include <torch/library.h>

#include <atomic>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <unordered_map>

namespace jit
{
namespace
{

const c10::Device the_device(c10::kPrivateUse1, 0);
std::atomic<bool> used{false};

void check_index(c10::DeviceIndex index)
{
    TORCH_CHECK(index == 0, "jit: there is no device ", static_cast<int>(index), ", only 0");
}

/* -1 is the current device, which is the only one. */
void check_index_or_current(c10::DeviceIndex index)
{
    if (index != -1)
        check_index(index);
}

struct Guard final : c10::impl::DeviceGuardImplInterface {
    c10::DeviceType type() const override
    {
        return c10::kPrivateUse1;
    }
    c10::Device exchangeDevice(c10::Device device) const override
    {
        check_index(device.index());
        return the_device;
    }
    c10::Device getDevice() const override
    {
        return the_device;
    }
    void setDevice(c10::Device device) const override
    {
        check_index(device.index());
    }
    void uncheckedSetDevice(c10::Device /*device*/) const noexcept override
    {
    }
    c10::Stream getStream(c10::Device device) const override
    {
        check_index_or_current(device.index());
        return c10::Stream(c10::Stream::DEFAULT, the_device);
    }
    c10::Stream getDefaultStream(c10::Device device) const override
    {
        return getStream(device);
    }
    c10::Stream exchangeStream(c10::Stream stream) const override
    {
        return getStream(stream.device());
    }
    bool queryStream(const c10::Stream & /*stream*/) const override
    {
        return true;
    }
    void synchronizeStream(const c10::Stream & /*stream*/) const override
    {
    }
    void synchronizeDevice(c10::DeviceIndex index) const override
    {
        check_index_or_current(index);
    }
    c10::DeviceIndex deviceCount() const noexcept override
    {
        return 1;
    }
    c10::DeviceCapability getDeviceCapability(c10::Device /*device*/) const override
    {
        c10::DeviceCapability can;
        can.capability_data.capability_bits = 0;
        can.capability_data.capability_bits =
            1ULL << c10::kIndex_Byte | 1ULL << c10::kIndex_Char | 1ULL << c10::kIndex_Short |
            1ULL << c10::kIndex_Int | 1ULL << c10::kIndex_Long | 1ULL << c10::kIndex_Half |
            1ULL << c10::kIndex_Float | 1ULL << c10::kIndex_Double | 1ULL << c10::kIndex_Bool |
            1ULL << c10::kIndex_BFloat16;
        return can;
    }
};

C10_REGISTER_GUARD_IMPL(PrivateUse1, Guard)

/* ---- memory ---------------------------------------------------------------------------------- */

using c10::CachingAllocator::Stat;
using c10::CachingDeviceAllocator::DeviceStats;

class Memory final : public c10::DeviceAllocator
{
  public:
    c10::DataPtr allocate(size_t count) override
    {
        if (count == 0)
            return {nullptr, nullptr, &release, the_device};
        const std::lock_guard<std::mutex> lock(mutex_);
        used = true;
        void *const block =
            count <= capacity_ - live() ? std::aligned_alloc(256, rounded(count)) : nullptr;
        if (!block) {
            stats_.num_ooms++;
            throw c10::OutOfMemoryError({__func__, __FILE__, __LINE__},
                                        c10::str("jit: no ", count, " bytes left"));
        }
        sizes_[block] = count;
        for (Stat *const stat : {&stats_.allocated_bytes[0], &stats_.requested_bytes[0],
                                 &stats_.active_bytes[0], &stats_.reserved_bytes[0]})
            stat->increase(count);
        for (Stat *const stat : {&stats_.allocation[0], &stats_.active[0], &stats_.segment[0]})
            stat->increase(1);
        return {block, block, &release, the_device};
    }

    c10::DeleterFnPtr raw_deleter() const override
    {
        return &release;
    }

    void copy_data(void *target, const void *source, size_t count) const override
    {
        std::memmove(target, source, count);
    }

    bool initialized() override
    {
        return used;
    }

    void emptyCache(c10::MempoolId_t /*pool*/) override
    {
    }

    void recordStream(const c10::DataPtr & /*pointer*/, c10::Stream /*stream*/) override
    {
    }

    DeviceStats getDeviceStats(c10::DeviceIndex device) override
    {
        check_index(device);
        const std::lock_guard<std::mutex> lock(mutex_);
        return stats_;
    }

    void resetAccumulatedStats(c10::DeviceIndex device) override
    {
        check_index(device);
        const std::lock_guard<std::mutex> lock(mutex_);
        for_each_stat([](Stat &stat) { stat.allocated = stat.freed = 0; });
        stats_.num_ooms = 0;
    }

    void resetPeakStats(c10::DeviceIndex device) override
    {
        check_index(device);
        const std::lock_guard<std::mutex> lock(mutex_);
        for_each_stat([](Stat &stat) { stat.peak = 0; });
    }

    std::pair<size_t, size_t> getMemoryInfo(c10::DeviceIndex device) override
    {
        check_index(device);
        const std::lock_guard<std::mutex> lock(mutex_);
        return {capacity_ - live(), capacity_};
    }

  private:
    static constexpr size_t capacity_ = size_t{1} << 32;

    static size_t rounded(size_t count)
    {
        return (count + 255) / 256 * 256;
    }

    size_t live() const
    {
        return static_cast<size_t>(stats_.reserved_bytes[0].current);
    }

    template <typename Change>
    void for_each_stat(const Change &change)
    {
        for (Stat *const stat : {&stats_.allocated_bytes[0], &stats_.requested_bytes[0],
                                 &stats_.active_bytes[0], &stats_.reserved_bytes[0],
                                 &stats_.allocation[0], &stats_.active[0], &stats_.segment[0]})
            change(*stat);
    }

    static void release(void *block);

    std::mutex mutex_;
    std::unordered_map<void *, size_t> sizes_;
    DeviceStats stats_;
};

Memory *const memory = new Memory();
REGISTER_ALLOCATOR(c10::kPrivateUse1, memory)

void Memory::release(void *block)
{
    if (!block)
        return;
    const std::lock_guard<std::mutex> lock(memory->mutex_);
    const auto found = memory->sizes_.find(block);
    const size_t count = found->second;
    DeviceStats &stats = memory->stats_;

    memory->sizes_.erase(found);
    std::free(block);
    for (Stat *const stat : {&stats.allocated_bytes[0], &stats.requested_bytes[0],
                             &stats.active_bytes[0], &stats.reserved_bytes[0]})
        stat->decrease(count);
    for (Stat *const stat : {&stats.allocation[0], &stats.active[0], &stats.segment[0]})
        stat->decrease(1);
}

/* ---- hooks ----------------------------------------------------------------------------------- */

struct Hooks final : at::PrivateUse1HooksInterface {
    bool isBuilt() const override
    {
        return true;
    }
    bool isAvailable() const override
    {
        return true;
    }
    bool hasPrimaryContext(c10::DeviceIndex index) const override
    {
        return index == 0 && used;
    }
    c10::DeviceIndex deviceCount() const override
    {
        return 1;
    }
    c10::DeviceIndex getCurrentDevice() const override
    {
        return 0;
    }
    void setCurrentDevice(c10::DeviceIndex index) const override
    {
        check_index(index);
    }
    c10::DeviceIndex exchangeDevice(c10::DeviceIndex index) const override
    {
        check_index(index);
        return 0;
    }
    c10::DeviceIndex maybeExchangeDevice(c10::DeviceIndex index) const override
    {
        check_index_or_current(index < 0 ? c10::DeviceIndex{-1} : index);
        return 0;
    }
    const at::Generator &getDefaultGenerator(c10::DeviceIndex index) const override
    {
        check_index_or_current(index);
        return default_generator();
    }
    at::Generator getNewGenerator(c10::DeviceIndex index) const override
    {
        check_index_or_current(index);
        return at::make_generator<Generator>();
    }
    at::Allocator *getPinnedMemoryAllocator() const override
    {
        return c10::GetCPUAllocator();
    }
    void resizePrivateUse1Bytes(const c10::Storage &storage, size_t size) const override
    {
        c10::StorageImpl *const impl = storage.unsafeGetStorageImpl();
        TORCH_CHECK(impl->resizable(), "jit: this storage cannot be resized");
        c10::DataPtr grown = memory->allocate(size);
        const size_t kept = std::min(size, impl->nbytes());

        if (kept)
            std::memcpy(grown.get(), impl->data(), kept);
        impl->set_data_ptr_noswap(std::move(grown));
        impl->set_nbytes(size);
    }
};

[[maybe_unused]] const bool registered = [] {
    c10::register_privateuse1_backend("jitdev");
    at::RegisterPrivateUse1HooksInterface(new Hooks()); /* never destroyed */
    return true;
}();

} // namespace

/* ---- random numbers -------------------------------------------------------------------------- */

Generator::Generator()
    : c10::GeneratorImpl(the_device, c10::DispatchKeySet(c10::DispatchKey::PrivateUse1))
{
}

void Generator::set_current_seed(uint64_t seed)
{
    counter_ = {seed, 0};
}

uint64_t Generator::current_seed() const
{
    return counter_.seed;
}

uint64_t Generator::seed()
{
    set_current_seed(static_cast<uint64_t>(std::time(nullptr)));
    return counter_.seed;
}

void Generator::set_offset(uint64_t offset)
{
    counter_.offset = offset;
}

uint64_t Generator::get_offset() const
{
    return counter_.offset;
}

c10::intrusive_ptr<c10::TensorImpl> Generator::get_state() const
{
    const at::Tensor state = at::empty({static_cast<int64_t>(sizeof counter_)}, at::kByte);

    std::memcpy(state.mutable_data_ptr<uint8_t>(), &counter_, sizeof counter_);
    return state.getIntrusivePtr();
}

void Generator::set_state(const c10::TensorImpl &state)
{
    at::detail::check_rng_state(state);
    TORCH_CHECK(state.numel() == sizeof counter_, "jit: a state has ", sizeof counter_,
                " bytes, not ", state.numel());
    std::memcpy(&counter_, state.data(), sizeof counter_);
}

Counter Generator::advance(uint64_t count)
{
    const Counter begin = counter_;

    counter_.offset += count;
    return begin;
}

Generator *Generator::clone_impl() const
{
    auto *const copy = new Generator();
    copy->counter_ = counter_;
    return copy;
}

const at::Generator &default_generator()
{
    static const auto *const generator = new at::Generator(at::make_generator<Generator>());
    return *generator;
}

namespace
{

/* For the device module: generators are only found in C++. */
at::Generator default_generator_for_python()
{
    return default_generator();
}

TORCH_LIBRARY(jitdev, m)
{
    m.def("default_generator() -> Generator?", &default_generator_for_python);
}

} // namespace
} // namespace jit
