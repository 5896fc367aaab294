/* SPDX-License-Identifier: BSD-3-Clause
 *
 * multinomial, and the overloads of normal with tensor parameters. These operators call random
 * operators that have device kernels. Therefore the numbers also come from the device's generator.
 *
 * If this file is removed, these operators run through the CPU fallback, which refuses the device's
 * generator.
 * Serves: GEN-006, GEN-009, GEN-036, GEN-037.
 */
#include <ATen/ATen.h>
#include <torch/library.h>

#include <algorithm>

namespace fakedev
{
namespace
{

using Generator = std::optional<at::Generator>;

/* If q is exponentially distributed, the argmax of p / q is i with probability p[i]. The k
 * largest elements are k draws without replacement. p is expanded to `sizes`. */
at::Tensor race(const at::Tensor &p, at::IntArrayRef sizes, const Generator &generator)
{
    at::Tensor clock = at::empty(sizes, p.options()).exponential_(1.0, generator);
    return at::div_out(clock, p.expand(sizes), clock);
}

/* Each draw with replacement needs its own q of the size of p. The draws are made in parts, so that
 * all q of one part need no more memory than p and the result. */
at::Tensor draw_again(const at::Tensor &p, int64_t samples, const Generator &generator)
{
    std::vector<int64_t> sizes = p.sizes().vec();
    sizes.back() = samples;
    const at::Tensor result = at::empty(sizes, p.options().dtype(at::kLong));
    const int64_t part =
        static_cast<int64_t>(1 + result.nbytes() / std::max<size_t>(p.nbytes(), 1));
    sizes.back() = p.size(-1);
    sizes.insert(sizes.end() - 1, 0);
    for (int64_t first = 0; first < samples; first += part) {
        const int64_t count = std::min(part, samples - first);
        sizes[sizes.size() - 2] = count;
        result.narrow(-1, first, count).copy_(race(p.unsqueeze(-2), sizes, generator).argmax(-1));
    }
    return result;
}

void check_arguments(const at::Tensor &self, int64_t samples, bool replacement)
{
    TORCH_CHECK(self.dim() > 0 && self.dim() <= 2, "prob_dist must be 1 or 2 dim");
    TORCH_CHECK(
        self.is_floating_point(),
        "multinomial only supports floating-point dtypes for input, got: ", self.scalar_type());
    TORCH_CHECK(samples > 0, "cannot sample n_sample <= 0 samples");
    TORCH_CHECK(replacement || samples <= self.size(-1),
                "cannot sample n_sample > prob_dist.size(-1) samples without replacement");
    TORCH_CHECK(self.isfinite().logical_and(self.ge(0)).all().item<bool>(),
                "probability tensor contains either `inf`, `nan` or element < 0");
    TORCH_CHECK(self.sum(-1).gt(0).all().item<bool>(),
                "invalid multinomial distribution (sum of probabilities <= 0)");
}

at::Tensor draw(const at::Tensor &self, int64_t samples, bool replacement, Generator generator)
{
    check_arguments(self, samples, replacement);
    if (replacement)
        return draw_again(self, samples, generator);
    return std::get<1>(race(self, self.sizes(), generator).topk(samples, -1));
}

at::Tensor &draw_out(const at::Tensor &self, int64_t samples, bool replacement, Generator generator,
                     at::Tensor &out)
{
    TORCH_CHECK(out.scalar_type() == at::kLong,
                "multinomial expects Long tensor out, got: ", out.scalar_type());
    const at::Tensor result = draw(self, samples, replacement, std::move(generator));

    out.resize_(result.sizes());
    return out.copy_(result);
}

at::Tensor normal_tensor_tensor(const at::Tensor &mean, const at::Tensor &deviation,
                                Generator generator)
{
    TORCH_CHECK(deviation.numel() == 0 || deviation.ge(0).all().item<bool>(),
                "normal expects all elements of std >= 0.0");
    at::Tensor result = at::empty(at::infer_size(mean.sizes(), deviation.sizes()),
                                  (mean.is_cpu() ? deviation : mean).options());
    return result.normal_(0, 1, std::move(generator)).mul_(deviation).add_(mean);
}

at::Tensor normal_tensor_float(const at::Tensor &mean, double deviation, Generator generator)
{
    return at::empty(mean.sizes(), mean.options())
        .normal_(0, deviation, std::move(generator))
        .add_(mean);
}

at::Tensor normal_float_tensor(double mean, const at::Tensor &deviation, Generator generator)
{
    return normal_tensor_tensor(at::scalar_tensor(mean, deviation.options()), deviation,
                                std::move(generator));
}

template <class First, class Second, at::Tensor (*function)(First, Second, Generator)>
at::Tensor &normal_out(First mean, Second deviation, Generator generator, at::Tensor &out)
{
    const at::Tensor result = function(mean, deviation, std::move(generator));
    out.resize_(result.sizes());
    return out.copy_(result);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    using T = const at::Tensor &;
    m.impl("multinomial", TORCH_FN(draw));
    m.impl("multinomial.out", TORCH_FN(draw_out));
    m.impl("normal.Tensor_Tensor", TORCH_FN(normal_tensor_tensor));
    m.impl("normal.Tensor_float", TORCH_FN(normal_tensor_float));
    m.impl("normal.float_Tensor", TORCH_FN(normal_float_tensor));
    m.impl("normal.Tensor_Tensor_out", normal_out<T, T, normal_tensor_tensor>);
    m.impl("normal.Tensor_float_out", normal_out<T, double, normal_tensor_float>);
    m.impl("normal.float_Tensor_out", normal_out<double, T, normal_float_tensor>);
}

} // namespace fakedev
