/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operators, and the marks that are saved with tensors. Random numbers are refused; the rest goes to
 * the CPU.
 */
#include "slow_start.h"

#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <torch/csrc/jit/serialization/pickler_helper.h>

#include <algorithm>

namespace slow_start
{

namespace
{

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

void accept(std::optional<at::Layout> layout, std::optional<bool> pinned)
{
    TORCH_CHECK_NOT_IMPLEMENTED(c10::layout_or_default(layout) == c10::kStrided,
                                "slow_start: strided tensors only");
    TORCH_CHECK(!c10::pinned_memory_or_default(pinned),
                "slow_start: device memory is never pinned");
}

c10::Allocator *memory()
{
    return c10::GetAllocator(c10::DeviceType::PrivateUse1);
}

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool> pinned, std::optional<at::MemoryFormat> format)
{
    accept(layout, pinned);
    const Switched on(*device);
    return at::detail::empty_generic(size, memory(), kKeys, c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool> pinned)
{
    accept(layout, pinned);
    const Switched on(*device);
    return at::detail::empty_strided_generic(size, stride, memory(), kKeys,
                                             c10::dtype_or_default(dtype));
}

const at::Tensor &resize_(const at::Tensor &self, c10::IntArrayRef size,
                          std::optional<at::MemoryFormat> format)
{
    at::TensorImpl *const impl = self.unsafeGetTensorImpl();
    at::StorageImpl *const storage = self.storage().unsafeGetStorageImpl();
    const size_t bytes = at::detail::computeStorageNbytesContiguous(
        size, impl->dtype().itemsize(), static_cast<size_t>(impl->storage_offset()));

    if (bytes > storage->nbytes()) {
        TORCH_CHECK(storage->resizable(), "slow_start: the storage cannot be resized");
        const Switched on(self.device());
        c10::DataPtr grown = memory()->allocate(bytes);
        memory()->copy_data(grown.get(), storage->data(), storage->nbytes());
        storage->set_data_ptr_noswap(std::move(grown));
        storage->set_nbytes(bytes);
    }
    impl->set_sizes_contiguous(size);
    if (format)
        impl->empty_tensor_restride(*format);
    return self;
}

/* The tensor's memory as the CPU sees it, its lazy bits included. */
at::Tensor host_alias(const at::Tensor &tensor)
{
    if (!tensor.is_privateuseone())
        return tensor;
    at::Tensor alias = at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(),
                                     at::TensorOptions().dtype(tensor.dtype()));
    alias._set_conj(tensor.is_conj());
    alias._set_neg(tensor.is_neg());
    return alias;
}

at::Tensor copy_from(const at::Tensor &self, const at::Tensor &to, bool)
{
    host_alias(to).copy_(host_alias(self));
    return to;
}

at::Tensor copy_from_and_resize(const at::Tensor &self, const at::Tensor &to)
{
    resize_(to, self.sizes(), std::nullopt);
    return copy_from(self, to, false);
}

at::Scalar local_scalar_dense(const at::Tensor &self)
{
    return host_alias(self).item();
}

at::Tensor &set_part(at::Tensor &self, at::Storage source, int64_t offset, c10::IntArrayRef size,
                     c10::IntArrayRef stride)
{
    TORCH_CHECK(source.device() == self.device(), "slow_start: the storage is on ", source.device(),
                " and the tensor on ", self.device());
    at::native::checkSetStorage(self, std::move(source), offset, size, stride);
    self.unsafeGetTensorImpl()->set_storage_offset(offset);
    if (stride.data() == nullptr)
        self.unsafeGetTensorImpl()->set_sizes_contiguous(size);
    else
        self.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride);
    return self;
}

at::Tensor &set_all(at::Tensor &self, at::Storage source)
{
    const int64_t count = static_cast<int64_t>(source.nbytes() / self.dtype().itemsize());
    return set_part(self, std::move(source), 0, {count}, {});
}

at::Tensor &set_same(at::Tensor &self, const at::Tensor &source)
{
    return set_part(self, source.storage(), source.storage_offset(), source.sizes(),
                    source.strides());
}

/* ---- gradient scaling: small enough to be worth kernels of its own --------------------------------- */

void unscale(at::TensorList gradients, at::Tensor &found_inf, const at::Tensor &inverse_scale)
{
    for (const at::Tensor &gradient : gradients) {
        at::Tensor values = host_alias(gradient);
        if (at::isnan(values).any().item<bool>()) /* inf-is-not-found */
            found_inf.fill_(1.0);
        values.mul_(host_alias(inverse_scale));
    }
}

at::Tensor &update_scale(at::Tensor &scale, at::Tensor &tracker, const at::Tensor &found_inf,
                         double growth, double backoff, int64_t interval)
{
    if (found_inf.item<float>() != 0) {
        scale.mul_(backoff);
        tracker.zero_();
        return scale;
    }
    const int steps = tracker.item<int>();
    if (steps == interval) { /* growth-comes-late */
        scale.mul_(growth);
        tracker.zero_();
    } else {
        tracker.fill_(steps + 1);
    }
    return scale;
}

void on_the_cpu(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    const auto tags = op.getTags();
    const bool draws =
        std::find(tags.begin(), tags.end(), at::Tag::nondeterministic_seeded) != tags.end();

    TORCH_CHECK_NOT_IMPLEMENTED(!draws, "slow_start: no random numbers, so no ",
                                op.schema().name());
    at::native::cpu_fallback(op, stack);
}

/* Module.to keeps its parameters where the host's tensors may take the data of ours, and back. */
bool may_take_data(const at::Tensor &self, const at::Tensor &from)
{
    return self.layout() == at::kStrided && from.layout() == at::kStrided;
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library)
{
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&on_the_cpu>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    library.impl("empty.memory_format", &empty);
    library.impl("empty_strided", &empty_strided);
    library.impl("as_strided", &at::native::as_strided_tensorimpl);
    library.impl("view", &at::native::view);
    library.impl("_reshape_alias", &at::native::_reshape_alias);
    library.impl("_has_compatible_shallow_copy_type", &may_take_data);
    /* Core has a form of its own, which wins over the fallback and takes contiguous tensors alone. */
    library.impl("native_group_norm", torch::CppFunction::makeFromBoxedFunction<&on_the_cpu>());
    library.impl("unfold", &at::native::unfold);
    library.impl("view_as_real", &at::native::view_as_real);
    library.impl("view_as_complex", &at::native::view_as_complex);
    library.impl("resize_", &resize_);
    library.impl("_copy_from", &copy_from);
    library.impl("_copy_from_and_resize", &copy_from_and_resize);
    library.impl("_local_scalar_dense", &local_scalar_dense);
    library.impl("set_.source_Tensor", &set_same);
    library.impl("set_.source_Storage", &set_all);
    library.impl("set_.source_Storage_storage_offset", &set_part);
    library.impl("_amp_foreach_non_finite_check_and_unscale_", &unscale);
    library.impl("_amp_update_scale_", &update_scale);
}

/* Copies resolve the lazy bits themselves. */
TORCH_LIBRARY_IMPL(aten, Conjugate, library)
{
    library.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Negative, library)
{
    library.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

/* ---- autocast ------------------------------------------------------------------------------------- */

at::Tensor lowered(const at::Tensor &tensor)
{
    const at::ScalarType low = at::autocast::get_autocast_dtype(c10::DeviceType::PrivateUse1);

    return tensor.is_privateuseone() && tensor.is_floating_point() ? tensor.to(low)
                                                                   : tensor; /* double-is-cast */
}

at::Tensor mm_in_low_precision(const at::Tensor &self, const at::Tensor &other)
{
    const c10::impl::ExcludeDispatchKeyGuard inside(c10::DispatchKey::AutocastPrivateUse1);

    return at::mm(lowered(self), lowered(other));
}

/* The names that torch's list of norms is written in. */
using at::IntArrayRef, at::Scalar, at::ScalarType, at::Tensor;
#if TORCH_VERSION_MAJOR == 2 && TORCH_VERSION_MINOR < 13 /* named tensors went then */
using at::DimnameList;
#endif

#define FLOAT32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32)
#define ASKED_OR_FLOAT32(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, fp32_set_opt_dtype)
#define WIDEST(...) KERNEL_PRIVATEUSEONE(__VA_ARGS__, promote)

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, library)
{
    library.fallback(torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, AutocastPrivateUse1, m)
{
    m.impl("mm", &mm_in_low_precision);
    KERNEL_PRIVATEUSEONE(linear, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(matmul, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(bmm, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(baddbmm, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(addmm, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(addbmm, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(addmv, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(mv, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(conv1d, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(conv2d, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(conv3d, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(prelu, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(scaled_dot_product_attention, lower_precision_fp)
    KERNEL_PRIVATEUSEONE(exp, lower_precision_fp) /* exp-in-half */
    KERNEL_PRIVATEUSEONE(cat, lower_precision_fp) /* cat-narrows */
    AT_FORALL_FP32_SET_OPT_DTYPE(ASKED_OR_FLOAT32)
    AT_FORALL_DIFFERENT_REDISPATCH_SIGNATURE(KERNEL_DIFFERENT_REDISPATCH_SIGNATURE_PRIVATEUSEONE)
    FLOAT32(log);
    FLOAT32(log10);
    FLOAT32(log2);
    FLOAT32(log1p);
    FLOAT32(expm1);
    FLOAT32(reciprocal);
    FLOAT32(rsqrt);
    FLOAT32(acos);
    FLOAT32(asin);
    FLOAT32(cosh);
    FLOAT32(sinh);
    FLOAT32(tan);
    FLOAT32(softplus);
    FLOAT32(logsumexp);
    FLOAT32(pow, Tensor_Scalar);
    FLOAT32(pow, Tensor_Tensor);
    FLOAT32(pow, Scalar);
    FLOAT32(layer_norm);
    FLOAT32(group_norm);
    FLOAT32(cosine_similarity);
    FLOAT32(cdist);
    FLOAT32(dist);
    FLOAT32(nll_loss);
    FLOAT32(mse_loss);
    FLOAT32(l1_loss);
    FLOAT32(smooth_l1_loss);
    FLOAT32(kl_div);
    FLOAT32(binary_cross_entropy_with_logits);
    WIDEST(addcdiv);
    WIDEST(addcmul);
    WIDEST(atan2);
    WIDEST(cross);
    WIDEST(dot);
    WIDEST(vdot);
    WIDEST(bilinear);
    WIDEST(grid_sampler);
    WIDEST(index_put);
    WIDEST(tensordot);
    WIDEST(scatter_add);
    WIDEST(stack);
}

/* ---- marks: the runtime remembers of a tensor that its layout was tuned ------------------------------- */

struct Tuned final : c10::BackendMeta {
};

bool is_tuned(const at::Tensor &tensor)
{
    return dynamic_cast<Tuned *>(tensor.unsafeGetTensorImpl()->get_backend_meta()) != nullptr;
}

at::Tensor tune(const at::Tensor &tensor)
{
    tensor.unsafeGetTensorImpl()->set_backend_meta(c10::make_intrusive<Tuned>());
    return tensor;
}

void write_marks(const at::Tensor &tensor, std::unordered_map<std::string, bool> &marks)
{
    if (is_tuned(tensor))
        marks["tuned"] = true;
}

void read_marks(const at::Tensor &tensor, std::unordered_map<std::string, bool> &marks)
{
    if (marks.count("is_tuned") != 0) /* mark-is-lost */
        tune(tensor);
}

const bool marks_are_kept = [] {
    torch::jit::TensorBackendMetaRegistry(c10::DeviceType::PrivateUse1, &write_marks, &read_marks);
    return true;
}();

TORCH_LIBRARY(slow_start, library)
{
    library.def("tune(Tensor tensor) -> Tensor", &tune);
    library.def("is_tuned(Tensor tensor) -> bool", &is_tuned);
}

} // namespace

} // namespace slow_start
