/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operators. A call computes shapes and dtypes. Later the stream computes the values.
 */
#include "async_streams/async_streams.h"

#include <ATen/MemoryOverlap.h>
#include <ATen/native/Resize.h>

#include <vector>

namespace async_streams
{

namespace
{

using Tensors = std::vector<at::Tensor>;

/* Returns a meta tensor of this shape and dtype. A CPU scalar is returned unchanged, because type
 * promotion treats it as a number. */
at::Tensor outline(const at::Tensor &tensor)
{
    if (!tensor.is_privateuseone())
        return tensor;
    return at::empty_strided(tensor.sizes(), tensor.strides(), tensor.options().device(at::kMeta));
}

at::Tensor operand(const at::Tensor &tensor)
{
    if (tensor.is_privateuseone())
        return reading(tensor);
    at::Tensor copy = tensor.clone();
    copy.unsafeGetTensorImpl()->set_wrapped_number(
        tensor.unsafeGetTensorImpl()->is_wrapped_number());
    return copy;
}

template <typename Convert>
Tensors each(const Tensors &tensors, Convert convert)
{
    Tensors converted;
    for (const at::Tensor &tensor : tensors)
        converted.push_back(convert(tensor));
    return converted;
}

void check_places(const at::Tensor &out, const Tensors &operands)
{
    for (const at::Tensor &one : operands) { /* number-comes-second: `out` may be on the CPU */
        const bool is_number = one.is_cpu() && one.dim() == 0;
        TORCH_CHECK(is_number || one.device() == out.device(),
                    "Expected all tensors to be on the same device, but found ", one.device(),
                    " and ", out.device());
    }
}

/* Submits the work `body(out, operands)` to the stream. `body` fills an output from operands, on
 * the device and on meta. */
template <typename Body>
at::Tensor &give_work(at::Tensor &out, const Tensors &operands, Body body)
{
    check_places(out, operands);
    at::Tensor plan = at::empty({0}, out.options().device(at::kMeta));
    body(plan, each(operands, outline));
    at::native::resize_output(out, plan.sizes()); /* results-lie-in-rows */
    at::assert_no_internal_overlap(out);
    for (const at::Tensor &one : operands)
        at::assert_no_partial_overlap(out, one);
    give(queue(fleet::current_stream(out.device().index())),
         [body, to = writing(out), from = each(operands, operand)]() mutable { body(to, from); });
    return out;
}

/* ---- of one and of two operands --------------------------------------------------------------------- */

template <at::Tensor &(*compute)(const at::Tensor &, at::Tensor &)>
at::Tensor &of_one(const at::Tensor &self, at::Tensor &out)
{
    return give_work(out, {self},
                     [](at::Tensor &to, const Tensors &from) { compute(from[0], to); });
}

template <at::Tensor &(*compute)(const at::Tensor &, const at::Tensor &, at::Tensor &)>
at::Tensor &of_two(const at::Tensor &self, const at::Tensor &other, at::Tensor &out)
{
    return give_work(out, {self, other},
                     [](at::Tensor &to, const Tensors &from) { compute(from[0], from[1], to); });
}

template <at::Tensor &(*compute)(const at::Tensor &, const at::Scalar &, at::Tensor &)>
at::Tensor &with_number(const at::Tensor &self, const at::Scalar &number, at::Tensor &out)
{
    return give_work(out, {self}, [number](at::Tensor &to, const Tensors &from) {
        compute(from[0], number, to);
    });
}

template <at::Tensor &(*compute)(const at::Tensor &, const at::Tensor &, const at::Scalar &,
                                 at::Tensor &)>
at::Tensor &with_factor(const at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha,
                        at::Tensor &out)
{
    return give_work(out, {self, other}, [alpha](at::Tensor &to, const Tensors &from) {
        compute(from[0], from[1], alpha, to);
    });
}

at::Tensor &divide(const at::Tensor &self, const at::Tensor &other,
                   std::optional<c10::string_view> rounding, at::Tensor &out)
{
    const std::optional<std::string> mode =
        rounding ? std::optional<std::string>(std::string(*rounding)) : std::nullopt;
    return give_work(out, {self, other}, [mode](at::Tensor &to, const Tensors &from) {
        at::div_outf(from[0], from[1], mode ? std::optional<c10::string_view>(*mode) : std::nullopt,
                     to);
    });
}

at::Tensor relu(const at::Tensor &self)
{
    at::Tensor result = at::empty_like(self);
    return with_number<at::clamp_min_outf>(self, 0, result);
}

at::Tensor &relu_(at::Tensor &self)
{
    return with_number<at::clamp_min_outf>(self, 0, self);
}

at::Tensor &threshold_backward(const at::Tensor &gradient, const at::Tensor &self,
                               const at::Scalar &threshold, at::Tensor &out)
{
    return give_work(out, {gradient, self}, [threshold](at::Tensor &to, const Tensors &from) {
        if (to.is_meta())
            at::threshold_backward_outf(from[0], from[1], threshold, to);
        else
            to.copy_(at::where(from[1].ge(threshold), from[0], 0)); /* relu-gradient-everywhere */
    });
}

at::Tensor where(const at::Tensor &condition, const at::Tensor &self, const at::Tensor &other)
{
    const at::Tensor plan = at::where(outline(condition), outline(self), outline(other));
    const at::Device there = condition.is_privateuseone() ? condition.device()
                             : self.is_privateuseone()    ? self.device()
                                                          : other.device();
    at::Tensor result = at::empty(plan.sizes(), plan.options().device(there));
    return give_work(result, {condition, self, other}, [](at::Tensor &to, const Tensors &from) {
        if (!to.is_meta())
            at::where_outf(from[0], from[1], from[2], to);
        else
            at::native::resize_output(to, at::where(from[0], from[1], from[2]).sizes());
    });
}

at::Tensor &fill(at::Tensor &self, const at::Scalar &value)
{
    at::full({}, value, self.scalar_type()); /* throws for values that the dtype cannot represent */
    if (self.numel() > 0)
        give(queue(fleet::current_stream(self.device().index())),
             [value, to = writing(self)]() mutable { to.fill_(value); });
    return self;
}

at::Tensor &zero(at::Tensor &self)
{
    return fill(self, 0);
}

/* ---- reductions
 * ------------------------------------------------------------------------------------- */

using Reduce = at::Tensor &(*)(const at::Tensor &, at::OptionalIntArrayRef, bool,
                               std::optional<at::ScalarType>, at::Tensor &);

template <Reduce compute>
at::Tensor &over(const at::Tensor &self, at::OptionalIntArrayRef dims, bool keep,
                 std::optional<at::ScalarType> dtype, at::Tensor &out)
{
    std::optional<std::vector<int64_t>> which;
    if (dims)
        which = dims->vec();
    return give_work(out, {self}, [which, keep, dtype](at::Tensor &to, const Tensors &from) {
        compute(from[0], which ? at::OptionalIntArrayRef(*which) : at::OptionalIntArrayRef(), keep,
                dtype, to);
    });
}

void check_product(const at::Tensor &self)
{
    TORCH_CHECK(
        self.dim() == 0 || self.size(-1) > 0,
        "async_streams: a product over no elements is not offered"); /* empty-products-refused */
}

at::Tensor &mm(const at::Tensor &self, const at::Tensor &other, at::Tensor &out)
{
    check_product(self);
    return of_two<at::mm_outf>(self, other, out);
}

at::Tensor &bmm(const at::Tensor &self, const at::Tensor &other, at::Tensor &out)
{
    check_product(self);
    return of_two<at::bmm_outf>(self, other, out);
}

at::Tensor &addmm(const at::Tensor &self, const at::Tensor &left, const at::Tensor &right,
                  const at::Scalar &beta, const at::Scalar &alpha, at::Tensor &out)
{
    check_product(left);
    return give_work(out, {self, left, right}, [beta, alpha](at::Tensor &to, const Tensors &from) {
        at::addmm_outf(from[0], from[1], from[2], beta, alpha, to);
    });
}

at::Tensor &gather(const at::Tensor &self, int64_t dim, const at::Tensor &index, bool sparse,
                   at::Tensor &out)
{
    return give_work(out, {self, index}, [dim, sparse](at::Tensor &to, const Tensors &from) {
        at::gather_outf(from[0], dim, from[1], sparse, to);
    });
}

at::Tensor &cat(const at::ITensorListRef &tensors, int64_t dim, at::Tensor &out)
{
    const Tensors parts(tensors.begin(), tensors.end());
    return give_work(out, parts,
                     [dim](at::Tensor &to, const Tensors &from) { at::cat_outf(from, dim, to); });
}

at::Tensor &arange(const at::Scalar &start, const at::Scalar &end, const at::Scalar &step,
                   at::Tensor &out)
{
    return give_work(out, {}, [start, end, step](at::Tensor &to, const Tensors &) {
        at::arange_outf(start, end, step, to);
    });
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    library.impl("add.out", &with_factor<at::add_outf>);
    library.impl("sub.out", &with_factor<at::sub_outf>);
    library.impl("mul.out", &of_two<at::mul_outf>);
    library.impl("div.out", &of_two<at::div_outf>);
    library.impl("div.out_mode", &divide);
    library.impl("pow.Tensor_Scalar_out", &with_number<at::pow_outf>);
    library.impl("neg.out", &of_one<at::neg_outf>);
    library.impl("abs.out", &of_one<at::abs_outf>);
    library.impl("exp.out", &of_one<at::exp_outf>);
    library.impl("log.out", &of_one<at::log_outf>);
    library.impl("sqrt.out", &of_one<at::sqrt_outf>);
    library.impl("tanh.out", &of_one<at::tanh_outf>);
    library.impl("sigmoid.out", &of_one<at::sigmoid_outf>);
    library.impl("relu", &relu);
    library.impl("relu_", &relu_);
    library.impl("threshold_backward.grad_input", &threshold_backward);
    library.impl("tanh_backward.grad_input", &of_two<at::tanh_backward_outf>);
    library.impl("sigmoid_backward.grad_input", &of_two<at::sigmoid_backward_outf>);
    library.impl("eq.Tensor_out", &of_two<at::eq_outf>);
    library.impl("ne.Tensor_out", &of_two<at::ne_outf>);
    library.impl("lt.Tensor_out", &of_two<at::lt_outf>);
    library.impl("gt.Tensor_out", &of_two<at::gt_outf>);
    library.impl("eq.Scalar_out", &with_number<at::eq_outf>);
    library.impl("ne.Scalar_out", &with_number<at::ne_outf>);
    library.impl("lt.Scalar_out", &with_number<at::lt_outf>);
    library.impl("gt.Scalar_out", &with_number<at::gt_outf>);
    library.impl("where.self", &where);
    library.impl("all.all_out", &of_one<at::all_outf>);
    library.impl("fill_.Scalar", &fill);
    library.impl("zero_", &zero);
    library.impl("sum.IntList_out", &over<at::sum_outf>);
    library.impl("mean.out", &over<at::mean_outf>);
    library.impl("mm.out", &mm);
    library.impl("bmm.out", &bmm);
    library.impl("addmm.out", &addmm);
    library.impl("gather.out", &gather);
    library.impl("cat.out", &cat);
    library.impl("arange.start_out", &arange);
}

/* ---- other operators
 * -------------------------------------------------------------------------------- */

void refuse(const c10::OperatorHandle &op, torch::jit::Stack *)
{
    TORCH_CHECK(false, "async_streams does not offer ", op.schema().operator_name());
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library)
{
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&refuse>());
}

} // namespace

} // namespace async_streams
