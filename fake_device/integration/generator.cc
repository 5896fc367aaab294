/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Generator: the state of the device's random numbers.
 *
 * For: torch.Generator(device="fakedev"), torch.manual_seed, checkpointing, generator= arguments.
 * Without: torch.Generator(device) raises NotImplementedError naming getNewGenerator; a backend
 * whose random operators run by CPU fallback accepts a CPU generator and rejects its own. Traps:
 * the index arrives unchecked and -1 means current; get_state is a copy that later draws do not
 * change; set_state refuses a wrong size and leaves the state; seeding resets the offset; draws
 * take the lock; a generator can be seeded before the device has started, so it holds no device
 * memory. A generator is the pair (seed, offset) of counter-based Philox.
 * Serves: GEN-001 to GEN-037.
 */
#include "generator.h"

#include "device_index.h"
#include "status.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Functions.h>
#include <ATen/Utils.h>
#include <c10/core/GeneratorImpl.h>

#include <array>
#include <cstring>
#include <memory>
#include <mutex>
#include <thread>

namespace fakedev
{

namespace
{

constexpr int64_t state_size = sizeof(fd_random);

/* A race that is lost reliably: every thread that wants to draw gets to read the same state. */
void let_others_read()
{
    for (int turn = 0; turn < 1000; turn++)
        std::this_thread::yield();
}

struct GeneratorImpl final : c10::GeneratorImpl {
    GeneratorImpl(c10::DeviceIndex index, std::shared_ptr<fd_random> state)
        : c10::GeneratorImpl(make_device(fd_fault("generator.device_without_index") ? -1 : index),
                             c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
          state_(std::move(state))
    {
    }

    static std::shared_ptr<fd_random> fresh_state()
    {
        auto state = std::make_shared<fd_random>();

        fd_random_seed(state.get(), c10::default_rng_seed_val);
        return state;
    }

    void set_current_seed(uint64_t seed) override
    {
        const uint64_t offset = state_->offset;

        fd_random_seed(state_.get(),
                       fd_fault("generator.seed_truncated") ? seed & UINT32_MAX : seed);
        if (fd_fault("generator.seed_keeps_offset"))
            state_->offset = offset;
    }

    uint64_t current_seed() const override
    {
        return state_->seed;
    }

    uint64_t seed() override
    {
        set_current_seed(fd_fault("generator.seed_is_constant")
                             ? c10::default_rng_seed_val
                             : c10::detail::getNonDeterministicRandom());
        return current_seed();
    }

    void set_offset(uint64_t offset) override
    {
        if (!fd_fault("generator.offset_ignored"))
            state_->offset = offset;
    }

    uint64_t get_offset() const override
    {
        TORCH_CHECK_NOT_IMPLEMENTED(!fd_fault("generator.offset_refused_with_state"),
                                    "fakedev: this generator has no offset");
        return state_->offset;
    }

    c10::intrusive_ptr<c10::TensorImpl> get_state() const override
    {
        if (fd_fault("generator.state_aliases"))
            return at::from_blob(state_.get(), {state_size}, at::kByte).getIntrusivePtr();
        at::Tensor copy = at::empty({state_size}, at::device(at::kCPU).dtype(at::kByte));
        fd_random state = *state_;
        state.offset = fd_fault("generator.state_loses_offset") ? 0 : get_offset();
        std::memcpy(copy.mutable_data_ptr(), &state, sizeof state);
        if (fd_fault("generator.state_is_on_device"))
            copy = copy.to(device());
        return copy.getIntrusivePtr();
    }

    void set_state(const c10::TensorImpl &state) override
    {
        at::detail::check_rng_state(state);
        TORCH_CHECK(state.numel() == state_size || fd_fault("generator.state_size_unchecked"),
                    "RNG state is wrong size: expected ", state_size, " bytes, got ",
                    state.numel());
        std::memcpy(state_.get(), state.data(),
                    std::min<size_t>(sizeof *state_, static_cast<size_t>(state.numel())));
    }

    /* The graph-safe pair hands over the state itself, not a copy. */
    c10::intrusive_ptr<c10::GeneratorImpl> graphsafe_get_state() const override
    {
        return c10::make_intrusive<GeneratorImpl>(device().index(), state_);
    }

    void graphsafe_set_state(const c10::intrusive_ptr<c10::GeneratorImpl> &other) override
    {
        const auto *same = dynamic_cast<const GeneratorImpl *>(other.get());

        TORCH_CHECK(same, "fakedev: the state of a generator of another backend");
        state_ = same->state_;
    }

    fd_random take(uint64_t blocks)
    {
        const fd_random start = *state_;

        if (fd_fault("generator.draws_unlocked"))
            let_others_read();
        fd_random_skip(state_.get(), fd_fault("generator.draws_do_not_advance") ? 0 : blocks);
        return start;
    }

  private:
    c10::GeneratorImpl *clone_impl() const override
    {
        if (fd_fault("generator.clone_is_of_the_cpu"))
            return new at::CPUGeneratorImpl(state_->seed);
        return new GeneratorImpl(device().index(), fd_fault("generator.clone_shares_state")
                                                       ? state_
                                                       : std::make_shared<fd_random>(*state_));
    }

    std::shared_ptr<fd_random> state_;
};

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

    TORCH_CHECK(!fd_fault("generator.default_missing"), "fakedev: no default generator");
    return (*generators)[fd_fault("generator.default_is_shared") ? 0 : static_cast<size_t>(device)];
}

/* One engine behind every generator object: what one draws, the others have drawn. */
at::Generator new_shared_engine(c10::DeviceIndex index)
{
    static auto *const engine =
        new std::shared_ptr<fd_random>(GeneratorImpl::fresh_state()); /* never destroyed */

    return at::make_generator<GeneratorImpl>(index, *engine);
}

at::Generator new_generator(c10::DeviceIndex index)
{
    if (fd_fault("generator.refused_unclearly"))
        throw std::out_of_range("map::at");
    if (fd_fault("generator.new_is_of_the_cpu"))
        return at::detail::createCPUGenerator();
    if (fd_fault("generator.new_shares_engine"))
        return new_shared_engine(resolve_device(index, "generator"));
    if (fd_fault("generator.new_ignores_index"))
        return make(current_device());
    if (fd_fault("generator.any_index"))
        return make(index);
    return make(resolve_device(index, "generator"));
}

/* What a kernel does that computes its numbers on the host: the program's own sequence goes on. */
void draw_from_cpu()
{
    at::Generator cpu = at::detail::getDefaultCPUGenerator();
    const std::lock_guard<std::mutex> lock(cpu.mutex());

    cpu.get<at::CPUGeneratorImpl>()->random();
}

fd_random take_random(const std::optional<at::Generator> &generator, c10::DeviceIndex index,
                      uint64_t blocks)
{
    const bool given = generator.has_value() && generator->defined();
    const bool ignored =
        fd_fault("generator.argument_ignored") ||
        (given && generator->device().is_cpu() && fd_fault("random.cpu_generator_accepted"));
    at::Generator used = given && !ignored ? *generator : default_generator(index);

    if (!given && fd_fault("generator.draws_from_cpu"))
        draw_from_cpu();
    if (used.device().is_cpu() && fd_fault("generator.cpu_generator_accepted"))
        used = default_generator(index);
    TORCH_CHECK(used.device().type() == c10::DeviceType::PrivateUse1, "Expected a '",
                c10::DeviceType::PrivateUse1, "' device type for generator but found '",
                used.device().type(), "'");
    TORCH_CHECK(used.device().index() == index || !given,
                "Expected a generator of fakedev:", static_cast<int>(index), " but found one of ",
                used.device());
    std::unique_lock<std::mutex> lock(used.mutex(), std::defer_lock);
    if (!fd_fault("generator.draws_unlocked"))
        lock.lock();
    return used.get<GeneratorImpl>()->take(blocks);
}

} // namespace fakedev
