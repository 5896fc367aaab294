/* SPDX-License-Identifier: BSD-3-Clause
 *
 * histc of integers. CUDA has this kernel and the CPU does not, so the CPU fallback cannot compute
 * it.
 *
 * If this file is removed, torch.histc of an integer tensor raises NotImplementedError, as on the
 * CPU. Programs that count tokens or experts on an accelerator then fail.
 * Trap: the limits are compared as integers, because float64 does not represent every int64.
 * Serves: OPS-077.
 */
#include <ATen/ATen.h>
#include <torch/library.h>

#include "cpu_fallback.h"
#include "structured.h"
#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

struct Limits {
    int64_t low, high;
};

/* If both limits are equal, the smallest and the largest element are the limits. */
Limits limits_of(const at::Tensor &self, const at::Scalar &min, const at::Scalar &max)
{
    Limits limits = {min.to<int64_t>(), max.to<int64_t>()};
    if (limits.low == limits.high && self.numel() > 0)
        limits = {self.min().item<int64_t>(), self.max().item<int64_t>()};
    if (limits.low == limits.high)
        limits = {limits.low - 1, limits.high + 1};
    TORCH_CHECK(limits.low < limits.high, "histc: max must be larger than min");
    return limits;
}

at::Tensor histogram(const at::Tensor &self, int64_t bins, const at::Scalar &min,
                     const at::Scalar &max)
{
    if (!c10::isIntegralType(self.scalar_type(), false))
        return on_cpu<at::_ops::histc>(self, bins, min, max);
    TORCH_CHECK(bins > 0, "histc: bins must be > 0");
    const KernelScope scope(self);
    const Limits limits = limits_of(self, min, max);
    const at::Tensor values = self.to(at::kLong).flatten();
    const at::Tensor counted = values.ge(limits.low).logical_and_(values.le(limits.high));
    const at::Tensor bin = values.sub(limits.low)
                               .mul_(bins)
                               .div_(limits.high - limits.low, "floor")
                               .clamp_(0, bins - 1); /* the last bin contains `high` */
    return at::zeros({bins}, values.options())
        .scatter_add_(0, bin, counted.to(at::kLong))
        .to(self.scalar_type());
}

at::Tensor &histogram_out(const at::Tensor &self, int64_t bins, const at::Scalar &min,
                          const at::Scalar &max, at::Tensor &out)
{
    const at::Tensor result = histogram(self, bins, min, max);
    prepare_output(out, result.sizes(), {}, result.options());
    return out.copy_(result);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("histc", TORCH_FN(histogram));
    m.impl("histc.out", TORCH_FN(histogram_out));
}

} // namespace fakedev
