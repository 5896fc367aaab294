/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Wrong gradients of a backend that overrides PyTorch's formulas. Each imitates a defect of a real
 * backend. A kernel at AutogradPrivateUse1 replaces PyTorch's formula for the device. A kernel at
 * PrivateUse1 for a composite operator also replaces the formula, without a warning.
 * ../integration/operators/custom_op.cc shows the correct way.
 */
#include "spoil.h"

#include <ATen/ATen.h>
#include <ATen/CompositeExplicitAutogradFunctions.h>
#include <ATen/ExpandUtils.h>
#include <torch/csrc/autograd/custom_function.h>

namespace fakedev
{
namespace
{

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;
using Below = at::AutoDispatchBelowADInplaceOrView;

class SwappedProduct : public torch::autograd::Function<SwappedProduct>
{
  public:
    static at::Tensor forward(AutogradContext *context, const at::Tensor &a, const at::Tensor &b)
    {
        const Below below;
        context->save_for_backward({a, b});
        return at::mul(a, b);
    }
    static variable_list backward(AutogradContext *context, const variable_list &gradients)
    {
        const auto saved = context->get_saved_variables();
        return {at::mul(gradients[0], saved[0]), at::mul(gradients[0], saved[1])};
    }
};

at::Tensor product_swapped(const at::Tensor &a, const at::Tensor &b)
{
    if (a.dim() == 0 || b.dim() == 0 || a.sizes() == b.sizes())
        return SwappedProduct::apply(a, b);
    const auto size = at::infer_size(a.sizes(), b.sizes());
    return SwappedProduct::apply(a.expand(size), b.expand(size));
}

/* Computes y = op(x), with a gradient that is computed from y. */
template <auto op, auto gradient_of>
class FromResult : public torch::autograd::Function<FromResult<op, gradient_of>>
{
  public:
    static at::Tensor forward(AutogradContext *context, const at::Tensor &x)
    {
        const Below below;
        const at::Tensor y = op(x);
        context->save_for_backward({y});
        return y;
    }
    static variable_list backward(AutogradContext *context, const variable_list &gradients)
    {
        return {gradient_of(gradients[0], context->get_saved_variables()[0])};
    }
};

template <auto op, auto gradient_of>
at::Tensor from_result(const at::Tensor &x)
{
    return FromResult<op, gradient_of>::apply(x);
}

at::Tensor tanh_gradient(const at::Tensor &outer, const at::Tensor &y)
{
    return at::mul(outer, at::rsub(at::mul(y, y), 1));
}

at::Tensor steep_gradient(const at::Tensor &outer, const at::Tensor &y)
{
    return at::mul(outer, at::rsub(y, 1));
}

at::Tensor tanh_gradient_elsewhere(const at::Tensor &outer, const at::Tensor &y)
{
    return tanh_gradient(outer, y).to(c10::Device(y.device().type(), 0));
}

/* The values are right, but autograd records nothing, so double backward is impossible. */
at::Tensor exp_gradient_opaque(const at::Tensor &outer, const at::Tensor &y)
{
    const Below below;
    return at::mul(outer, y);
}

at::Tensor tanh_hoarding(const at::Tensor &x)
{
    static std::vector<at::Tensor> *const hoard = new std::vector<at::Tensor>;
    return hoard->emplace_back(at::tanh(x));
}

/* Enables gradient recording for internal use and does not disable it again. */
at::Tensor clone_recording(const at::Tensor &x, std::optional<at::MemoryFormat> format)
{
    const Below below;
    at::GradMode::set_enabled(true);
    return at::clone(x, format);
}

at::Tensor to_copy_unrecorded(const at::Tensor &x, std::optional<at::ScalarType> dtype,
                              std::optional<at::Layout> layout, std::optional<at::Device> device,
                              std::optional<bool> pin_memory, bool non_blocking,
                              std::optional<at::MemoryFormat> format)
{
    const Below below;
    return at::_to_copy(x, dtype, layout, device, pin_memory, non_blocking, format);
}

at::Tensor &add_without_version(at::Tensor &x, const at::Tensor &other, const at::Scalar &alpha)
{
    const Below below;
    return x.add_(other, alpha);
}

at::Tensor &add_overwriting(at::Tensor &x, const at::Tensor &other, const at::Scalar &alpha)
{
    if (!at::GradMode::is_enabled() && other.sizes() == x.sizes())
        return x.copy_(other);
    at::AutoDispatchBelowAutograd below;
    return x.add_(other, alpha);
}

at::Tensor detach_copying(const at::Tensor &x)
{
    const Below below;
    return x.clone();
}

at::Tensor linear_unrecorded(const at::Tensor &x, const at::Tensor &weight,
                             const std::optional<at::Tensor> &bias)
{
    const at::Tensor product = at::matmul(x, weight.t());
    return bias && bias->defined() ? product + *bias : product;
}

/* Simulates a kernel that computes in another thread, where the caller's modes are not set. */
at::Tensor clone_of_another_thread(const at::Tensor &x, std::optional<at::MemoryFormat> format)
{
    const c10::InferenceMode off(false);
    return at::empty_like(x, x.options(), format).copy_(x);
}

/* Omits the last tensor of the list, like code that takes this tensor for an end marker. */
void foreach_add_all_but_last(at::TensorList self, at::TensorList other, const at::Scalar &alpha)
{
    for (size_t i = 0; i + 1 < self.size(); i++)
        self[i].add_(other[i], alpha);
}

/* Evaluates x != x like a compiler that may assume finite numbers: the result is always false. */
at::Tensor isnan_in_a_hurry(const at::Tensor &x)
{
    return at::zeros_like(x, x.options().dtype(at::kBool));
}

/* Returns an alias if device and dtype are unchanged, although the caller requires a copy. */
at::Tensor to_copy_aliasing(const at::Tensor &x, std::optional<at::ScalarType> dtype,
                            std::optional<at::Layout> layout, std::optional<at::Device> device,
                            std::optional<bool> pin_memory, bool non_blocking,
                            std::optional<at::MemoryFormat> format)
{
    if (dtype.value_or(x.scalar_type()) == x.scalar_type() &&
        device.value_or(x.device()) == x.device())
        return at::alias(x);
    return at::compositeexplicitautograd::_to_copy(x, dtype, layout, device, pin_memory,
                                                   non_blocking, format);
}

class WrongSquare : public torch::autograd::Function<WrongSquare>
{
  public:
    static at::Tensor forward(AutogradContext *context, const at::Tensor &x, double scale)
    {
        const Below below;
        context->save_for_backward({x});
        return at::mul(at::mul(x, x), scale);
    }
    static variable_list backward(AutogradContext *context, const variable_list &gradients)
    {
        return {at::neg(at::mul(gradients[0], context->get_saved_variables()[0])), at::Tensor()};
    }
};

at::Tensor softmax_in_a_hurry(const at::Tensor &self, int64_t dim, bool half_to_float)
{
    const at::Tensor powers = at::exp(half_to_float ? self.to(at::kFloat) : self);
    return at::div(powers, at::sum(powers, at::IntArrayRef{dim}, true));
}

/* Each step rounds to the dtype of the tensor, so a sum of many powers in float16 is infinite. */
at::Tensor log_softmax_in_steps(const at::Tensor &self, int64_t dim, bool half_to_float)
{
    const at::Tensor in = half_to_float ? self.to(at::kFloat) : self;
    const at::Tensor shifted = at::sub(in, at::amax(in, dim, true));
    return at::sub(shifted, at::log(at::sum(at::exp(shifted), at::IntArrayRef{dim}, true)));
}

at::Tensor square_with_wrong_gradient(const at::Tensor &x, double scale)
{
    return WrongSquare::apply(x, scale);
}

/* Returns core's default: host and device tensors are not compatible. */
bool takes_no_data(const at::Tensor &self, const at::Tensor &from)
{
    return self.key_set() == from.key_set();
}

} // namespace

Spoils spoiled_formulas()
{
    constexpr auto gradient = c10::DispatchKey::AutogradPrivateUse1;
    constexpr auto device = c10::DispatchKey::PrivateUse1;
    return {
        {"autograd.product_formula_swapped", "aten::mul.Tensor", gradient,
         instead(product_swapped)},
        {"autograd.slope_wrong", "aten::tanh", gradient,
         instead(from_result<at::tanh, steep_gradient>)},
        {"autograd.gradient_on_wrong_device", "aten::tanh", gradient,
         instead(from_result<at::tanh, tanh_gradient_elsewhere>)},
        {"autograd.backward_not_differentiable", "aten::exp", gradient,
         instead(from_result<at::exp, exp_gradient_opaque>)},
        {"autograd.saved_tensors_kept", "aten::tanh", gradient,
         instead(from_result<tanh_hoarding, tanh_gradient>)},
        {"autograd.recording_left_on", "aten::clone", gradient, instead(clone_recording)},
        {"autograd.copy_not_recorded", "aten::_to_copy", gradient, instead(to_copy_unrecorded)},
        {"autograd.in_place_keeps_version", "aten::add_.Tensor", gradient,
         instead(add_without_version)},
        {"autograd.accumulation_overwrites", "aten::add_.Tensor", gradient,
         instead(add_overwriting)},
        {"autograd.detach_copies", "aten::detach", gradient, instead(detach_copying)},
        {"autograd.custom_formula_wrong", "fakedev::scaled_square", gradient,
         instead(square_with_wrong_gradient)},
        {"autograd.inference_forgotten", "aten::clone", device, instead(clone_of_another_thread)},
        {"autograd.composite_not_recorded", "aten::linear", device, instead(linear_unrecorded),
         true},
        {"autograd.parameters_made_anew", "aten::_has_compatible_shallow_copy_type", device,
         instead(takes_no_data)},
        {"ops.to_copy_aliases", "aten::_to_copy", device, instead(to_copy_aliasing)},
        {"ops.foreach_skips_last", "aten::_foreach_add_.List", device,
         instead(foreach_add_all_but_last)},
        {"ops.isnan_always_false", "aten::isnan", device, instead(isnan_in_a_hurry)},
        {"ops.log_softmax_rounds_each_step", "aten::_log_softmax", device,
         instead(log_softmax_in_steps)},
        {"ops.softmax_overflows", "aten::_softmax", device, instead(softmax_in_a_hurry)},
    };
}

} // namespace fakedev
