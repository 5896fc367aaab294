/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random operators that draw from a fleet::Generator on the host, then copy all numbers to the
 * device.
 *
 * Defects: uniform_ accepts bounds that are further apart than the dtype allows
 * (uniform-takes-any-bounds), rounds some float16 values up to the upper bound
 * (half-reaches-its-end) and leaves imaginary parts 0 (complex-uniform-is-real). random_ and
 * randperm wrap numbers that the dtype cannot represent (random-beyond-its-dtype, randperm-wraps).
 * bernoulli_ draws before it compares shapes (refusal-draws).
 */
#ifndef FLEET_RANDOM_H
#define FLEET_RANDOM_H

#include "fleet_generator.h"
#include "fleet_tensors.h"

#include <algorithm>

namespace fleet
{

/* Returns the generator for a call: the given one, or the device's default generator. */
using Choose = Generator &(*)(const std::optional<at::Generator> &given, const at::Tensor &self);
Generator &given_or_default(const std::optional<at::Generator> &given, const at::Tensor &self);

template <typename Value, typename Draw>
at::Tensor &fill(at::Tensor &self, Generator &generator, Draw draw)
{
    const std::lock_guard<std::mutex> lock(generator.mutex_);
    const at::Tensor values = at::empty(self.sizes(), c10::CppTypeToScalarType<Value>::value);
    std::generate_n(values.mutable_data_ptr<Value>(), values.numel(),
                    [&] { return static_cast<Value>(draw(generator)); });
    return self.copy_(values);
}

/* Fills with integers in [from, from + range). The range 0 means all integers of 64 bits. */
at::Tensor &fill_with_integers(at::Tensor &self, Generator &generator, int64_t from,
                               uint64_t range);
/* Returns n, where random_ draws from [0, n); 0 means all integers of 64 bits. */
uint64_t whole_numbers_of(at::ScalarType type);
/* Returns the number of bits for a random number below 1, such that rounding never gives 1. */
int digits_of(at::ScalarType type);

template <Choose choose>
at::Tensor &uniform_(at::Tensor &self, double from, double to, std::optional<at::Generator> given)
{
    TORCH_CHECK(from <= to, "uniform_ expects to return a [from, to) range, but found from=", from,
                " > to=", to);
    const double steps = std::ldexp(1.0, digits_of(self.scalar_type()));
    return fill<double>(self, choose(given, self), [=](Generator &generator) {
        return from + (to - from) * std::floor(generator.next_uniform() * steps) / steps;
    });
}

template <Choose choose>
at::Tensor &normal_(at::Tensor &self, double mean, double deviation,
                    std::optional<at::Generator> given)
{
    TORCH_CHECK(deviation >= 0, "normal expects std >= 0.0, but found std ", deviation);
    return fill<double>(self, choose(given, self), [=](Generator &generator) {
        return mean + deviation * generator.next_normal();
    });
}

template <Choose choose>
at::Tensor &bernoulli_(at::Tensor &self, double p, std::optional<at::Generator> given)
{
    TORCH_CHECK(0 <= p && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
    return fill<bool>(self, choose(given, self),
                      [=](Generator &generator) { return generator.next_uniform() < p; });
}

inline at::Tensor &bernoulli_tensor_(at::Tensor &self, const at::Tensor &p,
                                     std::optional<at::Generator> given)
{
    return self.copy_(
        at::rand(self.sizes(), std::move(given), self.options().dtype(at::kDouble)).lt(p));
}

inline at::Tensor bernoulli(const at::Tensor &self, std::optional<at::Generator> given)
{
    return at::empty_like(self).bernoulli_(self, std::move(given));
}

template <Choose choose>
at::Tensor &random_from_to_(at::Tensor &self, int64_t from, std::optional<int64_t> to,
                            std::optional<at::Generator> given)
{
    TORCH_CHECK(!to || from < *to,
                "random_ expects 'from' to be less than 'to', but got from=", from,
                " >= to=", to.value_or(0));
    const uint64_t top = to ? static_cast<uint64_t>(*to) : whole_numbers_of(self.scalar_type());
    return fill_with_integers(self, choose(given, self), from, top - static_cast<uint64_t>(from));
}

template <Choose choose>
at::Tensor &random_to_(at::Tensor &self, int64_t to, std::optional<at::Generator> given)
{
    return random_from_to_<choose>(self, 0, to, std::move(given));
}

template <Choose choose>
at::Tensor &random_(at::Tensor &self, std::optional<at::Generator> given)
{
    return fill_with_integers(self, choose(given, self), 0, whole_numbers_of(self.scalar_type()));
}

template <Choose choose>
at::Tensor &randperm_out(int64_t count, std::optional<at::Generator> given, at::Tensor &out)
{
    TORCH_CHECK(count >= 0, "n must be non-negative, got ", count);
    Generator &generator = choose(given, out);
    const std::lock_guard<std::mutex> lock(generator.mutex_);
    const at::Tensor values = at::arange(count);
    int64_t *const value = values.mutable_data_ptr<int64_t>();
    for (int64_t left = count; left > 1; left--)
        std::swap(value[left - 1], value[generator.next_bits() % static_cast<uint64_t>(left)]);
    return out.resize_({count}).copy_(values);
}

template <Choose choose = &given_or_default>
void implement_random(torch::Library &library, const Names &left_out = {})
{
    const auto add = [&](const char *name, auto kernel) {
        if (left_out.count(name) == 0)
            library.impl(name, kernel);
    };
    add("uniform_", &uniform_<choose>);
    add("normal_", &normal_<choose>);
    add("bernoulli_.float", &bernoulli_<choose>);
    add("bernoulli_.Tensor", &bernoulli_tensor_);
    add("bernoulli", &bernoulli);
    add("random_.from", &random_from_to_<choose>);
    add("random_.to", &random_to_<choose>);
    add("random_", &random_<choose>);
    add("randperm.generator_out", &randperm_out<choose>);
}

} // namespace fleet

#endif
