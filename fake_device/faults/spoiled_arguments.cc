/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operators that treat their arguments wrongly. These faults imitate defects of real backends: conj
 * and neg bits, overlap, ranges, indices, and writes that a schema does not declare.
 */
#include "spoil.h"

#include <ATen/ATen.h>
#include <ATen/MemoryOverlap.h>
#include <ATen/native/CPUFallback.h>

#include <algorithm>

namespace fakedev
{

namespace
{

at::Tensor without_bit(const at::Tensor &tensor)
{
    return tensor.is_conj() ? tensor.conj() : tensor;
}

void ignore_conj(const Call &call)
{
    for (const char *name : {"self", "mat1", "mat2", "batch1", "batch2", "other", "tensor"})
        if (c10::IValue *operand = call.named(name))
            *operand = without_bit(operand->toTensor());
}

void ignore_conj_of_output(const Call &call)
{
    *call.named("out") = without_bit(call.named("out")->toTensor());
}

/* Runs PyTorch's own operator body, as if no DispatchStub were registered for the device. */
void look_for_stub(const Call &call)
{
    TORCH_INTERNAL_ASSERT(!call.argument(0).toTensor().is_complex(),
                          "DispatchStub: missing kernel for PrivateUse1");
    call.clean();
}

/* Writes to copies, as the CPU fallback does if the schema does not declare the write. */
void write_to_copies(const Call &call)
{
    for (const char *name : {"running_mean", "running_var"})
        if (call.named(name)->isTensor())
            *call.named(name) = call.named(name)->toTensor().clone();
}

void refuse_expanded(const Call &call)
{
    at::assert_no_internal_overlap(call.argument(0).toTensor());
}

void fall_back_at_once(const Call &call)
{
    at::native::cpu_fallback(call.op, call.stack);
}

void leave_new_memory(const Call &call)
{
    at::Context &context = at::globalContext();
    const bool before = context.deterministicFillUninitializedMemory();
    context.setDeterministicFillUninitializedMemory(false);
    call.clean();
    context.setDeterministicFillUninitializedMemory(before);
}

void wrap_byte(const Call &call)
{
    c10::IValue &value = *call.named("value");
    if (call.argument(0).toTensor().scalar_type() == at::kByte && value.isInt())
        value = value.toInt() & 0xff;
}

void clamp_bounds(const Call &call)
{
    constexpr double most = 10000;
    for (const char *name : {"from", "to"})
        *call.named(name) = std::clamp(call.named(name)->toDouble(), -most, most);
}

void count_past_the_dtype(const Call &call)
{
    const at::Tensor out = call.named("out")->toTensor();
    const at::Tensor wide = at::empty({0}, out.options().dtype(at::kLong));
    *call.named("out") = wide;
    call.clean();
    call.result() = out.resize_(wide.sizes()).copy_(wide);
}

void forget_imaginary_part(const Call &call)
{
    const at::Tensor self = call.argument(0).toTensor();
    call.clean();
    if (self.is_complex())
        at::view_as_real(self).select(-1, 1).zero_();
}

void raise_another_error(const Call &call)
{
    try {
        call.clean();
    } catch (const c10::IndexError &error) {
        TORCH_CHECK(false, error.what_without_backtrace());
    }
}

void take_foreign_indices(const Call &call)
{
    const at::Tensor self = call.argument(0).toTensor();
    c10::List<std::optional<at::Tensor>> indices;
    for (const std::optional<at::Tensor> &index : call.argument(1).toOptionalTensorVector())
        indices.push_back(index && index->defined() ? std::optional(index->to(self.device()))
                                                    : index);
    call.argument(1) = indices;
    if (self.is_privateuseone())
        return call.clean();
    call.op.callBoxed(*call.stack);
}

void cover_plain_dtypes_only(const Call &call)
{
    const at::ScalarType dtype = call.argument(0).toTensor().scalar_type();
    TORCH_CHECK_NOT_IMPLEMENTED(dtype != at::kComplexHalf && dtype != at::kComplexFloat, '"',
                                call.op.operator_name(), "\" not implemented for '", dtype, "'");
}

/* Saturates the sum at the limits of the 8-bit dtype. */
void saturate(const Call &call)
{
    const at::Tensor self = call.named("self")->toTensor();
    const at::Tensor other = call.named("other")->toTensor();
    const at::Scalar alpha = call.named("alpha")->toScalar();
    call.clean();
    at::Tensor sum = call.result().toTensor();
    if (sum.scalar_type() == at::kChar)
        sum.copy_(at::add(self.to(at::kInt), other.to(at::kInt), alpha).clamp(-128, 127));
    if (sum.scalar_type() == at::kByte)
        sum.copy_(at::add(self.to(at::kInt), other.to(at::kInt), alpha).clamp(0, 255));
}

void have_no_sizes(const Call &call)
{
    TORCH_CHECK_NOT_IMPLEMENTED(false, "Could not run '", call.op.operator_name(),
                                "' with arguments from the 'NestedTensorfakedev' backend.");
}

} // namespace

Spoils spoiled_arguments()
{
    Spoils spoils = {
        {"ops.products_ignore_conj", "aten::dot", key, before(ignore_conj)},
        {"ops.conj_physical_without_stub", "aten::conj_physical_", key, look_for_stub},
        {"fallback.hidden_writes_lost", "aten::native_batch_norm", key, before(write_to_copies)},
        {"fallback.overlap_unchecked", "aten::cumprod.out", key, fall_back_at_once},
        {"ops.resize_leaves_new_memory", "aten::resize_", key, leave_new_memory},
        {"ops.numbers_wrap", "aten::fill_.Scalar", key, before(wrap_byte)},
        {"ops.numbers_wrap", "aten::masked_fill_.Scalar", key, before(wrap_byte)},
        {"random.uniform_takes_any_bounds", "aten::uniform_", key, before(clamp_bounds)},
        {"random.randperm_wraps", "aten::randperm.generator_out", key, count_past_the_dtype},
        {"random.complex_uniform_is_real", "aten::uniform_", key, forget_imaginary_part},
        {"ops.index_errors_are_others", "aten::index.Tensor", key, raise_another_error},
        {"ops.foreign_indices_taken", "aten::index.Tensor", key, take_foreign_indices},
        {"ops.small_integers_saturate", "aten::add.out", key, saturate},
        {"ops.nested_sizes_missing", "aten::_nested_tensor_size",
         c10::DispatchKey::NestedTensorPrivateUse1, have_no_sizes},
    };
    for (const char *name :
         {"aten::mm.out", "aten::bmm.out", "aten::addmm.out", "aten::baddbmm.out"}) {
        spoils.push_back({"ops.products_ignore_conj", name, key, before(ignore_conj)});
        spoils.push_back({"ops.conj_output_ignored", name, key, before(ignore_conj_of_output)});
    }
    for (const char *name : {"aten::fill_.Scalar", "aten::masked_fill_.Scalar",
                             "aten::_index_put_impl_", "aten::index_fill_.int_Scalar"})
        spoils.push_back({"ops.expanded_write_refused", name, key, before(refuse_expanded)});
    for (const char *name : {"aten::abs.out", "aten::exp.out"})
        spoils.push_back({"ops.partial_kernel_raises", name, key, before(cover_plain_dtypes_only)});
    return spoils;
}

} // namespace fakedev
