/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Faults of operators that core builds from other operators, of overloads and of attention. These
 * faults imitate defects of real backends.
 */
#include "faulty_parts.h"
#include "spoil.h"

#include <ATen/ATen.h>
#include <ATen/SDPBackend.h>
#include <ATen/native/transformers/attention.h>

namespace fakedev
{

namespace
{

void forget_alpha(const Call &call)
{
    *call.named("alpha") = 1;
}

void forget_bias(const Call &call)
{
    *call.named("bias") = c10::IValue();
}

void take_the_first_batch(const Call &call)
{
    const at::Tensor other = call.named("other")->toTensor();
    if (call.named("self")->toTensor().dim() > 3 && other.dim() > 2 && other.numel() > 0)
        *call.named("other") = other.flatten(0, -3)[0];
}

void look_for_its_override(const Call &call)
{
    TORCH_CHECK_NOT_IMPLEMENTED(false, call.op.schema().name(),
                                " not implemented. This is an operator for privateuse1 backends");
}

void see_the_future(const Call &call)
{
    *call.named("is_causal") = false;
}

void norm_on_the_other_side(const Call &call)
{
    *call.named("norm_first") = !call.named("norm_first")->toBool();
}

void take_order_two(const Call &call)
{
    *call.named("ord") = 2.0;
}

void make_contiguous(const Call &call)
{
    call.result() = call.result().toTensor().contiguous();
}

void refuse(const Call &call)
{
    TORCH_CHECK_NOT_IMPLEMENTED(false, "fakedev: ", call.op.schema().name(),
                                " is not supported yet");
}

int64_t choose_as_the_cpu(const at::Tensor &, const at::Tensor &, const at::Tensor &,
                          const std::optional<at::Tensor> &, double, bool, std::optional<double>,
                          bool)
{
    return static_cast<int64_t>(at::SDPBackend::flash_attention);
}

} // namespace

void choose_attention_as_the_cpu()
{
    at::native::_fused_sdp_choice_stub.set_privateuse1_dispatch_ptr(&choose_as_the_cpu);
}

Spoils spoiled_forms()
{
    const char *const attention = "aten::_scaled_dot_product_fused_attention_overrideable";
    Spoils spoils = {
        {"ops.chosen_attention_is_missing", attention, key, look_for_its_override},
        {"ops.convolution_is_missing", "aten::convolution_overrideable", key,
         look_for_its_override},
        {"ops.elementwise_is_contiguous", "aten::add.Tensor", key, after(make_contiguous)},
        {"ops.fast_path_norms_first", "aten::_transformer_encoder_layer_fwd", key,
         before(norm_on_the_other_side)},
        {"ops.fused_cell_is_missing", "aten::_thnn_fused_lstm_cell", key, look_for_its_override},
        {"ops.fused_attention_sees_the_future", attention, key, before(see_the_future)},
        {"ops.in_place_form_forgets_alpha", "aten::add_.Tensor", key, before(forget_alpha)},
        {"ops.linear_of_its_own_has_no_bias", "aten::linear", key, before(forget_bias), true},
        {"ops.matmul_of_its_own_takes_one_batch", "aten::matmul", key, before(take_the_first_batch),
         true},
        {"ops.norm_is_always_of_order_two", "aten::linalg_vector_norm.out", key,
         before(take_order_two)},
    };
    for (const char *const factory :
         {"aten::zeros", "aten::ones", "aten::full", "aten::arange", "aten::arange.start",
          "aten::arange.start_step", "aten::rand"})
        spoils.push_back({"ops.composed_factories_refused", factory, key, refuse, true});
    return spoils;
}

} // namespace fakedev
