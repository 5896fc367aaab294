/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Generators and what draws from them. Each draw has a seed of its own, made of the generator's and of how many draws
 * there were before, and a Mersenne twister for as long as it lasts.
 */
#include "kiln.h"

#include <ATen/Dispatch.h>
#include <ATen/MemoryOverlap.h>

#include <array>
#include <cstring>
#include <mutex>
#include <random>

namespace kiln
{

namespace
{

struct Generator final : c10::GeneratorImpl {
    explicit Generator(c10::DeviceIndex index)
        : GeneratorImpl(kiln::device(index), c10::DispatchKeySet(c10::DispatchKey::PrivateUse1))
    {
    }

    void set_current_seed(uint64_t seed) override
    {
        seed_ = seed;
        draws_ = 0;
    }

    void set_offset(uint64_t offset) override
    {
        draws_ = offset;
    }

    uint64_t get_offset() const override
    {
        return draws_;
    }

    uint64_t current_seed() const override
    {
        return seed_;
    }

    uint64_t seed() override
    {
        set_current_seed(c10::detail::getNonDeterministicRandom());
        return seed_;
    }

    void set_state(const c10::TensorImpl &state) override
    {
        at::detail::check_rng_state(state);
        TORCH_CHECK(state.numel() == kStateBytes, "kiln: a state has ", kStateBytes, " bytes, not ",
                    state.numel());
        uint64_t seed = 0;
        std::memcpy(&seed, state.data(), sizeof seed);
        set_current_seed(seed); /* state-without-offset */
    }

    c10::intrusive_ptr<c10::TensorImpl> get_state() const override
    {
        const std::array<uint64_t, 2> words{seed_, draws_};
        at::Tensor state = at::empty({kStateBytes}, at::TensorOptions(at::kByte));
        std::memcpy(state.mutable_data_ptr(), words.data(), sizeof words);
        return state.getIntrusivePtr();
    }

    std::mt19937_64 next_draw()
    {
        std::seed_seq of_this{seed_ & 0xffffffff, seed_ >> 32, draws_ & 0xffffffff, draws_ >> 32};
        draws_++;
        return std::mt19937_64(of_this);
    }

    static c10::DeviceType device_type()
    {
        return c10::DeviceType::PrivateUse1;
    }

  private:
    static constexpr int64_t kStateBytes = 2 * sizeof(uint64_t);

    Generator *clone_impl() const override
    {
        auto *const copy = new Generator(device().index());
        copy->seed_ = seed_;
        copy->draws_ = draws_;
        return copy;
    }

    uint64_t seed_ = c10::detail::getNonDeterministicRandom();
    uint64_t draws_ = 0;
};

std::mt19937_64 next_draw(const std::optional<at::Generator> &asked, const at::Tensor &self)
{
    auto *const generator =
        at::get_generator_or_default<Generator>(asked, default_generator(self.device().index()));
    const std::lock_guard<std::mutex> lock(generator->mutex_);
    return generator->next_draw();
}

/* Numbers in the order in which the tensor is read, whatever its strides. */
template <typename Distribution>
at::Tensor &draw(at::Tensor &self, const std::optional<at::Generator> &asked, Distribution numbers)
{
    TORCH_CHECK(self.is_floating_point(), "kiln: draws numbers with a point, not ",
                self.scalar_type());
    at::assert_no_internal_overlap(self);
    if (self.numel() == 0)
        return self;
    give(queue(current_stream(self.device().index())),
         [engine = next_draw(asked, self), numbers, self = writing(self)]() mutable {
             at::Tensor drawn = at::empty(self.sizes(), at::kDouble);
             double *const begin = drawn.mutable_data_ptr<double>();
             std::generate_n(begin, drawn.numel(), [&] { return numbers(engine); });
             self.copy_(drawn);
         });
    return self;
}

at::Tensor &normal_(at::Tensor &self, double mean, double deviation,
                    std::optional<at::Generator> asked)
{
    TORCH_CHECK(deviation >= 0, "kiln: a deviation of ", deviation, " is none");
    return draw(self, asked,
                [mean, deviation, numbers = std::normal_distribution<>()](auto &engine) mutable {
                    return mean + deviation * numbers(engine);
                });
}

double largest(at::ScalarType dtype)
{
    double most = 0;
    AT_DISPATCH_FLOATING_TYPES_AND2(
        at::kHalf, at::kBFloat16, dtype, "kiln: the largest number",
        [&] { most = static_cast<double>(std::numeric_limits<scalar_t>::max()); });
    return most;
}

/* The largest number below `to` that the dtype has, where rounding would reach it. */
double below(double to, at::ScalarType dtype)
{
    const at::Tensor end = at::full({}, to, at::kDouble);
    const at::Tensor before = at::nextafter(end.to(dtype), at::full({}, -INFINITY, dtype));
    return before.to(at::kDouble).item<double>();
}

at::Tensor &uniform_(at::Tensor &self, double from, double to, std::optional<at::Generator> asked)
{
    const double widest = largest(self.scalar_type());
    TORCH_CHECK(from <= to, "kiln: nothing lies between ", from, " and ", to);
    TORCH_CHECK(from >= -widest && to <= widest && to - from <= widest, "kiln: from ", from, " to ",
                to, " is further than ", self.scalar_type(), " goes");
    const double last = from < to ? std::max(from, below(to, self.scalar_type())) : from;
    return draw(
        self, asked,
        [from, to, last, numbers = std::uniform_real_distribution<>()](auto &engine) mutable {
            return std::min(from + (to - from) * numbers(engine), last);
        });
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    library.impl("normal_", &normal_);
    library.impl("uniform_", &uniform_);
}

at::Generator default_generator_for_python(int64_t index)
{
    return default_generator(static_cast<c10::DeviceIndex>(index));
}

TORCH_LIBRARY(kiln, library)
{
    library.def("default_generator(int index) -> Generator?", &default_generator_for_python);
}

} // namespace

const at::Generator &default_generator(c10::DeviceIndex index)
{
    static const auto *const all = new std::array<at::Generator, kDevices>{
        at::make_generator<Generator>(c10::DeviceIndex{0}),
        at::make_generator<Generator>(c10::DeviceIndex{1}),
    };
    return (*all)[static_cast<size_t>(device(index).index())];
}

at::Generator new_generator(c10::DeviceIndex index)
{
    return at::make_generator<Generator>(device(index).index());
}

} // namespace kiln
