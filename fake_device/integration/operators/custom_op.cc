/* SPDX-License-Identifier: BSD-3-Clause
 *
 * An operator of this backend with a gradient: fakedev::scaled_square(x, scale) = scale * x * x.
 *
 * Purpose: shows how to add an operator that PyTorch does not have. The schema is defined once. A
 * kernel at PrivateUse1 computes the result. An autograd Function at AutogradPrivateUse1 records
 * the backward, and calls the kernel below autograd for the forward. A meta kernel gives
 * torch.compile and FakeTensor the shape. If the Function is removed, backward through the operator
 * has no formula, and PyTorch only warns by default. For one of PyTorch's own operators, a kernel
 * at AutogradPrivateUse1 overrides the gradient.
 * Serves: OPS-036 to OPS-038, AGRD-008, AGRD-009, COMP-025.
 */
#include <torch/csrc/autograd/custom_function.h>
#include <torch/library.h>

#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

at::Tensor call(const at::Tensor &x, double scale)
{
    static const auto handle = c10::Dispatcher::singleton()
                                   .findSchemaOrThrow("fakedev::scaled_square", "")
                                   .typed<at::Tensor(const at::Tensor &, double)>();
    return handle.call(x, scale);
}

at::Tensor scaled_square(const at::Tensor &x, double scale)
{
    const KernelScope scope(x);
    return at::mul(at::mul(x, x), scale);
}

at::Tensor scaled_square_meta(const at::Tensor &x, double)
{
    return at::empty_like(x);
}

class ScaledSquare : public torch::autograd::Function<ScaledSquare>
{
  public:
    static at::Tensor forward(torch::autograd::AutogradContext *context, const at::Tensor &x,
                              double scale)
    {
        const at::AutoDispatchBelowADInplaceOrView below;
        context->save_for_backward({x});
        context->saved_data["scale"] = scale;
        return call(x, scale);
    }
    static torch::autograd::variable_list backward(torch::autograd::AutogradContext *context,
                                                   torch::autograd::variable_list gradients)
    {
        const at::Tensor x = context->get_saved_variables()[0];
        const double scale = context->saved_data["scale"].toDouble();
        const at::Tensor slope = at::mul(x, 2 * scale);
        return {at::mul(gradients[0], slope), at::Tensor()};
    }
};

at::Tensor scaled_square_autograd(const at::Tensor &x, double scale)
{
    return ScaledSquare::apply(x, scale);
}

} // namespace

TORCH_LIBRARY(fakedev, m)
{
    m.def("scaled_square(Tensor x, float scale) -> Tensor");
}

TORCH_LIBRARY_IMPL(fakedev, PrivateUse1, m)
{
    m.impl("scaled_square", TORCH_FN(scaled_square));
}

TORCH_LIBRARY_IMPL(fakedev, Meta, m)
{
    m.impl("scaled_square", TORCH_FN(scaled_square_meta));
}

TORCH_LIBRARY_IMPL(fakedev, AutogradPrivateUse1, m)
{
    m.impl("scaled_square", TORCH_FN(scaled_square_autograd));
}

} // namespace fakedev
