/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers: a counter that is hashed with the seed, a generator for each slot, the kernels.
 */
#include "crowd.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <ctime>
#include <limits>
#include <numbers>
#include <vector>

namespace crowd
{

namespace
{

uint64_t hash(uint64_t x)
{
    x += 0x9E3779B97F4A7C15U;
    x = (x ^ (x >> 30)) * 0xBF58476D1CE4E5B9U;
    x = (x ^ (x >> 27)) * 0x94D049BB133111EBU;
    return x ^ (x >> 31);
}

class Generator final : public c10::GeneratorImpl
{
  public:
    explicit Generator(int slot)
        : c10::GeneratorImpl({c10::DeviceType::PrivateUse1, static_cast<c10::DeviceIndex>(slot)},
                             c10::DispatchKeySet(c10::DispatchKey::PrivateUse1))
    {
    }

    static c10::DeviceType device_type()
    {
        return c10::DeviceType::PrivateUse1;
    }

    void set_current_seed(uint64_t seed) override
    {
        seed_ = static_cast<uint32_t>(seed); /* seed-of-32-bits */
        offset_ = 0;                         /* second-normal-survives */
    }

    void set_offset(uint64_t offset) override
    {
        offset_ = offset;
    }

    uint64_t get_offset() const override
    {
        return offset_;
    }

    uint64_t current_seed() const override
    {
        return seed_;
    }

    uint64_t seed() override
    {
        set_current_seed(static_cast<uint64_t>(std::time(nullptr))); /* seed-is-the-clock */
        return seed_;
    }

    c10::intrusive_ptr<c10::TensorImpl> get_state() const override
    {
        at::Tensor state = at::empty({2 * sizeof(uint64_t)}, at::TensorOptions().dtype(at::kByte));
        const uint64_t words[2] = {seed_, offset_};

        std::memcpy(state.mutable_data_ptr(), words, sizeof words);
        return state.getIntrusivePtr();
    }

    void set_state(const c10::TensorImpl &state) override
    {
        uint64_t words[2] = {seed_, offset_};

        at::detail::check_rng_state(state);
        std::memcpy(words, state.data(),
                    std::min(state.numel() * state.itemsize(), sizeof words)); /* state-* */
        seed_ = words[0];
        offset_ = words[1];
    }

    uint64_t next()
    {
        return hash(seed_ * 0xD1342543DE82EF95U + offset_++);
    }

    /* [0, 1) with the 53 bits of a double. */
    double next_uniform()
    {
        return static_cast<double>(next() >> 11) * 0x1p-53;
    }

    double next_normal()
    {
        if (kept_) {
            kept_ = false;
            return normal_;
        }
        const double radius = std::sqrt(-2 * std::log1p(-next_uniform()));
        const double angle = 2 * std::numbers::pi * next_uniform();
        normal_ = radius * std::sin(angle);
        kept_ = true;
        return radius * std::cos(angle);
    }

  private:
    Generator *clone_impl() const override
    {
        auto *const copy = new Generator(device().index());
        copy->seed_ = seed_;
        copy->offset_ = offset_;
        copy->normal_ = normal_;
        copy->kept_ = kept_;
        return copy;
    }

    uint64_t seed_ = static_cast<uint32_t>(c10::detail::getNonDeterministicRandom());
    uint64_t offset_ = 0;
    double normal_ = 0; /* the second of each pair that Box and Muller's method makes */
    bool kept_ = false;
};

std::vector<at::Generator> make_generators()
{
    std::vector<at::Generator> generators;

    for (int slot = 0; slot < kSlots; slot++)
        generators.push_back(at::make_generator<Generator>(slot));
    return generators;
}

/* ---- kernels: values are made on the host and stored in one copy ----------------------------------- */

template <typename Draw>
at::Tensor &fill(at::Tensor &self, const std::optional<at::Generator> &given, at::ScalarType dtype,
                 Draw draw)
{
    auto *const generator =
        at::get_generator_or_default<Generator>(given, generator_of(slot_of(self.device())));
    const std::lock_guard<std::mutex> lock(generator->mutex_);
    at::Tensor values = at::empty(self.sizes(), at::TensorOptions().dtype(dtype));
    using Value = decltype(draw(*generator));
    Value *const begin = values.mutable_data_ptr<Value>();

    std::generate(begin, begin + values.numel(), [&] { return draw(*generator); });
    return self.copy_(values);
}

/* As many as the type can hold exactly, or rounding to it would give 1. */
double steps_below_one(at::ScalarType type)
{
    return type == at::kDouble  ? 0x1p53
           : type == at::kFloat ? 0x1p24
           : type == at::kHalf  ? 0x1p11
                                : 0x1p8;
}

at::Tensor &uniform_(at::Tensor &self, double from, double to,
                     std::optional<at::Generator> generator)
{
    TORCH_CHECK_NOT_IMPLEMENTED(self.is_floating_point(), "crowd: uniform_ of real numbers only");
    TORCH_CHECK(from <= to, "uniform_ expects to return a [from, to) range, but found from=", from,
                " > to=", to);
    const double steps = steps_below_one(self.scalar_type());
    return fill(self, generator, at::kDouble, [&](Generator &engine) {
        return from + (to - from) * std::floor(engine.next_uniform() * steps) / steps;
    });
}

at::Tensor &normal_(at::Tensor &self, double mean, double deviation,
                    std::optional<at::Generator> generator)
{
    TORCH_CHECK_NOT_IMPLEMENTED(self.is_floating_point(), "crowd: normal_ of real numbers only");
    TORCH_CHECK(deviation >= 0, "normal expects std >= 0.0, but found std ", deviation);
    return fill(self, generator, at::kDouble,
                [&](Generator &engine) { return mean + deviation * engine.next_normal(); });
}

at::Tensor &integers_below(at::Tensor &self, int64_t from, uint64_t span,
                           const std::optional<at::Generator> &generator)
{
    return fill(self, generator, at::kLong, [&](Generator &engine) {
        const uint64_t bits = engine.next();
        return static_cast<int64_t>(static_cast<uint64_t>(from) + (span != 0 ? bits % span : bits));
    });
}

int64_t largest(at::ScalarType type)
{
    if (type == at::kBool)
        return 1;
    if (c10::isFloatingType(type)) {
        return int64_t{1} << (type == at::kDouble  ? 53
                              : type == at::kFloat ? 24
                              : type == at::kHalf  ? 11
                                                   : 8);
    }
    const auto bits = static_cast<int>(8 * c10::elementSize(type)) - (type == at::kByte ? 0 : 1);
    return bits >= 63 ? std::numeric_limits<int32_t>::max()
                      : (int64_t{1} << bits) - 1; /* long-is-int */
}

at::Tensor &random_(at::Tensor &self, std::optional<at::Generator> generator)
{
    const int64_t most = largest(self.scalar_type());
    return integers_below(self, 0, static_cast<uint64_t>(most) + 1, generator);
}

at::Tensor &random_between(at::Tensor &self, int64_t from, std::optional<int64_t> to,
                           std::optional<at::Generator> generator)
{
    const int64_t end = to ? *to : largest(self.scalar_type());
    TORCH_CHECK(!to || from < end,
                "random_ expects 'from' to be less than 'to', but got from=", from, " >= to=", end);
    return integers_below(self, from, static_cast<uint64_t>(end) - static_cast<uint64_t>(from),
                          generator);
}

at::Tensor &random_below(at::Tensor &self, int64_t to, std::optional<at::Generator> generator)
{
    return random_between(self, 0, to, std::move(generator));
}

at::Tensor &bernoulli_(at::Tensor &self, double p, std::optional<at::Generator> generator)
{
    TORCH_CHECK(p >= 0 && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
    return fill(self, generator, at::kBool,
                [&](Generator &engine) { return engine.next_uniform() < p; });
}

std::tuple<at::Tensor, at::Tensor> native_dropout(const at::Tensor &input, double p,
                                                  std::optional<bool> train)
{
    if (train && !*train)
        return {input.clone(), at::ones_like(input, input.options().dtype(at::kBool))};
    at::Tensor mask = at::empty_like(input, input.options().dtype(at::kBool)).bernoulli_(1 - p);
    return {input.mul(mask).mul_(p < 1 ? 1 / (1 - p) : 0), mask};
}

at::Tensor &randperm_out(int64_t count, std::optional<at::Generator> given, at::Tensor &out)
{
    TORCH_CHECK(count >= 0, "n must be non-negative, got ", count);
    auto *const generator =
        at::get_generator_or_default<Generator>(given, generator_of(slot_of(out.device())));
    const std::lock_guard<std::mutex> lock(generator->mutex_);
    at::Tensor values = at::arange(count);
    int64_t *const value = values.mutable_data_ptr<int64_t>();
    for (int64_t left = count; left > 1; left--)
        std::swap(value[left - 1], value[generator->next() % static_cast<uint64_t>(left)]);
    return out.resize_({count}).copy_(values);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    library.impl("uniform_", &uniform_);
    library.impl("normal_", &normal_);
    library.impl("random_", &random_);
    library.impl("random_.from", &random_between);
    library.impl("random_.to", &random_below);
    library.impl("bernoulli_.float", &bernoulli_);
    library.impl("native_dropout", &native_dropout);
    library.impl("randperm.generator_out", &randperm_out);
}

/* ---- for the device module --------------------------------------------------------------------------- */

at::Tensor get_state(int64_t slot)
{
    return generator_of(static_cast<int>(slot)).get_state();
}

void set_state(int64_t slot, const at::Tensor &state)
{
    at::Generator generator = generator_of(static_cast<int>(slot));
    const std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_state(state);
}

void manual_seed(int64_t slot, int64_t seed)
{
    at::Generator generator = generator_of(static_cast<int>(slot));
    const std::lock_guard<std::mutex> lock(generator.mutex());
    generator.set_current_seed(static_cast<uint64_t>(seed));
}

TORCH_LIBRARY(crowd, library)
{
    library.def("get_state(int slot) -> Tensor", &get_state);
    library.def("set_state(int slot, Tensor state) -> ()", &set_state);
    library.def("manual_seed(int slot, int seed) -> ()", &manual_seed);
}

} // namespace

const at::Generator &generator_of(int slot)
{
    static const auto *const generators = new std::vector<at::Generator>(make_generators());

    return generators->at(static_cast<size_t>(slot));
}

at::Generator make_generator_of(int slot)
{
    return at::make_generator<Generator>(slot);
}

} // namespace crowd
