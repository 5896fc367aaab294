/* SPDX-License-Identifier: BSD-3-Clause
 *
 * DispatchStub registrations: abs, and the choice of an attention kernel.
 *
 * Purpose: some of PyTorch's operator bodies look up only the arithmetic in a table per device
 * type. The body makes the checks and creates the TensorIterator, and the stub computes. If this
 * file is removed, abs raises "DispatchStub: missing kernel for abs_stub". The choice of the
 * attention kernel runs through the CPU fallback, which returns the CPU's choice (flash).
 * Traps: a stub is used only if the operator that calls it is registered for the device, so abs.out
 * is registered with PyTorch's own body. The iterator may have reordered and merged dims, so the
 * stub takes shapes and strides from the iterator and not from the tensors. A stub cannot fall back
 * to the CPU: its caller must send unsupported calls to the CPU.
 * Serves: STUB-001 to STUB-006, STUB-009, STUB-010, OPS-044.
 */
#include <ATen/SDPBackend.h>
#include <ATen/native/DispatchStub.h>
#include <ATen/native/UnaryOps.h>
#include <ATen/native/transformers/attention.h>
#include <ATen/ops/abs_native.h>
#include <torch/library.h>

#include "cpu_fallback.h"
#include "status.h"
#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

/* The iterator has the fastest dim first, and its strides count bytes. */
struct fd_tensor describe_operand(const at::TensorIteratorBase &iterator, int index)
{
    struct fd_tensor result = {};
    const auto item = static_cast<int64_t>(iterator.element_size(index));
    result.data = iterator.data_ptr(index);
    result.dtype = driver_dtype(iterator.dtype(index));
    result.dims = iterator.ndim();
    for (int dim = 0; dim < iterator.ndim(); dim++) {
        const auto from = static_cast<size_t>(iterator.ndim() - 1 - dim);
        result.sizes[dim] = iterator.shape()[from];
        result.strides[dim] = iterator.strides(index)[from] / item;
    }
    return result;
}

void abs_kernel(at::TensorIteratorBase &iterator)
{
    TORCH_CHECK_NOT_IMPLEMENTED(iterator.ndim() <= FD_MAX_DIMS, "fakedev: abs takes at most ",
                                FD_MAX_DIMS, " dims that do not merge");
    const KernelScope scope(iterator.device(0));
    const struct fd_tensor out = describe_operand(iterator, 0);
    const struct fd_tensor in = describe_operand(iterator, 1);

    check(fd_kernel_unary(scope.stream(), FD_ABS, &out, &in), "abs");
}

at::Tensor &abs_out(const at::Tensor &self, at::Tensor &out)
{
    if (!device_computes(self.scalar_type()) || !device_computes(out.scalar_type()))
        return on_cpu<at::_ops::abs_out>(self, out);
    return at::native::abs_out(self, out);
}

/* With dropout, the backward would have to draw the same mask again. Therefore dropout uses the
 * composed implementation (math). If the user has disabled both implementations
 * (torch.nn.attention.sdpa_kernel), returns `error`, and core raises. */
int64_t attention_choice(const at::Tensor &query, const at::Tensor & /*key*/,
                         const at::Tensor & /*value*/, const std::optional<at::Tensor> & /*mask*/,
                         double dropout, bool /*causal*/, std::optional<double> /*scale*/,
                         bool grouped)
{
    const at::Context &context = at::globalContext();
    const bool ours = dropout == 0.0 && query.dim() == 4 && !grouped && query.is_floating_point() &&
                      !query.is_nested();
    return static_cast<int64_t>(ours && context.userEnabledOverrideableSDP()
                                    ? at::SDPBackend::overrideable
                                : context.userEnabledMathSDP() ? at::SDPBackend::math
                                                               : at::SDPBackend::error);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("abs.out", TORCH_FN(abs_out));
    m.impl("_fused_sdp_choice", TORCH_FN(attention_choice));
}

} // namespace fakedev

namespace at::native
{

REGISTER_PRIVATEUSE1_DISPATCH(abs_stub, &fakedev::abs_kernel)
REGISTER_PRIVATEUSE1_DISPATCH(_fused_sdp_choice_stub, &fakedev::attention_choice)

} // namespace at::native
