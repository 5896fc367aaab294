/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Faults of autocast and the gradient scaler that imitate defects of real backends.
 */
#include "spoil.h"

#include <ATen/ATen.h>
#include <ATen/autocast_mode.h>

#include <map>

namespace fakedev
{

namespace
{

constexpr auto autocast_key = c10::DispatchKey::AutocastPrivateUse1;
using Names = std::vector<std::string>;

/* Converts "norm, Scalar", the form in PyTorch's macros, to aten::norm.Scalar. */
std::string operator_name(std::string text)
{
    const size_t comma = text.find(", ");
    if (comma != std::string::npos)
        text.replace(comma, 2, ".");
    return "aten::" + text;
}

#define FD_NAME(...) operator_name(#__VA_ARGS__),
#define FD_REGISTERED_NAME(function, name, ...) operator_name(name),

const Names &lower_precision()
{
    static const auto *const names = new Names{AT_FORALL_LOWER_PRECISION_FP(FD_NAME)};
    return *names;
}

const Names &float32()
{
    static const auto *const names = new Names{AT_FORALL_FP32(FD_NAME)};
    return *names;
}

const Names &float32_unless_given()
{
    static const auto *const names = new Names{AT_FORALL_FP32_SET_OPT_DTYPE(
        FD_NAME) AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(FD_REGISTERED_NAME)};
    return *names;
}

const Names &promoted()
{
    static const auto *const names =
        new Names{AT_FORALL_PROMOTE(FD_NAME) "aten::cat", "aten::stack"};
    return *names;
}

at::Tensor narrow(const at::Tensor &x)
{
    return x.defined() && x.is_floating_point()
               ? x.to(at::autocast::get_autocast_dtype(at::kPrivateUse1))
               : x;
}

void narrow_all(const Call &call)
{
    for (size_t i = 0; i < call.argument_count(); i++) {
        c10::IValue &value = call.argument(i);
        if (value.isTensor()) {
            value = narrow(value.toTensor());
        } else if (value.isTensorList()) {
            std::vector<at::Tensor> all;
            for (const at::Tensor &tensor : value.toTensorVector())
                all.push_back(narrow(tensor));
            value = all;
        }
    }
    call.below_autocast();
}

/* ---- products that do their own casting ---- */

at::Tensor to_autocast_dtype(const at::Tensor &x)
{
    return x.to(at::autocast::get_autocast_dtype(at::kPrivateUse1));
}

at::Tensor mm_casting_everything(const at::Tensor &a, const at::Tensor &b)
{
    const c10::impl::ExcludeDispatchKeyGuard below(autocast_key);
    return at::mm(to_autocast_dtype(a), to_autocast_dtype(b));
}

at::Tensor sum_casting_everything(const at::Tensor &x, std::optional<at::ScalarType>)
{
    const c10::impl::ExcludeDispatchKeyGuard below(autocast_key);
    return at::sum(x.to(at::kFloat));
}

at::Tensor mm_casting_each_time(const at::Tensor &a, const at::Tensor &b)
{
    const c10::impl::ExcludeDispatchKeyGuard below(autocast_key);
    const bool eligible = a.scalar_type() != at::kDouble && a.is_floating_point();
    return eligible ? at::mm(to_autocast_dtype(a), to_autocast_dtype(b)) : at::mm(a, b);
}

at::Tensor mm_casting_once_for_ever(const at::Tensor &a, const at::Tensor &b)
{
    static std::map<const void *, at::Tensor> *const casts = new std::map<const void *, at::Tensor>;
    const c10::impl::ExcludeDispatchKeyGuard below(autocast_key);
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

/* ---- the rest ---- */

void refuse_without_advice(const Call &)
{
    TORCH_CHECK(false, "not supported");
}

void refuse_as_unregistered(const Call &call)
{
    TORCH_CHECK_NOT_IMPLEMENTED(false, "Could not run '", call.op.operator_name(),
                                "' with arguments from the 'AutocastPrivateUse1' backend.");
}

/* Calls the operator, then restores the argument that the operator has changed. */
Wrong keeping(const char *name)
{
    return [name](const Call &call) {
        const at::Tensor tensor = call.named(name)->toTensor();
        const at::Tensor kept = tensor.clone();

        call.clean();
        at::Tensor(tensor).copy_(kept);
    };
}

void ones_for_scale(const Call &call)
{
    *call.named("inv_scale") = at::ones_like(call.named("inv_scale")->toTensor());
}

Wrong with_factor_one(const char *name)
{
    return before([name](const Call &call) { *call.named(name) = 1.0; });
}

void add_all(Spoils &spoils, const char *fault, const Names &names, const Wrong &wrong)
{
    for (const std::string &name : names)
        spoils.push_back({fault, name, autocast_key, wrong});
}

} // namespace

Spoils spoiled_autocast()
{
    constexpr auto device = c10::DispatchKey::PrivateUse1;
    const char *const unscale = "aten::_amp_foreach_non_finite_check_and_unscale_";
    const char *const update = "aten::_amp_update_scale_";
    Spoils spoils = {
        {"amp.banned_loss_without_advice", "aten::binary_cross_entropy", autocast_key,
         refuse_without_advice},
        {"amp.casts_every_dtype", "aten::mm", autocast_key, instead(mm_casting_everything)},
        {"amp.casts_every_dtype", "aten::sum", autocast_key, instead(sum_casting_everything)},
        {"amp.casts_each_time", "aten::mm", autocast_key, instead(mm_casting_each_time)},
        {"amp.casts_once_for_ever", "aten::mm", autocast_key, instead(mm_casting_once_for_ever)},
        {"amp.casts_when_disabled", "aten::mm", c10::DispatchKey::AutogradPrivateUse1,
         instead(mm_casting_always)},
        {"amp.scaler_misses_inf", unscale, device, keeping("found_inf")},
        {"amp.unscale_not_applied", unscale, device, before(ones_for_scale)},
        {"amp.update_scale_never_grows", update, device, with_factor_one("scale_growth_factor")},
        {"amp.backoff_ignored", update, device, with_factor_one("scale_backoff_factor")},
        {"amp.growth_not_counted", update, device, keeping("growth_tracker")},
    };
    const auto below = [](const Call &call) { call.below_autocast(); };
    add_all(spoils, "amp.has_no_effect", lower_precision(), below);
    add_all(spoils, "amp.float32_list_stays_half", float32(), below);
    add_all(spoils, "amp.sums_stay_half", float32_unless_given(), below);
    add_all(spoils, "amp.promote_takes_narrowest", promoted(), narrow_all);
    for (const Names &names :
         {lower_precision(), float32(), float32_unless_given(), promoted(), kernels_for(device)})
        add_all(spoils, "amp.no_registrations", names, refuse_as_unregistered);
    return spoils;
}

} // namespace fakedev
