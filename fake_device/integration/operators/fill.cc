/* SPDX-License-Identifier: BSD-3-Clause
 *
 * fill_, zero_ and arange.
 *
 * Purpose: zeros, ones, full, x[...] = 3, zero_grad.
 * If this file is removed, the CPU fallback copies the whole tensor to write one number.
 * Trap: filling an expanded tensor is allowed, because every element gets the same number.
 * Serves: OPS-016, OPS-054, OPS-060, OPS-064, OPS-066, OPS-081, OPS-083.
 */
#include <ATen/ATen.h>
#include <ATen/native/Resize.h>
#include <torch/library.h>

#include <cmath>

#include "cpu_fallback.h"
#include "status.h"
#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

at::Tensor &fill_scalar_(at::Tensor &self, const at::Scalar &value)
{
    check_scalar_fits(value, self.scalar_type());
    const bool fits = !value.isComplex() || self.is_complex();
    if (fits && device_computes(self.scalar_type()) &&
        launch_elementwise("fill", without_repeats(self), {},
                           [&](fd_stream *stream, const fd_tensor *out, const fd_tensor *) {
                               return fd_kernel_fill(stream, out, driver_scalar(value));
                           }) == FD_OK)
        return self;
    return on_cpu<at::_ops::fill__Scalar>(self, value);
}

at::Tensor &fill_tensor_(at::Tensor &self, const at::Tensor &value)
{
    TORCH_CHECK(value.dim() == 0,
                "fill_ only supports 0-dimension value tensor but got tensor with ", value.dim(),
                " dimensions.");
    return self.device() == value.device() ? self.copy_(value) : fill_scalar_(self, value.item());
}

/* Zero bytes represent the number 0 in every dtype, also in dtypes that no kernel supports. */
at::Tensor &zero_(at::Tensor &self)
{
    if (self.numel() == 0 || !self.is_non_overlapping_and_dense())
        return fill_scalar_(self, 0);
    const KernelScope scope(self);
    check(fd_memory_set_async(self.mutable_data_ptr(), 0, self.nbytes(), scope.stream()), "zero_");
    return self;
}

/* True for integers that float32 and float64 represent exactly. */
bool is_exact(const at::Scalar &number)
{
    const double value = number.toDouble();
    return !number.isComplex() && std::floor(value) == value && std::abs(value) < (1 << 24);
}

/* A call with a meta tensor gives the length and dtype that the CPU would give. The device computes
 * only if every step is represented exactly, so that its results equal the CPU's. */
at::Tensor &arange_out(const at::Scalar &start, const at::Scalar &end, const at::Scalar &step,
                       at::Tensor &out)
{
    const at::ScalarType dtype = out.scalar_type();
    const bool holds =
        c10::isIntegralType(dtype, false) || dtype == at::kFloat || dtype == at::kDouble;
    if (!holds || out.dim() != 1 || !is_exact(start) || !is_exact(end) || !is_exact(step))
        return on_cpu<at::_ops::arange_start_out>(start, end, step, out);
    const at::Tensor shape = at::arange(start, end, step, out.options().device(at::kMeta));
    if (out.numel() != shape.numel())
        at::native::resize_output(out, shape.sizes());
    const fd_status status = launch_elementwise(
        "arange", out, {}, [&](fd_stream *stream, const fd_tensor *to, const fd_tensor *) {
            return fd_kernel_arange(stream, to, driver_scalar(start), driver_scalar(step));
        });
    return status == FD_OK ? out : on_cpu<at::_ops::arange_start_out>(start, end, step, out);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("fill_.Scalar", TORCH_FN(fill_scalar_));
    m.impl("fill_.Tensor", TORCH_FN(fill_tensor_));
    m.impl("zero_", TORCH_FN(zero_));
    m.impl("arange.start_out", TORCH_FN(arange_out));
}

} // namespace fakedev
