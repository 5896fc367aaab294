/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operators: elementwise ones as kernels, everything else on the CPU. A kernel is made for
 * operands of one floating or complex type that are all on the device; other calls fall back.
 */
#include "jit_operators.h"
#include "jit_device.h"
#include "jit_kernels.h"

#include <ATen/ATen.h>
#include <ATen/EmptyTensor.h>
#include <ATen/TensorIterator.h>
#include <ATen/native/CPUFallback.h>
#include <ATen/native/Resize.h>
#include <ATen/native/TensorFactories.h>
#include <torch/library.h>

#include <cmath>
#include <cstring>

namespace jit
{

/* The same bytes as a tensor of the CPU: for copies, and for what the host does anyway. */
at::Tensor on_host(const at::Tensor &self)
{
    if (self.is_cpu())
        return self;
    at::Tensor host = at::from_blob(const_cast<void *>(self.const_data_ptr()), self.sizes(),
                                    self.strides(), self.options().device(at::kCPU));
    if (self.is_conj())
        host = host.conj();
    return self.is_neg() ? host._neg_view() : host;
}

const char *type_name(at::ScalarType type)
{
    switch (type) {
    case at::kFloat:
        return "float";
    case at::kDouble:
        return "double";
    case at::kHalf:
        return "_Float16";
    case at::kComplexFloat:
        return "std::complex<float>";
    case at::kComplexDouble:
        return "std::complex<double>";
    default:
        return nullptr;
    }
}

namespace
{

void cpu_fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    at::native::cpu_fallback(op, stack);
}

/* ---- memory of tensors ----------------------------------------------------------------------- */

c10::Allocator *allocator()
{
    return c10::GetAllocator(c10::kPrivateUse1);
}

void check_factory(std::optional<at::Layout> layout, std::optional<at::Device> device,
                   std::optional<bool> pin_memory)
{
    TORCH_CHECK(!pin_memory.value_or(false), "Only dense CPU tensors can be pinned");
    TORCH_CHECK(layout.value_or(at::kStrided) == at::kStrided, "jit: only strided tensors");
    TORCH_CHECK(!device || device->index() == 0 || device->index() == -1,
                "jit: there is no device ", static_cast<int>(device->index()), ", only 0");
}

constexpr c10::DispatchKeySet keys(c10::DispatchKey::PrivateUse1);

at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> type,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool> pin_memory, std::optional<at::MemoryFormat> format)
{
    check_factory(layout, device, pin_memory);
    return at::detail::empty_generic(sizes, allocator(), keys, c10::dtype_or_default(type), format);
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides,
                         std::optional<at::ScalarType> type, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool> pin_memory)
{
    check_factory(layout, device, pin_memory);
    return at::detail::empty_strided_generic(sizes, strides, allocator(), keys,
                                             c10::dtype_or_default(type));
}

at::Tensor copy_from(const at::Tensor &self, const at::Tensor &target, bool /*non_blocking*/)
{
    on_host(target).copy_(on_host(self));
    return target;
}

const at::Tensor &resize_(const at::Tensor &self, at::IntArrayRef sizes,
                          std::optional<at::MemoryFormat> format)
{
    at::TensorImpl *const impl = self.unsafeGetTensorImpl();

    at::native::check_size_nonnegative(sizes);
    impl->set_sizes_contiguous(sizes);
    if (format && *format != at::MemoryFormat::Preserve)
        impl->empty_tensor_restride(*format);
    const size_t bytes =
        at::detail::computeStorageNbytes(impl->sizes(), impl->strides(), self.itemsize(),
                                         static_cast<size_t>(self.storage_offset()));
    if (self.numel() && bytes > self.storage().nbytes())
        at::detail::getPrivateUse1Hooks().resizePrivateUse1Bytes(self.storage(), bytes);
    return self;
}

at::Tensor copy_from_and_resize(const at::Tensor &self, const at::Tensor &target)
{
    target.resize_(self.sizes());
    return copy_from(self, target, false);
}

at::Scalar local_scalar_dense(const at::Tensor &self)
{
    return on_host(self).clone().item();
}

at::Tensor as_strided(const at::Tensor &self, c10::SymIntArrayRef sizes,
                      c10::SymIntArrayRef strides, std::optional<c10::SymInt> offset)
{
    return at::native::as_strided_tensorimpl(
        self, C10_AS_INTARRAYREF_SLOW(sizes), C10_AS_INTARRAYREF_SLOW(strides),
        offset ? std::optional<int64_t>(offset->expect_int()) : std::nullopt);
}

at::Tensor &set_source(at::Tensor &self, at::Storage source, int64_t offset, at::IntArrayRef sizes,
                       at::IntArrayRef strides)
{
    TORCH_CHECK(source.device() == self.device(), "jit: a tensor on ", self.device(),
                " cannot have a storage on ", source.device());
    return at::native::set_storage_meta__symint(self, std::move(source), offset,
                                                c10::fromIntArrayRefSlow(sizes),
                                                c10::fromIntArrayRefSlow(strides));
}

at::Tensor &set_storage(at::Tensor &self, at::Storage source)
{
    const int64_t count = static_cast<int64_t>(source.nbytes() / self.itemsize());
    return set_source(self, std::move(source), 0, {count}, {1});
}

at::Tensor &set_tensor(at::Tensor &self, const at::Tensor &source)
{
    return set_source(self, source.storage(), source.storage_offset(), source.sizes(),
                      source.strides());
}

/* ---- elementwise kernels --------------------------------------------------------------------- */

void run(at::TensorIteratorBase &iterator, const std::string &body)
{
    const std::string type = type_name(iterator.dtype(0));
    Launch what;

    if (iterator.numel() == 0)
        return;
    for (int dim = 0; dim < std::min(iterator.ndim(), max_dims); dim++) {
        what.sizes[static_cast<size_t>(dim)] = iterator.shape()[static_cast<size_t>(dim)];
        for (int i = 0; i < iterator.ntensors(); i++)
            what.strides[static_cast<size_t>(i)][static_cast<size_t>(dim)] =
                iterator.strides(i)[static_cast<size_t>(dim)];
    }
    for (int i = 0; i < iterator.ntensors(); i++)
        what.data[static_cast<size_t>(i)] = static_cast<char *>(iterator.data_ptr(i));
    launch("using T = " + type + "; using A = T; using B = T;\n", body, what);
}

template <typename Op, typename... Arguments>
at::Tensor &fall_back(Arguments &&...arguments)
{
    return at::native::call_fallback_fn<&cpu_fallback, Op>::call(
        std::forward<Arguments>(arguments)...);
}

/* Whether all are on the device and of one type that kernels are written in. */
bool same_kind(const at::Tensor &self, const at::Tensor &other, const at::Tensor &out)
{
    return self.is_privateuseone() && other.is_privateuseone() && out.is_privateuseone() &&
           self.scalar_type() == other.scalar_type() && out.scalar_type() == self.scalar_type() &&
           type_name(self.scalar_type()) && !self.is_conj() && !other.is_conj() && !out.is_conj() &&
           !self.is_neg() && !other.is_neg() && !out.is_neg();
}

at::Tensor &binary(const at::Tensor &self, const at::Tensor &other, at::Tensor &out,
                   const std::string &body)
{
    auto iterator = at::TensorIterator::binary_op(out, self, other);
    run(iterator, body);
    return out;
}

/* alpha is part of the kernel: the compiler folds it. */
std::string times(const at::Scalar &alpha)
{
    return "T(" + std::to_string(alpha.toDouble()) + ") * b";
}

at::Tensor &add_out(const at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha,
                    at::Tensor &out)
{
    if (!same_kind(self, other, out) || alpha.isComplex())
        return fall_back<ATEN_OP2(add, out)>(self, other, alpha, out);
    return binary(self, other, out, "out = a + " + times(alpha) + ";");
}

at::Tensor &sub_out(const at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha,
                    at::Tensor &out)
{
    if (!same_kind(self, other, out) || alpha.isComplex())
        return fall_back<ATEN_OP2(sub, out)>(self, other, alpha, out);
    return binary(self, other, out, "out = a - " + times(alpha) + ";");
}

at::Tensor &mul_out(const at::Tensor &self, const at::Tensor &other, at::Tensor &out)
{
    if (!same_kind(self, other, out))
        return fall_back<ATEN_OP2(mul, out)>(self, other, out);
    return binary(self, other, out, "out = a * b;");
}

at::Tensor &div_out(const at::Tensor &self, const at::Tensor &other, at::Tensor &out)
{
    if (!same_kind(self, other, out))
        return fall_back<ATEN_OP2(div, out)>(self, other, out);
    return binary(self, other, out, "out = a / b;");
}

at::Tensor &neg_out(const at::Tensor &self, at::Tensor &out)
{
    if (!same_kind(self, self, out))
        return fall_back<ATEN_OP2(neg, out)>(self, out);
    auto iterator = at::TensorIterator::unary_op(out, self);
    run(iterator, "out = -a;");
    return out;
}

at::Tensor &sigmoid_out(const at::Tensor &self, at::Tensor &out)
{
    if (!same_kind(self, self, out))
        return fall_back<ATEN_OP2(sigmoid, out)>(self, out);
    auto iterator = at::TensorIterator::unary_float_op(out, self);
    run(iterator, "out = 1 / (1 + std::exp(-a));");
    return out;
}

at::Tensor &fill_scalar(at::Tensor &self, const at::Scalar &value)
{
    on_host(self).fill_(value);
    return self;
}

/* ---- what autocast's scaler needs, and a normalisation --------------------------------------- */

void unscale_(at::TensorList gradients, at::Tensor &found, const at::Tensor &inverse_scale)
{
    const at::Tensor factor = on_host(inverse_scale);
    bool overflow = false;

    for (const at::Tensor &gradient : gradients) {
        at::Tensor values = on_host(gradient);
        overflow = overflow || values.isinf().any().item<bool>();
        values.mul_(factor);
    }
    if (overflow)
        on_host(found).fill_(1);
}

at::Tensor &update_scale_(at::Tensor &self, at::Tensor &growth_tracker, const at::Tensor &found,
                          double growth, double backoff, int64_t interval)
{
    at::Tensor scale = on_host(self), tracker = on_host(growth_tracker);

    if (on_host(found).item<float>() != 0) {
        scale.mul_(backoff);
        tracker.zero_();
    } else if (tracker.add_(1).item<int>() >= interval) {
        scale.mul_(growth);
        tracker.zero_();
    }
    return self;
}

/* In one pass over the rows, where PyTorch's own makes five. */
at::Tensor rms_norm(const at::Tensor &input, c10::SymIntArrayRef shape,
                    const std::optional<at::Tensor> &weight, std::optional<double> eps)
{
    c10::DimVector dims;

    for (int64_t dim = -static_cast<int64_t>(shape.size()); dim < 0; dim++)
        dims.push_back(dim);
    const double tiny = eps.value_or(std::numeric_limits<float>::epsilon());
    const at::Tensor rows = input.contiguous();
    const at::Tensor values = on_host(rows);
    at::Tensor normed = values * values.square().mean(dims, true).add(tiny).rsqrt();
    if (weight && weight->defined())
        normed = normed * on_host(*weight);
    return at::empty_like(input).copy_(normed);
}

/* Module.to keeps its parameters where the host's tensors may take the data of ours, and back. */
bool may_take_data(const at::Tensor &self, const at::Tensor &from)
{
    return self.layout() == at::kStrided && from.layout() == at::kStrided;
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("empty.memory_format", &empty);
    m.impl("empty_strided", &empty_strided);
    m.impl("as_strided", &as_strided);
    m.impl("view", &at::native::view);
    m.impl("view.dtype", &at::native::view_dtype);
    m.impl("view_as_real", &at::native::view_as_real);
    m.impl("view_as_complex", &at::native::view_as_complex);
    m.impl("unfold", &at::native::unfold);
    m.impl("_reshape_alias", &at::native::_reshape_alias);
    m.impl("_has_compatible_shallow_copy_type", &may_take_data);
    /* Core has a form of its own, which wins over the fallback and takes contiguous tensors alone. */
    m.impl("native_group_norm", torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>());
    m.impl("resize_", &resize_);
    m.impl("set_.source_Storage", &set_storage);
    m.impl("set_.source_Storage_storage_offset", &set_source);
    m.impl("set_.source_Tensor", &set_tensor);
    m.impl("_copy_from", &copy_from);
    m.impl("_copy_from_and_resize", &copy_from_and_resize);
    m.impl("_local_scalar_dense", &local_scalar_dense);
    m.impl("fill_.Scalar", &fill_scalar);
    m.impl("add.out", &add_out);
    m.impl("sub.out", &sub_out);
    m.impl("mul.out", &mul_out);
    m.impl("div.out", &div_out);
    m.impl("neg.out", &neg_out);
    m.impl("sigmoid.out", &sigmoid_out);
    m.impl("_amp_foreach_non_finite_check_and_unscale_", &unscale_);
    m.impl("_amp_update_scale_", &update_scale_);
    m.impl("rms_norm", &rms_norm);
}

/* _copy_from looks at both bits itself. */
TORCH_LIBRARY_IMPL(aten, Conjugate, m)
{
    m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Negative, m)
{
    m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m)
{
    m.fallback(torch::CppFunction::makeFromBoxedFunction<&cpu_fallback>());
}

} // namespace
} // namespace jit
