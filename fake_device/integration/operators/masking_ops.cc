/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nonzero and masked_select: results whose size depends on the data.
 *
 * Purpose: boolean indexing, and printing, which examines the finite elements only.
 * If this file is removed, these operators run through the CPU fallback. A backend that has no
 * fallback cannot print a float tensor.
 * Implementation: a running sum numbers the selected elements. A scatter writes the position of
 * element k to place k. The host waits once, for the count.
 * Serves: OPS-027, OPS-054.
 */
#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/native/Resize.h>
#include <torch/library.h>

#include "cpu_fallback.h"
#include "elementwise.h"

namespace fakedev
{
namespace
{

/* Flat positions of the selected elements. */
at::Tensor positions(const at::Tensor &mask)
{
    const at::Tensor running = mask.reshape({-1}).cumsum(0, at::kLong);
    const auto total = mask.numel();
    const int64_t count = total == 0 ? 0 : running[total - 1].item<int64_t>();
    const auto options = mask.options().dtype(at::kLong);
    if (count == 0)
        return at::empty({0}, options);
    /* All other positions go to one additional place at the end, which is then removed. */
    const at::Tensor place = at::where(mask.reshape({-1}), running.sub(1), count);
    return at::empty({count + 1}, options)
        .scatter_(0, place, at::arange(total, options))
        .narrow(0, 0, count);
}

/* The divisors are sizes and never 0, so the device may divide integers here. */
at::Tensor divided(fd_binary_op op, const at::Tensor &numbers, int64_t divisor)
{
    const at::Tensor result = at::empty_like(numbers);
    launch_binary(op, result, numbers, scalar_on_device(divisor, at::kLong, numbers.device()),
                  at::kLong);
    return result;
}

at::Tensor find_nonzero(const at::Tensor &self)
{
    if (!device_computes(self.scalar_type()) || self.dim() == 0)
        return on_cpu<at::_ops::nonzero>(self);
    const KernelScope scope(self);
    at::Tensor rest = positions(self.scalar_type() == at::kBool ? self : self.ne(0));
    /* The columns are contiguous, as on the CPU and in FakeTensor. */
    const int64_t count = rest.size(0);
    const at::Tensor out = at::empty_strided({count, self.dim()}, {1, count}, rest.options());
    for (int64_t dim = self.dim(); dim-- > 0;) {
        out.select(1, dim).copy_(divided(FD_REMAINDER, rest, std::max<int64_t>(self.size(dim), 1)));
        rest = divided(FD_DIV_FLOOR, rest, std::max<int64_t>(self.size(dim), 1));
    }
    return out;
}

at::Tensor &nonzero_out(const at::Tensor &self, at::Tensor &out)
{
    const at::Tensor result = find_nonzero(self);
    prepare_output(out, result.sizes(), result.strides(), result.options());
    return out.copy_(result);
}

at::Tensor select_masked(const at::Tensor &self, const at::Tensor &mask)
{
    TORCH_CHECK(mask.scalar_type() == at::kBool,
                "masked_select: expected BoolTensor for mask, got ", mask.scalar_type());
    check_same_device(self.device(), {mask}, "fakedev masked_select");
    const KernelScope scope(self);
    const std::vector<int64_t> sizes = at::infer_size(self.sizes(), mask.sizes());
    return self.expand(sizes).reshape({-1}).index_select(0, positions(mask.expand(sizes)));
}

at::Tensor &masked_select_out(const at::Tensor &self, const at::Tensor &mask, at::Tensor &out)
{
    at::assert_no_overlap(out, self);
    at::assert_no_overlap(out, mask);
    const at::Tensor result = select_masked(self, mask);

    prepare_output(out, result.sizes(), {}, result.options());
    return out.copy_(result);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("nonzero", TORCH_FN(find_nonzero));
    m.impl("nonzero.out", TORCH_FN(nonzero_out));
    m.impl("masked_select", TORCH_FN(select_masked));
    m.impl("masked_select.out", TORCH_FN(masked_select_out));
}

} // namespace fakedev
