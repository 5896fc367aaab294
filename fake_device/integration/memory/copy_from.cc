/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies: _copy_from. Core's copy_ calls this kernel for every copy with a device tensor on either
 * side.
 *
 * Purpose: to(), cpu(), copy_, clone, contiguous, casting, printing, item(), saving, the CPU
 * fallback.
 * If this file is removed, data can neither enter nor leave the device.
 * Traps: copy_ checks neither the shapes nor overlap before it calls this kernel. Each side may
 * be strided, of another dtype, conjugated or negated. Core has no fallthrough for the conj and neg
 * keys: if the kernel is registered at PrivateUse1 only, x.conj().cpu() overflows the stack.
 * Therefore the kernel is also registered at these keys.
 * Serves: OPS-009 to OPS-018, OPS-059, OPS-060, OPS-062, OPS-064, OPS-065, OPS-066, DEV-030,
 * QSN-014.
 */
#include <ATen/MemoryOverlap.h>
#include <torch/library.h>

#include "copy_transfer.h"
#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

/* Views the memory of a tensor without the conj and neg bits. */
at::Tensor without_bits(at::Tensor tensor)
{
    if (tensor.is_conj())
        tensor = tensor.conj();
    return tensor.is_neg() ? at::_neg_view(tensor) : tensor;
}

at::Tensor conjugated(const at::Tensor &tensor)
{
    return tensor.is_complex() ? at::conj_physical(tensor) : tensor;
}

at::Tensor negated(const at::Tensor &tensor)
{
    return tensor.scalar_type() == at::kBool ? tensor : at::neg(tensor);
}

/* Returns the values to store in the memory of `destination`, with the conj and neg bits of source
 * and destination applied. */
at::Tensor stored_values(const at::Tensor &source, const at::Tensor &destination)
{
    const bool conj = source.is_conj() != (destination.is_conj() && source.is_complex());
    const bool neg = source.is_neg() != destination.is_neg();
    at::Tensor values = without_bits(source);
    if (conj)
        values = conjugated(values);
    return neg ? negated(values) : values;
}

void warn_of_lost_imaginary_part(const at::Tensor &source, const at::Tensor &destination)
{
    if (!source.is_complex() || destination.is_complex())
        return;
    TORCH_WARN_ONCE("Casting complex values to real discards the imaginary part");
}

void transfer(const at::Tensor &source, const at::Tensor &destination, bool non_blocking)
{
    if (source.is_cpu())
        upload(source, destination, non_blocking);
    else if (destination.is_cpu())
        download(source, destination, non_blocking);
    else if (source.device() == destination.device())
        copy_within(source, destination);
    else
        copy_across(source, destination);
}

bool is_ours_or_cpu(const at::Tensor &tensor)
{
    return tensor.layout() == at::kStrided && (tensor.is_cpu() || tensor.is_privateuseone());
}

at::Tensor copy_from(const at::Tensor &self, const at::Tensor &dst, bool non_blocking)
{
    TORCH_CHECK_NOT_IMPLEMENTED(is_ours_or_cpu(self) && is_ours_or_cpu(dst),
                                "fakedev: no copy from ", self.device(), " (", self.layout(),
                                ") to ", dst.device(), " (", dst.layout(), ")");
    if (self.is_same(dst))
        return dst;
    const at::Tensor source = self.sizes() == dst.sizes() ? self : self.expand(dst.sizes());
    at::assert_no_internal_overlap(dst);
    at::assert_no_partial_overlap(dst, source);
    warn_of_lost_imaginary_part(self, dst);
    if (dst.numel() == 0)
        return dst;
    const KernelScope scope(dst.is_cpu() ? self : dst);
    transfer(stored_values(source, dst), without_bits(dst), non_blocking);
    return dst;
}

/* If the CPU resized a result, the device tensor must get the strides that the CPU kernel chose. */
at::Tensor copy_from_and_resize(const at::Tensor &self, const at::Tensor &dst)
{
    if (self.sizes() != dst.sizes()) {
        dst.resize_(self.sizes());
        if (self.is_non_overlapping_and_dense())
            dst.as_strided_(self.sizes(), self.strides());
    }
    return copy_from(self, dst, false);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("_copy_from", TORCH_FN(copy_from));
    m.impl("_copy_from_and_resize", TORCH_FN(copy_from_and_resize));
}

TORCH_LIBRARY_IMPL(aten, Conjugate, m)
{
    m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Negative, m)
{
    m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

} // namespace fakedev
