/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Code shared by unary, binary and comparison kernels; see the header.
 *
 * Traps: unlike for the CPU, the TensorIterator does not cast a device's inputs to the common
 * dtype, and it does not move 0-dim CPU operands to the device. This file does both conversions.
 * Serves: OPS-033, OPS-034, OPS-042, OPS-066.
 */
#include "elementwise.h"

namespace fakedev
{

bool wraps_before_cast(const at::Tensor &out, at::ScalarType dtype)
{
    return c10::isIntegralType(dtype, false) && out.scalar_type() != dtype;
}

bool launch_unary(fd_unary_op op, const at::Tensor &out, const at::Tensor &in, at::ScalarType dtype)
{
    if (!device_computes(dtype) || !device_computes(out.scalar_type()) ||
        !device_computes(in.scalar_type()))
        return false;
    return launch_elementwise("unary", out, {operand(in, dtype, out.device())},
                              [op](fd_stream *stream, const fd_tensor *to, const fd_tensor *from) {
                                  return fd_kernel_unary(stream, op, to, from);
                              }) == FD_OK;
}

bool launch_binary(fd_binary_op op, const at::Tensor &out, const at::Tensor &a, const at::Tensor &b,
                   at::ScalarType dtype)
{
    if (!device_computes(dtype) || !device_computes(out.scalar_type()) ||
        !device_computes(a.scalar_type()) || !device_computes(b.scalar_type()))
        return false;
    const at::Tensor left = operand(a, dtype, out.device());
    const at::Tensor right = operand(b, dtype, out.device());
    return launch_elementwise("binary", out, {left, right},
                              [op](fd_stream *stream, const fd_tensor *to, const fd_tensor *from) {
                                  return fd_kernel_binary(stream, op, to, &from[0], &from[1]);
                              }) == FD_OK;
}

at::TensorIterator check_binary(const at::Tensor &out, const at::Tensor &a, const at::Tensor &b)
{
    return at::TensorIteratorConfig()
        .set_check_mem_overlap(true)
        .allow_cpu_scalars(true)
        .promote_inputs_to_common_dtype(true)
        .add_output(out)
        .add_const_input(a)
        .add_const_input(b)
        .build();
}

at::TensorIterator check_unary(const at::Tensor &out, const at::Tensor &in)
{
    return at::TensorIteratorConfig()
        .set_check_mem_overlap(true)
        .check_all_same_dtype(false)
        .add_output(out)
        .add_const_input(in)
        .build();
}

} // namespace fakedev
