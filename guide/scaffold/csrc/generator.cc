/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers: a generator for each device. The state of a generator is a seed and the number of
 * draws.
 *
 * No device kernel draws yet. The CPU kernels that run instead get a new engine for each draw, made
 * from seed and count. The index -1 is the current device. A generator may be seeded before the
 * device is used, so it holds no device memory.
 */
#include "foo.h"

#include <ATen/CPUGeneratorImpl.h>
#include <ATen/Utils.h>
#include <torch/library.h>

#include <cstring>
#include <mutex>
#include <vector>

namespace foo
{

namespace
{

constexpr uint64_t kStep =
    4; /* offsets are multiples of this number, as in PyTorch's own generators */

struct State {
    uint64_t seed, offset;
};

/* A bijection that maps neighbouring numbers to distant numbers. */
uint64_t scatter(uint64_t value)
{
    value ^= value >> 33;
    value *= 0xff51afd7ed558ccdULL;
    value ^= value >> 33;
    value *= 0xc4ceb9fe1a85ec53ULL;
    return value ^ value >> 33;
}

struct Generator final : c10::GeneratorImpl {
    Generator(c10::DeviceIndex index, State state)
        : c10::GeneratorImpl(device_of(index), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1)),
          state_(state)
    {
    }

    void set_current_seed(uint64_t seed) override
    {
        state_ = {seed, 0};
    }

    uint64_t current_seed() const override
    {
        return state_.seed;
    }

    uint64_t seed() override
    {
        set_current_seed(c10::detail::getNonDeterministicRandom());
        return state_.seed;
    }

    void set_offset(uint64_t offset) override
    {
        TORCH_CHECK(offset % kStep == 0, "offset must be a multiple of ", kStep);
        state_.offset = offset;
    }

    uint64_t get_offset() const override
    {
        return state_.offset;
    }

    void set_state(const c10::TensorImpl &state) override
    {
        at::detail::check_rng_state(state);
        TORCH_CHECK(state.numel() == static_cast<int64_t>(sizeof state_),
                    "RNG state is wrong size: expected ", sizeof state_, " bytes, got ",
                    state.numel());
        std::memcpy(&state_, state.data(), sizeof state_);
    }

    c10::intrusive_ptr<c10::TensorImpl> get_state() const override
    {
        const at::Tensor copy = at::empty({static_cast<int64_t>(sizeof state_)}, at::kByte);
        std::memcpy(copy.mutable_data_ptr(), &state_, sizeof state_);
        return copy.getIntrusivePtr();
    }

    State draw()
    {
        const State drawn = state_;
        state_.offset += kStep;
        return drawn;
    }

    /* If the generator was seeded or drew numbers since then, this is a no-op, because no number
     * may be drawn twice. */
    void give_back(const State &drawn)
    {
        if (state_.seed == drawn.seed && state_.offset == drawn.offset + kStep)
            state_.offset = drawn.offset;
    }

  private:
    Generator *clone_impl() const override
    {
        return new Generator(device().index(), state_);
    }

    State state_;
};

at::Generator make(c10::DeviceIndex index)
{
    return at::make_generator<Generator>(index, State{c10::default_rng_seed_val, 0});
}

std::vector<at::Generator> make_defaults()
{
    std::vector<at::Generator> made;
    for (c10::DeviceIndex index = 0; index < device_count(); index++)
        made.push_back(make(index));
    return made;
}

/* For the Python package, which passes numbers that a DeviceIndex cannot hold. */
const at::Generator &generator_of(int64_t index)
{
    TORCH_CHECK(index >= -1 && index < device_count(), "foo: there is no device ", index);
    return default_generator(static_cast<c10::DeviceIndex>(index));
}

int64_t initial_seed(int64_t index)
{
    return static_cast<int64_t>(generator_of(index).current_seed());
}

int64_t seed(int64_t index)
{
    at::Generator generator = generator_of(index);
    const std::lock_guard<std::mutex> lock(generator.mutex());
    return static_cast<int64_t>(generator.seed());
}

void manual_seed(int64_t index, int64_t seed)
{
    at::Generator generator = generator_of(index);
    const std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_current_seed(static_cast<uint64_t>(seed));
}

at::Tensor get_state(int64_t index)
{
    at::Generator generator = generator_of(index);
    const std::lock_guard<std::mutex> lock(generator.mutex());
    return generator.get_state();
}

void set_state(int64_t index, const at::Tensor &state)
{
    at::Generator generator = generator_of(index);
    const std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_state(state);
}

/* The mask is drawn by bernoulli_, which takes a generator, so that one seed determines it. */
std::tuple<at::Tensor, at::Tensor> native_dropout(const at::Tensor &input, double p,
                                                  std::optional<bool> train)
{
    if (!train.value_or(true) || p == 0)
        return {input.clone(), at::ones_like(input, input.options().dtype(at::kBool))};
    const at::Tensor mask =
        at::empty_like(input, input.options().dtype(at::kBool)).bernoulli_(1 - p);
    const double scale = p == 1 ? 0 : 1 / (1 - p);
    return {input.mul(mask).mul(scale), mask};
}

} // namespace

TORCH_LIBRARY(foo, m)
{
    m.def("initial_seed(int device) -> int", &initial_seed);
    m.def("seed(int device) -> int", &seed);
    m.def("manual_seed(int device, int seed) -> ()", &manual_seed);
    m.def("get_state(int device) -> Tensor", &get_state);
    m.def("set_state(int device, Tensor state) -> ()", &set_state);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("native_dropout", TORCH_FN(native_dropout));
}

Draw::Draw(const at::Generator &generator) : generator_(generator)
{
    auto *const ours = dynamic_cast<Generator *>(generator.unsafeGetGeneratorImpl());
    TORCH_CHECK(ours, "Expected a '", c10::DeviceType::PrivateUse1,
                "' device type for generator but found '", generator.device().type(), "'");
    const std::lock_guard<std::mutex> lock(ours->mutex_);
    const State drawn = ours->draw();
    seed_ = drawn.seed;
    offset_ = drawn.offset;
}

at::Generator Draw::on_host() const
{
    return at::detail::createCPUGenerator(scatter(scatter(seed_) + offset_));
}

void Draw::give_back()
{
    auto *const ours = static_cast<Generator *>(generator_.unsafeGetGeneratorImpl());
    const std::lock_guard<std::mutex> lock(ours->mutex_);
    ours->give_back({seed_, offset_});
}

const at::Generator &default_generator(c10::DeviceIndex index)
{
    static const auto *const defaults = new std::vector<at::Generator>(make_defaults());
    return (*defaults)[static_cast<size_t>(resolve(index, "default generator"))];
}

at::Generator new_generator(c10::DeviceIndex index)
{
    return make(resolve(index, "generator"));
}

} // namespace foo
