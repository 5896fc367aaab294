/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Generator: the state of the device's random numbers.
 *
 * Purpose: torch.Generator(device="fakedev"), torch.manual_seed, checkpointing, generator=
 * arguments. If this file is removed, torch.Generator(device) raises a NotImplementedError that
 * names getNewGenerator. A backend whose random operators run through a CPU fallback accepts a CPU
 * generator and rejects its own.
 * Traps: the index is passed unchecked, and -1 means the current device. get_state must return a
 * copy that later draws do not change. set_state must refuse a wrong size and leave the state
 * unchanged. Seeding must reset the offset. Draws must take the lock. A generator can be seeded
 * before the device has started, so it must not hold device memory. The state is the pair (seed,
 * offset) of the counter-based Philox.
 * Serves: GEN-001 to GEN-038.
 */
#include "generator.h"

#include "device_index.h"
#include "status.h"

#include <ATen/Context.h>
#include <ATen/Functions.h>
#include <ATen/Utils.h>

#include <array>
#include <cstring>
#include <memory>
#include <mutex>

namespace fakedev
{

namespace
{

constexpr int64_t state_size = sizeof(fd_random);

} // namespace

GeneratorImpl::GeneratorImpl(c10::DeviceIndex index, std::shared_ptr<fd_random> state)
    : c10::GeneratorImpl(make_device(index), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
      state_(std::move(state))
{
}

std::shared_ptr<fd_random> GeneratorImpl::fresh_state()
{
    auto state = std::make_shared<fd_random>();
    fd_random_seed(state.get(), c10::default_rng_seed_val);
    return state;
}

void GeneratorImpl::set_current_seed(uint64_t seed)
{
    fd_random_seed(state_.get(), seed);
}

uint64_t GeneratorImpl::current_seed() const
{
    return state_->seed;
}

uint64_t GeneratorImpl::seed()
{
    set_current_seed(c10::detail::getNonDeterministicRandom());
    return current_seed();
}

void GeneratorImpl::set_offset(uint64_t offset)
{
    state_->offset = offset;
}

uint64_t GeneratorImpl::get_offset() const
{
    return state_->offset;
}

c10::intrusive_ptr<c10::TensorImpl> GeneratorImpl::get_state() const
{
    const at::Tensor copy = at::empty({state_size}, at::device(at::kCPU).dtype(at::kByte));
    std::memcpy(copy.mutable_data_ptr(), state_.get(), sizeof *state_);
    return copy.getIntrusivePtr();
}

void GeneratorImpl::set_state(const c10::TensorImpl &state)
{
    at::detail::check_rng_state(state);
    TORCH_CHECK(state.numel() == state_size, "RNG state is wrong size: expected ", state_size,
                " bytes, got ", state.numel());
    std::memcpy(state_.get(), state.data(), sizeof *state_);
}

/* The two graph-safe functions share the state; they do not copy it. */
c10::intrusive_ptr<c10::GeneratorImpl> GeneratorImpl::graphsafe_get_state() const
{
    return c10::make_intrusive<GeneratorImpl>(device().index(), state_);
}

void GeneratorImpl::graphsafe_set_state(const c10::intrusive_ptr<c10::GeneratorImpl> &other)
{
    const auto *same = dynamic_cast<const GeneratorImpl *>(other.get());
    TORCH_CHECK(same, "fakedev: the state of a generator of another backend");
    state_ = same->state_;
}

fd_random GeneratorImpl::take(uint64_t blocks)
{
    const fd_random start = *state_;
    fd_random_skip(state_.get(), blocks);
    return start;
}

#if FAKEDEV_HAS_PHILOX_STATE
/* In PyTorch, a position counts numbers. The driver's offset counts blocks of four numbers. A
 * replay of a graph advances neither: on this device, a replay repeats the captured numbers. */
void GeneratorImpl::philox_state(uint64_t increment, at::Tensor &seed, at::Tensor &offset,
                                 at::Tensor &intragraph_offset)
{
    constexpr uint64_t block = 4;
    const fd_random start = take(increment / block + (increment % block != 0));
    const auto number = [](uint64_t value) {
        return at::full({1}, static_cast<int64_t>(value), at::device(at::kCPU).dtype(at::kLong));
    };
    seed = number(start.seed);
    offset = number(start.offset * block);
    intragraph_offset = number(0);
}
#endif

c10::GeneratorImpl *GeneratorImpl::clone_impl() const
{
    return new GeneratorImpl(device().index(), std::make_shared<fd_random>(*state_));
}

namespace
{

at::Generator make(c10::DeviceIndex index)
{
    return at::make_generator<GeneratorImpl>(index, GeneratorImpl::fresh_state());
}

} // namespace

const at::Generator &default_generator(c10::DeviceIndex index)
{
    static const auto *const generators = [] {
        auto *all = new std::array<at::Generator, FD_MAX_DEVICES>();
        for (c10::DeviceIndex i = 0; i < device_count(); i++)
            (*all)[static_cast<size_t>(i)] = make(i);
        return all;
    }();
    const c10::DeviceIndex device = resolve_device(index, "default generator");
    return (*generators)[static_cast<size_t>(device)];
}

at::Generator new_generator(c10::DeviceIndex index)
{
    return make(resolve_device(index, "generator"));
}

fd_random take_random(const std::optional<at::Generator> &generator, c10::DeviceIndex index,
                      uint64_t blocks)
{
    const bool given = generator.has_value() && generator->defined();
    /* Draw from the registered default generator, which all callers share. */
    at::Generator used =
        given ? *generator : at::globalContext().defaultGenerator(make_device(index));
    TORCH_CHECK(used.device().type() == c10::DeviceType::PrivateUse1, "Expected a '",
                c10::DeviceType::PrivateUse1, "' device type for generator but found '",
                used.device().type(), "'");
    TORCH_CHECK(used.device().index() == index || !given,
                "Expected a generator of fakedev:", static_cast<int>(index), " but found one of ",
                used.device());
    const std::lock_guard<std::mutex> lock(used.mutex());
    return used.get<GeneratorImpl>()->take(blocks);
}

} // namespace fakedev
