/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The generator and the random operators: numbers are made on the host and written into the buffer.
 */
#include "opaque_generator.h"
#include "opaque_memory.h"

#include <ATen/ATen.h>
#include <torch/library.h>

#include <cmath>
#include <cstring>
#include <limits>
#include <sstream>

namespace opaque
{
namespace
{

/* The engine as text, which is how the standard library gives it away, padded to one size. */
constexpr int64_t state_size = 8192;

} // namespace

Generator::Generator(c10::DeviceIndex device)
    : c10::GeneratorImpl({c10::kPrivateUse1, device},
                         c10::DispatchKeySet(c10::DispatchKey::PrivateUse1))
{
    set_current_seed(c10::default_rng_seed_val);
}

void Generator::set_current_seed(uint64_t seed)
{
    seed_ = seed;
    engine_.seed(seed);
    spare_.reset();
}

uint64_t Generator::current_seed() const
{
    return seed_;
}

uint64_t Generator::seed()
{
    set_current_seed(c10::detail::getNonDeterministicRandom());
    return seed_;
}

void Generator::set_offset(uint64_t /*offset*/)
{
    TORCH_CHECK_NOT_IMPLEMENTED(false, "opaque: a generator has no offset");
}

uint64_t Generator::get_offset() const
{
    TORCH_CHECK_NOT_IMPLEMENTED(false, "opaque: a generator has no offset");
}

c10::intrusive_ptr<c10::TensorImpl> Generator::get_state() const
{
    std::ostringstream text;
    text << seed_ << ' ' << engine_;
    const std::string state = text.str();
    const at::Tensor tensor = at::zeros({state_size}, at::kByte);

    TORCH_INTERNAL_ASSERT(static_cast<int64_t>(state.size()) < state_size);
    std::memcpy(tensor.mutable_data_ptr<uint8_t>(), state.data(), state.size());
    return tensor.getIntrusivePtr();
}

void Generator::set_state(const c10::TensorImpl &state)
{
    at::detail::check_rng_state(state);
    TORCH_CHECK(state.numel() == state_size, "opaque: a state has ", state_size, " bytes, not ",
                state.numel());
    std::istringstream text(std::string(state.data_ptr_impl<char>(), state_size));
    std::mt19937_64 engine;
    uint64_t seed = 0;

    text >> seed >> engine;
    TORCH_CHECK(!text.fail(), "opaque: this is no state of a generator");
    seed_ = seed;
    engine_ = engine;
}

uint64_t Generator::bits()
{
    return engine_();
}

double Generator::uniform()
{
    return static_cast<double>(bits() >> 11) * 0x1p-53;
}

double Generator::normal()
{
    if (spare_) {
        const double number = *spare_;
        spare_.reset();
        return number;
    }
    double x = 0, y = 0, square = 0;
    do {
        x = 2 * uniform() - 1;
        y = 2 * uniform() - 1;
        square = x * x + y * y;
    } while (square >= 1 || square == 0);
    const double scale = std::sqrt(-2 * std::log(square) / square);
    spare_ = y * scale;
    return x * scale;
}

Generator *Generator::clone_impl() const
{
    auto *const copy = new Generator(device().index());
    copy->seed_ = seed_;
    copy->engine_ = engine_;
    copy->spare_ = spare_;
    return copy;
}

const at::Generator &default_generator(c10::DeviceIndex device)
{
    static const auto *const all = new std::array<at::Generator, device_count>{
        at::make_generator<Generator>(c10::DeviceIndex{0}),
        at::make_generator<Generator>(c10::DeviceIndex{1})};
    return (*all)[static_cast<size_t>(device)];
}

at::Generator new_generator(c10::DeviceIndex device)
{
    return at::make_generator<Generator>(device);
}

namespace
{

Generator &generator_of(const at::Tensor &self, const std::optional<at::Generator> &given)
{
    const at::Generator &own = default_generator(self.device().index());
    const bool ours = given && given->defined() && given->device().type() == c10::kPrivateUse1;

    return *static_cast<Generator *>((ours ? *given : own).unsafeGetGeneratorImpl());
}

/* Fills a tensor on the host with `next` and copies it over as a whole. */
template <typename Next>
at::Tensor &fill(at::Tensor &self, const std::optional<at::Generator> &given, const Next &next)
{
    Generator &generator = generator_of(self, given);
    const at::Tensor host = at::empty(self.sizes(), at::TensorOptions(at::kDouble));
    double *const numbers = host.mutable_data_ptr<double>();
    {
        const std::lock_guard<std::mutex> lock(generator.mutex_);
        for (int64_t i = 0; i < host.numel(); i++)
            numbers[i] = next(generator);
    }
    return self.copy_(host);
}

at::Tensor &uniform_(at::Tensor &self, double from, double to, std::optional<at::Generator> given)
{
    TORCH_CHECK(from <= to, "uniform_ expects to return a [from, to) range, but found from=", from,
                " > to=", to);
    /* Numbers with as many bits as the narrowest type has: rounding never reaches `to`. */
    const int digits = self.scalar_type() == at::kDouble  ? 53
                       : self.scalar_type() == at::kFloat ? 24
                       : self.scalar_type() == at::kHalf  ? 11
                                                          : 8;
    return fill(self, given, [&](Generator &generator) {
        const double number = std::floor(std::ldexp(generator.uniform(), digits));
        return from + std::ldexp(number, -digits) * (to - from);
    });
}

at::Tensor &normal_(at::Tensor &self, double mean, double spread,
                    std::optional<at::Generator> given)
{
    TORCH_CHECK(spread >= 0, "normal expects std >= 0.0, but found std ", spread);
    return fill(self, given,
                [&](Generator &generator) { return mean + spread * generator.normal(); });
}

at::Tensor &bernoulli_(at::Tensor &self, double p, std::optional<at::Generator> given)
{
    TORCH_CHECK(0 <= p && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
    return fill(self, given,
                [&](Generator &generator) { return generator.uniform() < p ? 1.0 : 0.0; });
}

at::Tensor &bernoulli_tensor_(at::Tensor &self, const at::Tensor &p,
                              std::optional<at::Generator> given)
{
    return self.copy_(at::rand(self.sizes(), given, self.options().dtype(at::kDouble)).lt(p));
}

at::Tensor bernoulli(const at::Tensor &self, std::optional<at::Generator> given)
{
    return at::empty_like(self).bernoulli_(self, std::move(given));
}

/* Whole numbers go over as int64: a double would lose the low bits. */
at::Tensor &integers(at::Tensor &self, int64_t from, uint64_t range,
                     const std::optional<at::Generator> &given)
{
    Generator &generator = generator_of(self, given);
    const at::Tensor host = at::empty(self.sizes(), at::TensorOptions(at::kLong));
    int64_t *const numbers = host.mutable_data_ptr<int64_t>();
    {
        const std::lock_guard<std::mutex> lock(generator.mutex_);
        for (int64_t i = 0; i < host.numel(); i++) {
            const uint64_t bits = generator.bits();
            numbers[i] =
                static_cast<int64_t>(static_cast<uint64_t>(from) + (range ? bits % range : bits));
        }
    }
    return self.copy_(host);
}

at::Tensor &random_from_to_(at::Tensor &self, int64_t from, std::optional<int64_t> to,
                            std::optional<at::Generator> given)
{
    TORCH_CHECK(!to || from < *to,
                "random_ expects 'from' to be less than 'to', but got from=", from,
                " >= to=", to.value_or(0));
    const uint64_t top = to ? static_cast<uint64_t>(*to)
                            : static_cast<uint64_t>(std::numeric_limits<int64_t>::max()) + 1;
    return integers(self, from, top - static_cast<uint64_t>(from), given);
}

at::Tensor &random_to_(at::Tensor &self, int64_t to, std::optional<at::Generator> given)
{
    return random_from_to_(self, 0, to, std::move(given));
}

uint64_t whole_numbers_of(at::ScalarType type)
{
    switch (type) {
    case at::kBool:
        return 2;
    case at::kByte:
        return 256;
    case at::kChar:
        return 128;
    case at::kShort:
        return 1 << 15;
    case at::kInt:
        return uint64_t{1} << 31;
    case at::kLong:
        return uint64_t{1} << 63;
    case at::kHalf:
        return (1 << 11) + 1;
    case at::kBFloat16:
        return (1 << 8) + 1;
    case at::kFloat:
        return (1 << 24) + 1;
    case at::kDouble:
        return (uint64_t{1} << 53) + 1;
    default:
        TORCH_CHECK_NOT_IMPLEMENTED(false, "opaque: random_ has no ", type);
    }
}

at::Tensor &random_(at::Tensor &self, std::optional<at::Generator> given)
{
    return integers(self, 0, whole_numbers_of(self.scalar_type()), given);
}

at::Tensor &randperm_out(int64_t n, std::optional<at::Generator> given, at::Tensor &out)
{
    TORCH_CHECK(n >= 0, "n must be non-negative, got ", n);
    out.resize_({n});
    Generator &generator = generator_of(out, given);
    const at::Tensor host = at::arange(n, at::TensorOptions(at::kLong));
    int64_t *const numbers = host.mutable_data_ptr<int64_t>();
    {
        const std::lock_guard<std::mutex> lock(generator.mutex_);
        for (int64_t i = n - 1; i > 0; i--)
            std::swap(numbers[i], numbers[generator.bits() % static_cast<uint64_t>(i + 1)]);
    }
    return out.copy_(host);
}

/* For the device module: generators are only made and found in C++. */
at::Generator default_generator_at(int64_t device)
{
    return default_generator(resolved(static_cast<c10::DeviceIndex>(device)));
}

TORCH_LIBRARY(opaque, m)
{
    m.def("default_generator(int device) -> Generator?", &default_generator_at);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("uniform_", &uniform_);
    m.impl("normal_", &normal_);
    m.impl("bernoulli_.float", &bernoulli_);
    m.impl("bernoulli_.Tensor", &bernoulli_tensor_);
    m.impl("bernoulli", &bernoulli);
    m.impl("random_.from", &random_from_to_);
    m.impl("random_.to", &random_to_);
    m.impl("random_", &random_);
    m.impl("randperm.generator_out", &randperm_out);
}

} // namespace
} // namespace opaque
