/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The operators of the narrow backend beside factories and copies. There is no fallback: PyTorch
 * itself says clearly what is missing. A kernel refuses what it does not do (broadcasting, mixed
 * dtypes) in the same words.
 */
#include "tensor_descriptor.h"

#include <ATen/ATen.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorShape.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include "status.h"

namespace fakedev
{
namespace
{

at::Tensor &fill_with(at::Tensor &self, const at::Scalar &value)
{
    check_scalar_fits(value, self.scalar_type());
    const at::Tensor memory = without_repeats(self);
    const bool fits = device_computes(self.scalar_type()) && !value.isComplex();
    const auto fill = [&](fd_stream *stream, const fd_tensor *out, const fd_tensor *) {
        return fd_kernel_fill(stream, out, driver_scalar(value));
    };
    TORCH_CHECK_NOT_IMPLEMENTED(fits && launch_elementwise("fill_", memory, {}, fill) == FD_OK,
                                "narrow: fill_ is not implemented for ", self.scalar_type());
    return self;
}

at::Tensor &zero_all(at::Tensor &self)
{
    return fill_with(self, 0);
}

at::Tensor combine(const char *name, fd_binary_op op, const at::Tensor &a, const at::Tensor &b)
{
    TORCH_CHECK_NOT_IMPLEMENTED(b.dim() > 0 || a.dim() == 0, "narrow: ", name,
                                " is not implemented with a number");
    check_same_device(a.device(), {b}, name);
    TORCH_CHECK_NOT_IMPLEMENTED(a.sizes() == b.sizes() && a.scalar_type() == b.scalar_type() &&
                                    a.is_floating_point(),
                                "narrow: ", name, " is not implemented for these arguments");
    at::Tensor out = at::empty(a.sizes(), a.options());
    const auto launch = [&](fd_stream *stream, const fd_tensor *to, const fd_tensor *from) {
        return fd_kernel_binary(stream, op, to, &from[0], &from[1]);
    };
    TORCH_CHECK_NOT_IMPLEMENTED(launch_elementwise(name, out, {a, b}, launch) == FD_OK,
                                "narrow: ", name, " is not implemented for ", a.scalar_type());
    return out;
}

at::Tensor add_alike(const at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha)
{
    TORCH_CHECK_NOT_IMPLEMENTED(alpha.equal(1), "narrow: add is not implemented with alpha");
    return combine("add", FD_ADD, self, other);
}

at::Tensor sub_alike(const at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha)
{
    TORCH_CHECK_NOT_IMPLEMENTED(alpha.equal(1), "narrow: sub is not implemented with alpha");
    return combine("sub", FD_SUB, self, other);
}

at::Tensor mul_alike(const at::Tensor &self, const at::Tensor &other)
{
    return combine("mul", FD_MUL, self, other);
}

at::Scalar local_scalar_dense(const at::Tensor &self)
{
    TORCH_CHECK(self.numel() == 1, "narrow: item() wants one element, not ", self.numel());
    return self.cpu().item();
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("as_strided", TORCH_FN(at::native::as_strided_tensorimpl));
    m.impl("view", TORCH_FN(at::native::view));
    m.impl("fill_.Scalar", TORCH_FN(fill_with));
    m.impl("zero_", TORCH_FN(zero_all));
    m.impl("add.Tensor", TORCH_FN(add_alike));
    m.impl("sub.Tensor", TORCH_FN(sub_alike));
    m.impl("mul.Tensor", TORCH_FN(mul_alike));
    m.impl("_local_scalar_dense", TORCH_FN(local_scalar_dense));
}

} // namespace fakedev
