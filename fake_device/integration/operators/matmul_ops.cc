/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Matrix products: mm, bmm, addmm, baddbmm, dot.
 *
 * Purpose: core builds matmul, linear and einsum from these operators. If this file is removed,
 * these operators run through the CPU fallback.
 * Traps: no TensorIterator checks the devices, so the kernels must check them. If beta is 0, the
 * old values must not be read, not even NaN. An inner size of 0 gives zeros. Core does not resolve
 * the conj bit for these operators, because a BLAS accepts the bit as a flag. The device's kernel
 * does not accept the bit.
 * Serves: OPS-033 to OPS-035, OPS-053, OPS-061, OPS-067, OPS-072, OPS-073, AMP-009.
 */
#include <ATen/ops/addmm_meta.h>
#include <ATen/ops/baddbmm_meta.h>
#include <ATen/ops/bmm_meta.h>
#include <ATen/ops/mm_meta.h>
#include <torch/library.h>

#include "cpu_fallback.h"
#include "status.h"
#include "structured.h"
#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

void check_dtypes(const at::Tensor &a, const at::Tensor &b)
{
    TORCH_CHECK(a.scalar_type() == b.scalar_type(),
                "expected m1 and m2 to have the same dtype, but got: ", a.dtype(),
                " != ", b.dtype());
}

/* Computes out = beta * out + alpha * a @ b. If the device does not support this, returns false and
 * leaves `out` unchanged. */
bool multiply(const at::Tensor &out, const at::Tensor &a, const at::Tensor &b,
              const at::Scalar &alpha, const at::Scalar &beta)
{
    if (out.numel() == 0)
        return true;
    if (!device_computes(out.scalar_type()) || !device_computes(a.scalar_type()))
        return false;
    const KernelScope scope(out);
    const at::Tensor resolved_a = a.resolve_conj(), resolved_b = b.resolve_conj();
    const struct fd_tensor to = describe_output(out);
    const struct fd_tensor left = describe_input(resolved_a);
    const struct fd_tensor right = describe_input(resolved_b);
    const fd_status status = fd_kernel_matmul(scope.stream(), &to, &left, &right,
                                              driver_scalar(alpha), driver_scalar(beta));
    if (status != FD_ERROR_NOT_SUPPORTED)
        check(status, "matmul");
    return status == FD_OK;
}

/* True if the product must be computed in a temporary: the values of a conj view differ from its
 * memory, and an output that aliases a factor would be written while the factor is read. */
bool needs_place(const at::Tensor &out, const at::Tensor &a, const at::Tensor &b)
{
    return out.is_conj() || out.is_alias_of(a) || out.is_alias_of(b);
}

template <class Meta, class Op>
at::Tensor &product_out(const at::Tensor &self, const at::Tensor &other, at::Tensor &out)
{
    check_same_device(out.device(), {self, other}, "fakedev matmul");
    check_dtypes(self, other);
    Structured<Meta>(out).meta(self, other);
    if (needs_place(out, self, other))
        return out.copy_(at::empty_like(out).copy_(at::matmul(self, other)));
    if (multiply(out, self, other, 1, 0))
        return out;
    return on_cpu<Op>(self, other, out);
}

/* addmm and baddbmm: the added tensor is copied to `out` first, unless it is `out` itself. */
template <class Meta, class Op>
at::Tensor &added_product_out(const at::Tensor &self, const at::Tensor &a, const at::Tensor &b,
                              const at::Scalar &beta, const at::Scalar &alpha, at::Tensor &out)
{
    check_same_device(out.device(), {self, a, b}, "fakedev addmm");
    check_dtypes(a, b);
    Structured<Meta>(out).meta(self, a, b, beta, alpha);
    at::Tensor target = out;
    if (needs_place(out, a, b))
        target = at::empty(out.sizes(), out.options());
    if (!beta.equal(0) && !target.is_same(self))
        target.copy_(self);
    if (!multiply(target, a, b, alpha, beta))
        return on_cpu<Op>(self, a, b, beta, alpha, out);
    return target.is_same(out) ? out : out.copy_(target);
}

at::Tensor dot(const at::Tensor &self, const at::Tensor &other)
{
    check_same_device(self.device(), {other}, "fakedev dot");
    TORCH_CHECK(self.dim() == 1 && other.dim() == 1, "1D tensors expected, but got ", self.dim(),
                "D and ", other.dim(), "D tensors");
    TORCH_CHECK(self.scalar_type() == other.scalar_type(),
                "dot : expected both vectors to have same dtype, but found ", self.scalar_type(),
                " and ", other.scalar_type());
    TORCH_CHECK(self.numel() == other.numel(), "inconsistent tensor size, expected tensor ",
                self.sizes(), " and src ", other.sizes(),
                " to have the same number of elements, but got ", self.numel(), " and ",
                other.numel(), " elements respectively");
    const KernelScope scope(self);
    return at::mm(self.unsqueeze(0), other.unsqueeze(1)).reshape({});
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    /* "using" is not possible: this namespace contains a class named std */
    namespace ops = at::_ops;
    m.impl("mm.out", product_out<at::meta::structured_mm, ops::mm_out>);
    m.impl("bmm.out", product_out<at::meta::structured_bmm, ops::bmm_out>);
    m.impl("addmm.out", added_product_out<at::meta::structured_addmm, ops::addmm_out>);
    m.impl("baddbmm.out", added_product_out<at::meta::structured_baddbmm, ops::baddbmm_out>);
    m.impl("dot", TORCH_FN(dot));
}

} // namespace fakedev
