/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Autocast: the operators that change dtype inside torch.autocast("fakedev").
 *
 * Purpose: mixed precision. The lists (lower precision, float32, float32 unless a dtype is given,
 * widest input) come from PyTorch's macros, so the operators that a later release adds are
 * included. If this file is removed, there is no fallthrough, so every operator under autocast
 * fails although is_autocast_available returns True. If only the fallthrough remains, no operator
 * changes dtype.
 * Serves: AMP-008 to AMP-018, AMP-022, AMP-023, INC-095.
 */
#include <ATen/autocast_mode.h>
#include <torch/library.h>

namespace fakedev
{
namespace
{

/* The macros use these names without the prefix at::. */
using at::IntArrayRef;
using at::Scalar;
using at::ScalarType;
using at::Tensor;

at::Tensor refuse_binary_cross_entropy(const at::Tensor &, const at::Tensor &,
                                       const std::optional<at::Tensor> &, int64_t)
{
    TORCH_CHECK(
        false,
        "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to "
        "autocast.\nMany models use a sigmoid layer right before the binary cross entropy "
        "layer.\nIn this case, combine the two layers using "
        "torch.nn.functional.binary_cross_entropy_with_logits\nor torch.nn.BCEWithLogitsLoss. "
        " binary_cross_entropy_with_logits and BCEWithLogits are\nsafe to autocast.");
}

/* The macros require that the library is named `m`. */
void register_lower_precision(torch::Library &m)
{
#define FD_CAST(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
    AT_FORALL_LOWER_PRECISION_FP(FD_CAST)
#undef FD_CAST
}

void register_float32(torch::Library &m)
{
#define FD_CAST(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
    AT_FORALL_FP32(FD_CAST)
#undef FD_CAST
}

void register_float32_unless_given(torch::Library &m)
{
    using namespace at; // before torch 2.13, the macros name a type without its namespace
#define FD_CAST(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
    AT_FORALL_FP32_SET_OPT_DTYPE(FD_CAST)
#undef FD_CAST
    AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE)
}

void register_promotion(torch::Library &m)
{
#define FD_CAST(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)
    AT_FORALL_PROMOTE(FD_CAST)
    FD_CAST(cat)
    FD_CAST(stack)
#undef FD_CAST
}

} // namespace

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m)
{
    m.fallback(torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m)
{
    register_lower_precision(m);
    register_float32(m);
    register_float32_unless_given(m);
    register_promotion(m);
    m.impl("binary_cross_entropy", TORCH_FN(refuse_binary_cross_entropy));
}

} // namespace fakedev
