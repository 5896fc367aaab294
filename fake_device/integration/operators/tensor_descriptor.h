/* SPDX-License-Identifier: BSD-3-Clause
 *
 * at::Tensor -> struct fd_tensor, and the scope every kernel opens first.
 *
 * For: PyTorch's tensor (storage, offset, strides, dtype) becomes what the driver's kernels take.
 * Without: kernels that assume contiguous memory, offset 0 and the current device. PyTorch
 * generates a device guard for its own backends only: in an out-of-tree kernel called for a tensor
 * on device 1 the current device is still the caller's, so each kernel opens a KernelScope. Serves:
 * DEV-030, OPS-012, OPS-014, OPS-048, OPS-066, OPS-076, STRM-039.
 */
#pragma once

#include <ATen/ATen.h>
#include <c10/core/DeviceGuard.h>
#include <c10/util/FunctionRef.h>

#include <fakedev_kernels.h>

namespace fakedev
{

/* Can kernels compute in this dtype? The others (float8, complex32, quantised, bits) are only
 * stored and moved. */
bool device_computes(at::ScalarType dtype);
fd_dtype driver_dtype(at::ScalarType dtype);
struct fd_scalar driver_scalar(const at::Scalar &value);
/* Throws, as the CPU does, for a number that `dtype` cannot hold: 300 for uint8. */
void check_scalar_fits(const at::Scalar &value, at::ScalarType dtype);

/* data_ptr of an output detaches a lazy clone from its source, that of an input does not. */
struct fd_tensor describe_input(const at::Tensor &tensor);
struct fd_tensor describe_output(const at::Tensor &tensor);

/* Current device for one kernel, and the stream to enqueue to: the current one of that device.
 * Casting by autocast ends here: a kernel built from other operators must not be cast again. */
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

/* The memory of an expanded tensor, each element once: along a dim of stride 0 all are the first. */
at::Tensor without_repeats(const at::Tensor &tensor);
/* A 0-dim tensor on the device, filled by the device. */
at::Tensor scalar_on_device(const at::Scalar &value, at::ScalarType dtype, c10::Device device);
/* An operand as kernels want it: on `device`, in `dtype`. Moves only 0-dim CPU tensors. */
at::Tensor operand(const at::Tensor &tensor, at::ScalarType dtype, c10::Device device);

/* Throws "Expected all tensors to be on the same device" unless all defined tensors are on
 * `device`. For kernels that no TensorIterator checks. */
void check_same_device(c10::Device device, at::ArrayRef<at::Tensor> tensors, const char *what);

/* Enqueues one elementwise launch on out's device. Inputs broadcast against `out`. Tensors of more
 * dimensions than the driver takes are cut into slices. Throws, except for FD_ERROR_NOT_SUPPORTED,
 * which is returned with nothing enqueued: the caller falls back to the CPU. */
using Launch = c10::function_ref<fd_status(fd_stream *, const struct fd_tensor *out,
                                           const struct fd_tensor *inputs)>;
fd_status launch_elementwise(const char *name, const at::Tensor &out,
                             at::ArrayRef<at::Tensor> inputs, Launch launch);

} // namespace fakedev
