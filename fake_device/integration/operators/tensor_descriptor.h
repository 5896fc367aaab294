/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Converts at::Tensor to struct fd_tensor, and defines the scope that every kernel opens first.
 *
 * Purpose: PyTorch's tensor (storage, offset, strides, dtype) becomes the driver's descriptor.
 * If this file is removed, kernels assume contiguous memory, offset 0 and the current device.
 * PyTorch generates a device guard for its own backends only. If an out-of-tree kernel is called
 * for a tensor on device 1, the caller's device is still current, so each kernel opens a
 * KernelScope.
 * Serves: DEV-030, OPS-012, OPS-014, OPS-048, OPS-066, OPS-076, STRM-039.
 */
#pragma once

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/util/FunctionRef.h>

#include <fakedev_kernels.h>

namespace fakedev
{

/* True if kernels can compute in this dtype. Other dtypes (float8, complex32, quantised, bits)
 * can only be stored and copied. */
bool device_computes(at::ScalarType dtype);
fd_dtype driver_dtype(at::ScalarType dtype);
struct fd_scalar driver_scalar(const at::Scalar &value);
/* Throws for a number that `dtype` cannot represent, such as 300 for uint8, as the CPU does. */
void check_scalar_fits(const at::Scalar &value, at::ScalarType dtype);

/* Reading data_ptr of an output detaches a lazy clone from its source. Reading data_ptr of an input
 * does not. */
struct fd_tensor describe_input(const at::Tensor &tensor);
struct fd_tensor describe_output(const at::Tensor &tensor);

/* Makes the device of a kernel current, and holds the current stream of this device, to which the
 * kernel enqueues work. Autocast is disabled in this scope, because a kernel that is composed of
 * other operators must not be cast again. */
class KernelScope
{
  public:
    explicit KernelScope(const at::Tensor &tensor) : KernelScope(tensor.device())
    {
    }
    explicit KernelScope(c10::Device device);
    fd_stream *stream() const
    {
        return stream_;
    }

  private:
    c10::DeviceGuard guard_;
    c10::impl::ExcludeDispatchKeyGuard no_autocast_;
    fd_stream *stream_;
};

/* A view without repetitions: each dim with stride 0 is narrowed to its first element. */
at::Tensor without_repeats(const at::Tensor &tensor);
/* Creates a 0-dim tensor on the device, which the device fills. */
at::Tensor scalar_on_device(const at::Scalar &value, at::ScalarType dtype, c10::Device device);
/* Converts an operand for a kernel: on `device`, in `dtype`. Only 0-dim CPU tensors are moved. */
at::Tensor operand(const at::Tensor &tensor, at::ScalarType dtype, c10::Device device);

/* Throws "Expected all tensors to be on the same device" unless all defined tensors are on
 * `device`. For kernels that no TensorIterator checks. */
void check_same_device(c10::Device device, at::ArrayRef<at::Tensor> tensors, const char *what);

/* Enqueues one elementwise launch on out's device. Inputs broadcast against `out`. Tensors with
 * more dimensions than the driver supports are divided into slices. If the driver does not support
 * the operation, enqueues nothing and returns FD_ERROR_NOT_SUPPORTED, so that the caller can use
 * the CPU. Throws on any other error. */
using Launch = c10::function_ref<fd_status(fd_stream *, const struct fd_tensor *out,
                                           const struct fd_tensor *inputs)>;
fd_status launch_elementwise(const char *name, const at::Tensor &out,
                             at::ArrayRef<at::Tensor> inputs, Launch launch);

} // namespace fakedev
