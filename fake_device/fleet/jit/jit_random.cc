/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers: each kernel makes them from the seed and the place in the sequence.
 */
#include "jit_device.h"
#include "jit_kernels.h"
#include "jit_operators.h"

#include <ATen/ATen.h>
#include <torch/library.h>

namespace jit
{
namespace
{

Counter draw(const std::optional<at::Generator> &given, int64_t count)
{
    at::Generator generator = given && given->defined() ? *given : default_generator();

    TORCH_CHECK(generator.device().type() == c10::kPrivateUse1,
                "Expected a 'jitdev' device type for generator but found '",
                generator.device().type(), "'");
    const std::lock_guard<std::mutex> lock(generator.mutex());
    return static_cast<Generator *>(generator.unsafeGetGeneratorImpl())
        ->advance(static_cast<uint64_t>(count));
}

/* Numbers of type T in a tensor of their own, one for each element of `self`. */
at::Tensor numbers(const at::Tensor &self, at::ScalarType type, const Counter &from,
                   const std::string &body, double first = 0, double second = 0)
{
    at::Tensor drawn = at::empty(self.sizes(), self.options().dtype(type));
    Launch what;

    what.sizes[0] = drawn.numel();
    what.strides[0][0] = static_cast<int64_t>(drawn.itemsize());
    what.data[0] = static_cast<char *>(drawn.mutable_data_ptr());
    what.numbers = {first, second};
    what.words = {from.seed, from.offset};
    if (drawn.numel())
        launch(std::string("using T = ") + (type == at::kLong ? "uint64_t" : type_name(type)) +
                   "; using A = T; using B = T;\n",
               "const uint64_t r = mixed(mixed(w[0]) + w[1] + i); " + body, what);
    return drawn;
}

at::ScalarType drawn_as(const at::Tensor &self)
{
    return self.scalar_type() == at::kDouble ? at::kDouble : at::kFloat;
}

const std::string unit_interval = "const T u = sizeof(T) == 8 ? T(r >> 11) * T(0x1p-53) "
                                  ": T(r >> 40) * T(0x1p-24); ";

at::Tensor &uniform_(at::Tensor &self, double from, double to, std::optional<at::Generator> given)
{
    TORCH_CHECK(from <= to, "uniform_ expects to return a [from, to) range, but found from=", from,
                " > to=", to);
    return self.copy_(numbers(self, drawn_as(self), draw(given, self.numel()),
                              unit_interval + "out = T(n[0]) + u * T(n[1] - n[0]);", from, to));
}

at::Tensor &normal_(at::Tensor &self, double mean, double spread,
                    std::optional<at::Generator> given)
{
    TORCH_CHECK(spread >= 0, "normal expects std >= 0.0, but found std ", spread);
    return self.copy_(numbers(self, drawn_as(self), draw(given, self.numel()),
                              unit_interval +
                                  "const double v = double(mixed(r) >> 11) * 0x1p-53; "
                                  "out = T(n[0] + n[1] * std::sqrt(-2 * std::log1p(-double(u))) "
                                  "* std::cos(6.283185307179586 * v));",
                              mean, spread));
}

at::Tensor &bernoulli_(at::Tensor &self, double p, std::optional<at::Generator> given)
{
    TORCH_CHECK(0 <= p && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
    return self.copy_(
        numbers(self, at::kFloat, draw(given, self.numel()), unit_interval + "out = u < n[0];", p));
}

at::Tensor &bernoulli_tensor_(at::Tensor &self, const at::Tensor &p,
                              std::optional<at::Generator> given)
{
    const at::Tensor drawn = at::rand(self.sizes(), given, self.options().dtype(at::kFloat));
    return self.copy_(drawn.lt(p));
}

at::Tensor bernoulli(const at::Tensor &self, std::optional<at::Generator> given)
{
    return at::empty_like(self).bernoulli_(self, std::move(given));
}

/* `range` whole numbers from `from` on; 0: all there are. */
at::Tensor &integers(at::Tensor &self, int64_t from, uint64_t range,
                     const std::optional<at::Generator> &given)
{
    at::Tensor drawn = numbers(self, at::kLong, draw(given, self.numel()), "out = r;");
    auto *const values = static_cast<int64_t *>(drawn.mutable_data_ptr());

    for (int64_t i = 0; i < drawn.numel(); i++) {
        const auto bits = static_cast<uint64_t>(values[i]);
        values[i] =
            static_cast<int64_t>(static_cast<uint64_t>(from) + (range ? bits % range : bits));
    }
    return self.copy_(drawn);
}

at::Tensor &random_from_to_(at::Tensor &self, int64_t from, std::optional<int64_t> to,
                            std::optional<at::Generator> given)
{
    TORCH_CHECK(!to || from < *to,
                "random_ expects 'from' to be less than 'to', but got from=", from,
                " >= to=", to.value_or(0));
    const uint64_t top = to ? static_cast<uint64_t>(*to) : uint64_t{1} << 63;
    return integers(self, from, top - static_cast<uint64_t>(from), given);
}

at::Tensor &random_to_(at::Tensor &self, int64_t to, std::optional<at::Generator> given)
{
    return random_from_to_(self, 0, to, std::move(given));
}

at::Tensor &random_(at::Tensor &self, std::optional<at::Generator> given)
{
    if (self.scalar_type() == at::kBool)
        return integers(self, 0, 2, given);
    if (at::isIntegralType(self.scalar_type(), false)) {
        const size_t bits = 8 * self.itemsize() - (self.scalar_type() == at::kByte ? 0 : 1);
        return integers(self, 0, uint64_t{1} << bits, given);
    }
    const int digits = self.scalar_type() == at::kDouble     ? 53
                       : self.scalar_type() == at::kHalf     ? 11
                       : self.scalar_type() == at::kBFloat16 ? 8
                                                             : 24;
    return integers(self, 0, (uint64_t{1} << digits) + 1, given);
}

at::Tensor &randperm_out(int64_t n, std::optional<at::Generator> given, at::Tensor &out)
{
    TORCH_CHECK(n >= 0, "n must be non-negative, got ", n);
    const at::Tensor keys_of_order = at::empty({n}, out.options().dtype(at::kLong));
    at::Tensor drawn = numbers(keys_of_order, at::kLong, draw(given, n), "out = r;");
    out.resize_({n});
    on_host(out).copy_(on_host(drawn).argsort());
    return out;
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
} // namespace jit
