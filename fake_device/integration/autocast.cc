/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Autocast: which operators change dtype inside torch.autocast("fakedev").
 *
 * For: mixed precision. The lists (lower precision, float32, float32 unless a dtype is given,
 * widest input) are PyTorch's own, by macro, so a new operator in them arrives with the next
 * release. Without: even a plain fallthrough missing makes every operator under autocast fail,
 * although is_autocast_available says True; with the fallthrough alone nothing is cast. Serves:
 * AMP-008 to AMP-018, AMP-022, AMP-023, INC-095.
 */
#include <ATen/autocast_mode.h>
#include <torch/library.h>

#include <map>

#include "fakedev.h"

namespace fakedev
{
namespace
{

/* The macros use these names without at::. */
using at::IntArrayRef;
using at::Scalar;
using at::ScalarType;
using at::Tensor;

at::Tensor refuse_binary_cross_entropy(const at::Tensor &, const at::Tensor &,
                                       const std::optional<at::Tensor> &, int64_t)
{
    TORCH_CHECK(!fd_fault("amp.banned_loss_without_advice"), "not supported");
    TORCH_CHECK(
        false,
        "torch.nn.functional.binary_cross_entropy and torch.nn.BCELoss are unsafe to "
        "autocast.\nMany models use a sigmoid layer right before the binary cross entropy "
        "layer.\nIn this case, combine the two layers using "
        "torch.nn.functional.binary_cross_entropy_with_logits\nor torch.nn.BCEWithLogitsLoss. "
        " binary_cross_entropy_with_logits and BCEWithLogits are\nsafe to autocast.");
}

/* The macros name the library `m`. */
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

/* For the fault. */
void register_narrowing(torch::Library &m){
#define FD_CAST(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, lower_precision_fp)
    AT_FORALL_PROMOTE(FD_CAST) FD_CAST(cat) FD_CAST(stack)
#undef FD_CAST
}

/* For the faults: products that do their own casting. */
at::Tensor to_autocast_dtype(const at::Tensor &x)
{
    return x.to(at::autocast::get_autocast_dtype(at::kPrivateUse1));
}

at::Tensor mm_casting_everything(const at::Tensor &a, const at::Tensor &b)
{
    const c10::impl::ExcludeDispatchKeyGuard below(c10::DispatchKey::AutocastPrivateUse1);

    return at::mm(to_autocast_dtype(a), to_autocast_dtype(b));
}

at::Tensor sum_casting_everything(const at::Tensor &x, std::optional<at::ScalarType>)
{
    const c10::impl::ExcludeDispatchKeyGuard below(c10::DispatchKey::AutocastPrivateUse1);

    return at::sum(x.to(at::kFloat));
}

at::Tensor mm_casting_each_time(const at::Tensor &a, const at::Tensor &b)
{
    const c10::impl::ExcludeDispatchKeyGuard below(c10::DispatchKey::AutocastPrivateUse1);
    const bool eligible = a.scalar_type() != at::kDouble && a.is_floating_point();

    return eligible ? at::mm(to_autocast_dtype(a), to_autocast_dtype(b)) : at::mm(a, b);
}

at::Tensor mm_casting_once_for_ever(const at::Tensor &a, const at::Tensor &b)
{
    static std::map<const void *, at::Tensor> *const casts = new std::map<const void *, at::Tensor>;
    const c10::impl::ExcludeDispatchKeyGuard below(c10::DispatchKey::AutocastPrivateUse1);
    at::Tensor &cast = (*casts)[b.unsafeGetTensorImpl()];

    if (!cast.defined())
        cast = to_autocast_dtype(b);
    return at::mm(to_autocast_dtype(a), cast);
}

at::Tensor mm_casting_always(const at::Tensor &a, const at::Tensor &b)
{
    const at::AutoDispatchBelowADInplaceOrView below;

    return at::mm(to_autocast_dtype(a), to_autocast_dtype(b));
}

} // namespace

TORCH_LIBRARY_IMPL(aten, AutogradPrivateUse1, m)
{
    if (fd_fault("amp.casts_when_disabled"))
        m.impl("mm", TORCH_FN(mm_casting_always));
}

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, m)
{
    if (!fd_fault("amp.no_registrations"))
        m.fallback(torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m)
{
    if (fd_fault("amp.no_registrations"))
        return;
    if (!fd_fault("amp.has_no_effect"))
        register_lower_precision(m);
    if (!fd_fault("amp.float32_list_stays_half"))
        register_float32(m);
    if (!fd_fault("amp.sums_stay_half"))
        register_float32_unless_given(m);
    if (fd_fault("amp.promote_takes_narrowest"))
        register_narrowing(m);
    else
        register_promotion(m);
    m.impl("binary_cross_entropy", TORCH_FN(refuse_binary_cross_entropy));
    if (fd_fault("amp.casts_every_dtype")) {
        m.impl("mm", TORCH_FN(mm_casting_everything));
        m.impl("sum", TORCH_FN(sum_casting_everything));
    }
    if (fd_fault("amp.casts_each_time"))
        m.impl("mm", TORCH_FN(mm_casting_each_time));
    if (fd_fault("amp.casts_once_for_ever"))
        m.impl("mm", TORCH_FN(mm_casting_once_for_ever));
}

} // namespace fakedev
