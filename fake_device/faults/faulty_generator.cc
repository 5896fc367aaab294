/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The generator with its faults. Each method queries its own faults, and calls the correct method
 * if none of these faults is on.
 */
#include "faulty_generator.h"

#include "device_index.h"
#include "switchboard.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/Utils.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <thread>

namespace fakedev
{

namespace
{

constexpr int64_t state_size = sizeof(fd_random);

/* Delays each draw, so that all threads read the same state and the race always occurs. */
void let_others_read()
{
    for (int turn = 0; turn < 1000; turn++)
        std::this_thread::yield();
}

struct FaultyGenerator final : GeneratorImpl {
    FaultyGenerator(c10::DeviceIndex index, std::shared_ptr<fd_random> state)
        : GeneratorImpl(armed("generator.device_without_index") ? -1 : index, std::move(state))
    {
    }

    void set_current_seed(uint64_t seed) override
    {
        const uint64_t offset = state_->offset;
        GeneratorImpl::set_current_seed(armed("generator.seed_truncated") ? seed & UINT32_MAX
                                                                          : seed);
        if (armed("generator.seed_keeps_offset"))
            state_->offset = offset;
    }

    uint64_t seed() override
    {
        if (!armed("generator.seed_is_constant"))
            return GeneratorImpl::seed();
        set_current_seed(c10::default_rng_seed_val);
        return current_seed();
    }

    void set_offset(uint64_t offset) override
    {
        if (!armed("generator.offset_ignored"))
            GeneratorImpl::set_offset(offset);
    }

    uint64_t get_offset() const override
    {
        TORCH_CHECK_NOT_IMPLEMENTED(!armed("generator.offset_refused_with_state"),
                                    "fakedev: this generator has no offset");
        return GeneratorImpl::get_offset();
    }

    c10::intrusive_ptr<c10::TensorImpl> get_state() const override
    {
        if (armed("generator.state_aliases"))
            return at::from_blob(state_.get(), {state_size}, at::kByte).getIntrusivePtr();
        if (armed("generator.offset_refused_with_state"))
            (void)get_offset();
        const at::Tensor copy(GeneratorImpl::get_state());
        if (armed("generator.state_loses_offset"))
            static_cast<fd_random *>(copy.mutable_data_ptr())->offset = 0;
        return (armed("generator.state_is_on_device") ? copy.to(device()) : copy).getIntrusivePtr();
    }

    void set_state(const c10::TensorImpl &state) override
    {
        if (!armed("generator.state_size_unchecked"))
            return GeneratorImpl::set_state(state);
        at::detail::check_rng_state(state);
        std::memcpy(state_.get(), state.data(),
                    std::min<size_t>(sizeof *state_, static_cast<size_t>(state.numel())));
    }

    /* The caller holds the lock. Fault generator.draws_unlocked releases the lock here. */
    fd_random take(uint64_t blocks) override
    {
        if (armed("generator.draws_do_not_advance"))
            return *state_;
        if (!armed("generator.draws_unlocked"))
            return GeneratorImpl::take(blocks);
        const fd_random start = *state_;
        mutex_.unlock();
        let_others_read();
        mutex_.lock();
        *state_ = start;
        return GeneratorImpl::take(blocks);
    }

#if FAKEDEV_HAS_PHILOX_STATE
    void philox_state(uint64_t increment, at::Tensor &seed, at::Tensor &offset,
                      at::Tensor &intragraph_offset) override
    {
        const uint64_t before = state_->offset;
        GeneratorImpl::philox_state(increment, seed, offset, intragraph_offset);
        if (armed("generator.philox_state_reserves_nothing"))
            state_->offset = before;
    }
#endif

  private:
    c10::GeneratorImpl *clone_impl() const override
    {
        if (armed("generator.clone_is_of_the_cpu"))
            return new at::CPUGeneratorImpl(current_seed());
        return new FaultyGenerator(device().index(), armed("generator.clone_shares_state")
                                                         ? state_
                                                         : std::make_shared<fd_random>(*state_));
    }
};

at::Generator make(c10::DeviceIndex index)
{
    return at::make_generator<FaultyGenerator>(index, GeneratorImpl::fresh_state());
}

} // namespace

const at::Generator &faulty_default_generator(c10::DeviceIndex device)
{
    static const auto *const generators = [] {
        auto *all = new std::array<at::Generator, FD_MAX_DEVICES>();
        for (c10::DeviceIndex i = 0; i < device_count(); i++)
            (*all)[static_cast<size_t>(i)] = make(i);
        return all;
    }();
    return (*generators)[static_cast<size_t>(device)];
}

at::Generator new_faulty_generator(c10::DeviceIndex index)
{
    return make(index);
}

at::Generator new_shared_engine(c10::DeviceIndex index)
{
    static auto *const engine =
        new std::shared_ptr<fd_random>(GeneratorImpl::fresh_state()); /* never destroyed */
    return at::make_generator<FaultyGenerator>(index, *engine);
}

} // namespace fakedev
