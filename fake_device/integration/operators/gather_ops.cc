/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Indexing along one dim: index_select, gather, scatter, scatter_add.
 *
 * Purpose: embedding (index_select), losses (gather) and their gradients (scatter_add).
 * If this file is removed, these operators run through the CPU fallback.
 * Trap: the device detects an index out of range, and the next synchronising call raises. The
 * affected elements are not written.
 * Serves: OPS-063, OPS-067, AMP-012.
 */
#include <ATen/MemoryOverlap.h>
#include <ATen/WrapDimUtils.h>
#include <ATen/ops/gather_meta.h>
#include <ATen/ops/scatter_add_meta.h>
#include <ATen/ops/scatter_meta.h>
#include <torch/library.h>

#include "cpu_fallback.h"
#include "status.h"
#include "structured.h"
#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

int32_t wrapped(int64_t dim, const at::Tensor &tensor)
{
    return static_cast<int32_t>(at::maybe_wrap_dim(dim, tensor.dim()));
}

bool fits_kernel(const at::Tensor &tensor)
{
    return tensor.dim() > 0 && tensor.dim() <= FD_MAX_DIMS && device_computes(tensor.scalar_type());
}

bool done(fd_status status, const char *what)
{
    if (status != FD_ERROR_NOT_SUPPORTED)
        check(status, what);
    return status == FD_OK;
}

at::Tensor &index_select_out(const at::Tensor &self, int64_t dim, const at::Tensor &index,
                             at::Tensor &out)
{
    check_same_device(out.device(), {self, index}, "fakedev index_select");
    TORCH_CHECK_INDEX(index.dim() <= 1, "index_select(): Index is supposed to be a vector");
    TORCH_CHECK(index.scalar_type() == at::kLong || index.scalar_type() == at::kInt,
                "index_select(): Expected dtype int32 or int64 for index");
    TORCH_CHECK(self.scalar_type() == out.scalar_type(),
                "index_select(): self and result must have the same scalar type");
    if (!fits_kernel(self))
        return on_cpu<at::_ops::index_select_out>(self, dim, index, out);
    std::vector<int64_t> sizes = self.sizes().vec();
    const int32_t axis = wrapped(dim, self);
    sizes[static_cast<size_t>(axis)] = index.numel();
    at::assert_no_internal_overlap(out);
    at::assert_no_overlap(out, self);
    at::assert_no_overlap(out, index);
    at::native::resize_output(out, sizes);
    if (out.numel() == 0)
        return out;
    TORCH_CHECK(self.size(axis) > 0, "index_select(): self indexing axis dim should be positive");
    const KernelScope scope(out);
    const struct fd_tensor to = describe_output(out);
    const struct fd_tensor from = describe_input(self);
    const struct fd_tensor which = describe_input(index);
    if (done(fd_kernel_index_select(scope.stream(), &to, &from, axis, &which), "index_select"))
        return out;
    return on_cpu<at::_ops::index_select_out>(self, dim, index, out);
}

at::Tensor index_select(const at::Tensor &self, int64_t dim, const at::Tensor &index)
{
    at::Tensor out = at::empty({0}, self.options());
    return index_select_out(self, dim, index, out);
}

at::Tensor &gather_out(const at::Tensor &self, int64_t dim, const at::Tensor &index,
                       bool sparse_grad, at::Tensor &out)
{
    check_same_device(out.device(), {self, index}, "fakedev gather");
    Structured<at::meta::structured_gather>(out).meta(self, dim, index, sparse_grad);
    if (index.numel() == 0)
        return out;
    if (fits_kernel(self) && fits_kernel(index)) {
        const KernelScope scope(out);
        const struct fd_tensor to = describe_output(out);
        const struct fd_tensor from = describe_input(self);
        const struct fd_tensor which = describe_input(index);
        if (done(fd_kernel_gather(scope.stream(), &to, &from, wrapped(dim, self), &which),
                 "gather"))
            return out;
    }
    return on_cpu<at::_ops::gather_out>(self, dim, index, sparse_grad, out);
}

/* `out` becomes a copy of `self` in which the indexed elements are replaced or added to. */
bool scatter_into(const at::Tensor &out, const at::Tensor &self, int64_t dim,
                  const at::Tensor &index, const at::Tensor &source, bool accumulate)
{
    if (!out.is_same(self))
        out.copy_(self);
    if (index.numel() == 0)
        return true;
    if (!fits_kernel(self) || !fits_kernel(index))
        return false;
    const KernelScope scope(out);
    const struct fd_tensor to = describe_output(out);
    const struct fd_tensor from = describe_input(source);
    const struct fd_tensor which = describe_input(index);
    return done(
        fd_kernel_scatter(scope.stream(), &to, wrapped(dim, self), &which, &from, accumulate),
        "scatter");
}

at::Tensor &scatter_src_out(const at::Tensor &self, int64_t dim, const at::Tensor &index,
                            const at::Tensor &source, at::Tensor &out)
{
    check_same_device(out.device(), {self, index, source}, "fakedev scatter");
    Structured<at::meta::structured_scatter_src>(out).meta(self, dim, index, source);
    if (scatter_into(out, self, dim, index, source, false))
        return out;
    return on_cpu<at::_ops::scatter_src_out>(self, dim, index, source, out);
}

at::Tensor &scatter_value_out(const at::Tensor &self, int64_t dim, const at::Tensor &index,
                              const at::Scalar &value, at::Tensor &out)
{
    check_same_device(out.device(), {self, index}, "fakedev scatter");
    Structured<at::meta::structured_scatter_value>(out).meta(self, dim, index, value);
    check_scalar_fits(value, self.scalar_type());
    if (fits_kernel(self) &&
        scatter_into(
            out, self, dim, index,
            scalar_on_device(value, self.scalar_type(), self.device()).expand(index.sizes()),
            false))
        return out;
    return on_cpu<at::_ops::scatter_value_out>(self, dim, index, value, out);
}

at::Tensor &scatter_add_out(const at::Tensor &self, int64_t dim, const at::Tensor &index,
                            const at::Tensor &source, at::Tensor &out)
{
    check_same_device(out.device(), {self, index, source}, "fakedev scatter_add");
    Structured<at::meta::structured_scatter_add>(out).meta(self, dim, index, source);
    if (scatter_into(out, self, dim, index, source, true))
        return out;
    return on_cpu<at::_ops::scatter_add_out>(self, dim, index, source, out);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("index_select", TORCH_FN(index_select));
    m.impl("index_select.out", TORCH_FN(index_select_out));
    m.impl("gather.out", TORCH_FN(gather_out));
    m.impl("scatter.src_out", TORCH_FN(scatter_src_out));
    m.impl("scatter.value_out", TORCH_FN(scatter_value_out));
    m.impl("scatter_add.out", TORCH_FN(scatter_add_out));
}

} // namespace fakedev
