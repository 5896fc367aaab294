/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Autocast: the operators that change dtype inside torch.autocast("foo"). The lists are PyTorch's
 * macros, so an operator that a later release adds to them is included.
 */
#include <ATen/autocast_mode.h>
#include <torch/library.h>

namespace foo
{

namespace
{

using namespace at; // the macros name types without their namespace

#define FOO_LOWER(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
#define FOO_FLOAT32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
#define FOO_FLOAT32_UNLESS_GIVEN(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
#define FOO_WIDEST(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)

Tensor refuse_binary_cross_entropy(const Tensor &, const Tensor &, const std::optional<Tensor> &,
                                   int64_t)
{
    TORCH_CHECK(false,
                "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to "
                "autocast; use binary_cross_entropy_with_logits or BCEWithLogitsLoss");
}

} // namespace

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m)
{
    m.fallback(torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m)
{
    AT_FORALL_LOWER_PRECISION_FP(FOO_LOWER)
    AT_FORALL_FP32(FOO_FLOAT32)
    AT_FORALL_FP32_SET_OPT_DTYPE(FOO_FLOAT32_UNLESS_GIVEN)
    AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE)
    AT_FORALL_PROMOTE(FOO_WIDEST)
    m.impl("binary_cross_entropy", TORCH_FN(refuse_binary_cross_entropy));
}

} // namespace foo
