/* SPDX-License-Identifier: BSD-3-Clause
 *
 * nonzero and masked_select: results whose size depends on the data.
 *
 * Purpose: boolean indexing, and printing, which examines the finite elements only.
 * If this file is removed, these operators run through the CPU fallback. A backend that has no
 * fallback cannot print a float tensor.
 * Implementation: the device counts the selected elements, the host waits for this number, and the
 * device writes the result. Temporary memory is at most one byte per element.
 * Serves: OPS-027, OPS-054.
 */
#include <ATen/ATen.h>
#include <ATen/ExpandUtils.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/native/Resize.h>
#include <fakedev_select.h>
#include <torch/library.h>

#include "cpu_fallback.h"
#include "status.h"
#include "structured.h"
#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

/* The number of true elements. The reduction adds the elements as int64 and needs no copy of the
 * mask. */
int64_t count_true(const KernelScope &scope, const at::Tensor &mask)
{
    const at::Tensor count = at::empty(std::vector<int64_t>(static_cast<size_t>(mask.dim()), 1),
                                       mask.options().dtype(at::kLong));
    const struct fd_tensor out = describe_output(count);
    const struct fd_tensor in = describe_input(mask);
    check(fd_kernel_reduce(scope.stream(), FD_SUM, &out, &in), "count");
    return count.item<int64_t>();
}

at::Tensor find_nonzero(const at::Tensor &self)
{
    if (!device_computes(self.scalar_type()) || self.dim() == 0 || self.dim() > FD_MAX_DIMS)
        return on_cpu<at::_ops::nonzero>(self);
    const KernelScope scope(self);
    const at::Tensor mask = self.scalar_type() == at::kBool ? self : self.ne(0);
    const int64_t count = count_true(scope, mask);
    /* The columns are contiguous, as on the CPU and in FakeTensor. */
    const at::Tensor out =
        at::empty_strided({count, self.dim()}, {1, count}, self.options().dtype(at::kLong));
    const struct fd_tensor to = describe_output(out);
    const struct fd_tensor from = describe_input(mask);
    check(fd_kernel_nonzero(scope.stream(), &to, &from), "nonzero");
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
    const std::vector<int64_t> sizes = at::infer_size(self.sizes(), mask.sizes());
    if (!device_computes(self.scalar_type()) || sizes.size() > FD_MAX_DIMS)
        return on_cpu<at::_ops::masked_select>(self, mask);
    const KernelScope scope(self);
    const at::Tensor selected = mask.expand(sizes);
    const at::Tensor out = at::empty({count_true(scope, selected)}, self.options());
    const struct fd_tensor to = describe_output(out);
    const struct fd_tensor which = describe_input(selected);
    const struct fd_tensor from = describe_input(self);
    check(fd_kernel_masked_select(scope.stream(), &to, &which, &from), "masked_select");
    return out;
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
