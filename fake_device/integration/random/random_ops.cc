/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Random numbers in tensors: uniform_, normal_, random_, bernoulli_, exponential_, randperm, ...
 *
 * Purpose: core builds rand, randn, randint, dropout and initialisation from these. If this file is
 * removed, these operators run through the CPU fallback, which refuses the device's generator and
 * accepts a CPU generator; seeding the device has no effect.
 * Traps: the generator belongs to the tensor's device, not to the current device. A draw must
 * advance the generator past the numbers drawn, under the generator's lock (take_random does this).
 * Serves: GEN-006, GEN-009 to GEN-011, GEN-029, GEN-036, GEN-037, AGRD-018.
 */
#include <ATen/ATen.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/native/DistributionTemplates.h>
#include <ATen/native/TensorFactories.h>
#include <torch/library.h>

#include <cmath>
#include <limits>

#include "random_fill.h"

namespace fakedev
{
namespace
{

using Generator = std::optional<at::Generator>;

void check_floating(const at::Tensor &self, const char *name)
{
    TORCH_CHECK_NOT_IMPLEMENTED(self.is_floating_point(), '"', name, "\" not implemented for '",
                                self.scalar_type(), "'");
}

/* PyTorch's own implementation checks the range and draws complex numbers as pairs. */
template <typename>
struct UniformKernel {
    void operator()(const at::TensorIteratorBase &iterator, double from, double to,
                    const Generator &generator) const
    {
        at::Tensor self = iterator.tensor(0);
        random_fill(self, FD_UNIFORM, from, to, generator);
    }
};

at::Tensor &uniform_(at::Tensor &self, double from, double to, Generator generator)
{
    return at::native::templates::uniform_impl_<UniformKernel, void>(self, from, to,
                                                                     std::move(generator));
}

at::Tensor &normal_(at::Tensor &self, double mean, double deviation, Generator generator)
{
    TORCH_CHECK(deviation >= 0.0, "normal expects std >= 0.0, but found std ", deviation);
    if (self.is_complex()) {
        at::Tensor parts = at::view_as_real(self);
        normal_(parts, 0.0, deviation / std::sqrt(2.0), generator);
        return mean == 0.0 ? self : self.add_(mean);
    }
    check_floating(self, "normal_");
    return random_fill(self, FD_NORMAL, mean, deviation, generator);
}

at::Tensor &exponential_(at::Tensor &self, double rate, Generator generator)
{
    check_floating(self, "exponential_");
    TORCH_CHECK(rate > 0.0, "exponential_ expects lambda > 0.0, but found lambda=", rate);
    return random_fill(self, FD_EXPONENTIAL, rate, 0, generator);
}

/* Returns the end of the range of random_(): one more than the largest number. The dtype represents
 * all these integers exactly. */
int64_t limit_of(at::ScalarType dtype)
{
    switch (dtype) {
    case at::kBool:
        return 2;
    case at::kHalf:
        return (int64_t{1} << 11) + 1;
    case at::kBFloat16:
        return (int64_t{1} << 8) + 1;
    case at::kFloat:
        return (int64_t{1} << 24) + 1;
    case at::kDouble:
        return (int64_t{1} << 53) + 1;
    case at::kByte:
        return int64_t{1} << 8;
    case at::kUInt16:
        return int64_t{1} << 16;
    case at::kUInt32:
        return int64_t{1} << 32;
    case at::kChar:
        return int64_t{1} << 7;
    case at::kShort:
        return int64_t{1} << 15;
    case at::kInt:
        return int64_t{1} << 31;
    default:
        return std::numeric_limits<int64_t>::max();
    }
}

/* For integer dtypes: returns true if the dtype can represent a value as low as `from`. */
bool reaches_down_to(at::ScalarType dtype, int64_t from)
{
    if (c10::isFloatingType(dtype) || dtype == at::kLong)
        return true;
    return from >= (c10::isSignedType(dtype) ? -limit_of(dtype) : 0);
}

at::Tensor &random_from_(at::Tensor &self, int64_t from, std::optional<int64_t> to,
                         Generator generator)
{
    const int64_t end = to.value_or(limit_of(self.scalar_type()));
    TORCH_CHECK(from < end, "random_ expects 'from' to be less than 'to', but got from=", from,
                " >= to=", end);
    TORCH_CHECK(c10::isFloatingType(self.scalar_type()) || end - 1 < limit_of(self.scalar_type()),
                "to - 1 is out of bounds for ", self.dtype());
    TORCH_CHECK(reaches_down_to(self.scalar_type(), from), "from is out of bounds for ",
                self.dtype());
    return random_fill(self, FD_INTEGER, from, end, generator);
}

at::Tensor &random_to_(at::Tensor &self, int64_t to, Generator generator)
{
    return random_from_(self, 0, to, std::move(generator));
}

at::Tensor &random_(at::Tensor &self, Generator generator)
{
    return random_from_(self, 0, std::nullopt, std::move(generator));
}

at::Tensor &bernoulli_float_(at::Tensor &self, double p, Generator generator)
{
    TORCH_CHECK(0 <= p && p <= 1, "bernoulli_ expects p to be in [0, 1], but got p=", p);
    return random_fill(self, FD_BERNOULLI, p, 0, generator);
}

/* Compares one uniform number per element with the element's probability. The host waits for the
 * check of the probabilities, so that the call itself raises the error of a wrong probability. */
at::Tensor &bernoulli_tensor_(at::Tensor &self, const at::Tensor &p, Generator generator)
{
    TORCH_CHECK(p.is_floating_point(), "expected probabilities tensor to have floating type, got ",
                p.scalar_type());
    TORCH_CHECK(p.ge(0).logical_and_(p.le(1)).all().item<bool>(),
                "bernoulli expects all probabilities to be in [0, 1]");
    const at::Tensor limits = p.to(self.device()).expand(self.sizes());
    at::Tensor numbers = at::empty(self.sizes(), self.options().dtype(at::kFloat));
    at::assert_no_internal_overlap(self);
    random_fill(numbers, FD_UNIFORM, 0, 1, generator);
    return self.copy_(numbers.lt(limits));
}

at::Tensor &bernoulli_out(const at::Tensor &self, Generator generator, at::Tensor &out)
{
    out.resize_(self.sizes());
    at::assert_no_partial_overlap(out, self);
    return bernoulli_tensor_(out, self, std::move(generator));
}

at::Tensor &randperm_out(int64_t n, Generator generator, at::Tensor &out)
{
    TORCH_CHECK(n >= 0, "n must be non-negative, got", n);
    at::native::check_supported_max_int_with_precision(n, out);
    out.resize_({n});
    return n == 0 ? out : out.copy_(random_permutation(n, out.device(), generator));
}

at::Tensor &cauchy_(at::Tensor &self, double median, double sigma, Generator generator)
{
    TORCH_CHECK(sigma > 0.0, "cauchy_ expects sigma > 0.0, but found sigma=", sigma);
    check_floating(self, "cauchy_");
    uniform_(self, 0.0, 1.0, std::move(generator));
    return self.sub_(0.5).mul_(M_PI).tan_().mul_(sigma).add_(median);
}

at::Tensor &log_normal_(at::Tensor &self, double mean, double deviation, Generator generator)
{
    TORCH_CHECK(deviation > 0.0, "log_normal_ expects std > 0.0, but found std=", deviation);
    check_floating(self, "log_normal_");
    return normal_(self, mean, deviation, std::move(generator)).exp_();
}

at::Tensor &geometric_(at::Tensor &self, double p, Generator generator)
{
    TORCH_CHECK(0 < p && p < 1, "geometric_ expects p to be in (0, 1), but got p=", p);
    at::assert_no_internal_overlap(self);
    at::Tensor numbers = at::empty(self.sizes(), self.options().dtype(at::kFloat));
    random_fill(numbers, FD_EXPONENTIAL, -std::log1p(-p), 0, generator);
    return self.copy_(numbers.ceil_().clamp_min_(1));
}

std::tuple<at::Tensor, at::Tensor> native_dropout(const at::Tensor &input, double p,
                                                  std::optional<bool> train)
{
    TORCH_CHECK(0 <= p && p <= 1, "dropout probability has to be between 0 and 1, but got ", p);
    if (input.numel() == 0 || !train.value_or(true) || p == 0)
        return {input.clone(), at::ones_like(input, input.options().dtype(at::kBool))};
    at::Tensor mask = at::empty_like(input, input.options().dtype(at::kBool));
    random_fill(mask, FD_BERNOULLI, 1 - p, 0, std::nullopt);
    return {input.mul(mask).mul_(p == 1 ? 0.0 : 1 / (1 - p)), mask};
}

at::Tensor native_dropout_backward(const at::Tensor &gradient, const at::Tensor &mask, double scale)
{
    return at::mul(at::mul(gradient, mask), scale);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("uniform_", TORCH_FN(uniform_));
    m.impl("normal_", TORCH_FN(normal_));
    m.impl("exponential_", TORCH_FN(exponential_));
    m.impl("random_", TORCH_FN(random_));
    m.impl("random_.from", TORCH_FN(random_from_));
    m.impl("random_.to", TORCH_FN(random_to_));
    m.impl("bernoulli_.float", TORCH_FN(bernoulli_float_));
    m.impl("bernoulli_.Tensor", TORCH_FN(bernoulli_tensor_));
    m.impl("bernoulli.out", TORCH_FN(bernoulli_out));
    m.impl("randperm.generator_out", TORCH_FN(randperm_out));
    m.impl("cauchy_", TORCH_FN(cauchy_));
    m.impl("log_normal_", TORCH_FN(log_normal_));
    m.impl("geometric_", TORCH_FN(geometric_));
    m.impl("native_dropout", TORCH_FN(native_dropout));
    m.impl("native_dropout_backward", TORCH_FN(native_dropout_backward));
}

} // namespace fakedev
