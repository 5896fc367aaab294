/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operators. Random numbers come from the hardware; most of the rest goes to the CPU.
 */
#include "bare_module.h"

#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>

#include <algorithm>
#include <cmath>
#include <mutex>
#include <random>

namespace bare_module
{

namespace
{

constexpr c10::DispatchKeySet kKeys(c10::DispatchKey::PrivateUse1);

void check_asked(std::optional<at::Layout> layout, std::optional<bool> pinned)
{
    TORCH_CHECK_NOT_IMPLEMENTED(c10::layout_or_default(layout) == c10::kStrided,
                                "bare_module: no sparse tensors");
    TORCH_CHECK(!c10::pinned_memory_or_default(pinned),
                "bare_module: no pinned memory on a device");
}

at::Tensor empty(c10::IntArrayRef size, std::optional<at::ScalarType> dtype,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool> pinned, std::optional<at::MemoryFormat> format)
{
    check_asked(layout, pinned);
    const c10::DeviceGuard guard(*device);
    return at::detail::empty_generic(size, pool(), kKeys, c10::dtype_or_default(dtype), format);
}

at::Tensor empty_strided(c10::IntArrayRef size, c10::IntArrayRef stride,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool> pinned)
{
    check_asked(layout, pinned);
    const c10::DeviceGuard guard(*device);
    return at::detail::empty_strided_generic(size, stride, pool(), kKeys,
                                             c10::dtype_or_default(dtype));
}

at::Tensor mapped(const at::Tensor &tensor)
{
    if (!tensor.is_privateuseone())
        return tensor;
    at::Tensor host =
        at::from_blob(tensor.data_ptr(), tensor.sizes(), tensor.strides(), tensor.scalar_type());
    host._set_conj(tensor.is_conj());
    host._set_neg(tensor.is_neg());
    return host;
}

at::Tensor copy_from(const at::Tensor &self, const at::Tensor &to, bool)
{
    const bool across =
        self.is_privateuseone() && to.is_privateuseone() && self.device() != to.device();

    if (across)
        activate(to.device().index()); /* the link is driven by the one that receives */
    mapped(to).copy_(mapped(self));
    if (across)
        activate(0); /* link-resets-device */
    return to;
}

const at::Tensor &resize_(const at::Tensor &self, c10::IntArrayRef size,
                          std::optional<at::MemoryFormat> format)
{
    at::TensorImpl *const impl = self.unsafeGetTensorImpl();
    at::StorageImpl *const storage = self.storage().unsafeGetStorageImpl();
    const size_t bytes = at::detail::computeStorageNbytesContiguous(
        size, impl->dtype().itemsize(), static_cast<size_t>(impl->storage_offset()));

    if (bytes > storage->nbytes()) {
        const c10::DeviceGuard guard(self.device());
        c10::DataPtr block = pool()->allocate(bytes); /* unresizable-grows */
        pool()->copy_data(block.get(), storage->data(), storage->nbytes());
        storage->set_data_ptr_noswap(std::move(block));
        storage->set_nbytes(bytes);
    }
    impl->set_sizes_contiguous(size);
    if (format)
        impl->empty_tensor_restride(*format);
    return self;
}

at::Tensor copy_from_and_resize(const at::Tensor &self, const at::Tensor &to)
{
    return copy_from(self, resize_(to, self.sizes(), std::nullopt), false);
}

at::Scalar local_scalar_dense(const at::Tensor &self)
{
    return mapped(self).item();
}

at::Tensor &set_region(at::Tensor &self, at::Storage source, int64_t offset, c10::IntArrayRef size,
                       c10::IntArrayRef stride)
{
    at::native::checkSetStorage(self, std::move(source), offset, size, stride);
    self.unsafeGetTensorImpl()->set_storage_offset(offset);
    if (stride.data() == nullptr)
        self.unsafeGetTensorImpl()->set_sizes_contiguous(size);
    else
        self.unsafeGetTensorImpl()->set_sizes_and_strides(size, stride);
    return self;
}

at::Tensor &set_storage(at::Tensor &self, at::Storage source)
{
    const auto count = static_cast<int64_t>(source.nbytes() / self.dtype().itemsize());
    return set_region(self, std::move(source), 0, {count}, {});
}

at::Tensor &set_tensor(at::Tensor &self, const at::Tensor &source)
{
    return set_region(self, source.storage(), source.storage_offset(), source.sizes(),
                      source.strides());
}

/* ---- random numbers of the hardware --------------------------------------------------------------- */

template <typename Distribution>
at::Tensor &draw(at::Tensor &self, const std::optional<at::Generator> &generator,
                 Distribution distribution)
{
    TORCH_CHECK_NOT_IMPLEMENTED(!generator.has_value(),
                                "bare_module: the hardware draws, without generators");
    static std::mutex mutex;
    static std::mt19937_64 hardware{std::random_device()()}; /* cannot-be-seeded */
    const std::lock_guard<std::mutex> lock(mutex);
    at::Tensor values = at::empty(self.sizes(), at::TensorOptions().dtype(at::kDouble));
    double *const first = values.mutable_data_ptr<double>();
    std::generate(first, first + values.numel(), [&] { return distribution(hardware); });
    return self.copy_(values);
}

at::Tensor &uniform_(at::Tensor &self, double from, double to,
                     std::optional<at::Generator> generator)
{
    /* As many steps as the significand of the type has: rounding must not give `to`. */
    const int bits = self.element_size() >= 4 ? 24 : self.scalar_type() == at::kHalf ? 11 : 8;
    return draw(self, generator, [=](std::mt19937_64 &engine) {
        return from + (to - from) * std::ldexp(static_cast<double>(engine() >> (64 - bits)), -bits);
    });
}

at::Tensor &normal_(at::Tensor &self, double mean, double deviation,
                    std::optional<at::Generator> generator)
{
    return draw(self, generator, std::normal_distribution<double>(mean, deviation));
}

at::Tensor &bernoulli_(at::Tensor &self, double p, std::optional<at::Generator> generator)
{
    return draw(self, generator, std::bernoulli_distribution(p));
}

/* ---- kernels of its own --------------------------------------------------------------------------- */

/* Mean and deviation stay in registers, so the fused kernel is twice as fast as the four it replaces. */
at::Tensor layer_norm(const at::Tensor &input, c10::IntArrayRef shape,
                      const std::optional<at::Tensor> &weight,
                      const std::optional<at::Tensor> &bias, double epsilon, bool)
{
    const auto host = [](const std::optional<at::Tensor> &given) {
        return given && given->defined() ? std::optional<at::Tensor>(mapped(*given)) : std::nullopt;
    };
    at::Tensor result = at::empty_like(input, at::MemoryFormat::Contiguous);
    mapped(result).copy_(
        at::layer_norm(mapped(input), shape, host(weight), host(bias), epsilon, false));
    return result; /* layer-norm-cuts-graph */
}

std::vector<at::Tensor> foreach_norm(at::TensorList tensors, const at::Scalar &,
                                     std::optional<at::ScalarType>)
{
    std::vector<at::Tensor> norms;

    for (const at::Tensor &tensor : tensors)
        norms.push_back(at::linalg_vector_norm(tensor, 2)); /* norm-is-two */
    return norms;
}

/* One launch for the whole list: its memory is one piece where it was allocated at once. */
void foreach_zero_(at::TensorList tensors)
{
    if (!tensors.empty())
        tensors.front().zero_(); /* zeroes-the-first */
}

void to_the_cpu(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    const auto tags = op.getTags();
    const bool draws =
        std::find(tags.begin(), tags.end(), at::Tag::nondeterministic_seeded) != tags.end();

    TORCH_CHECK_NOT_IMPLEMENTED(!draws, "bare_module: the hardware has no ", op.schema().name());
    at::native::cpu_fallback(op, stack);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, library)
{
    library.fallback(torch::CppFunction::makeFromBoxedFunction<&to_the_cpu>());
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, library)
{
    library.impl("empty.memory_format", &empty);
    library.impl("empty_strided", &empty_strided);
    library.impl("as_strided", &at::native::as_strided_tensorimpl);
    library.impl("view", &at::native::view);
    library.impl("_reshape_alias", &at::native::_reshape_alias);
    library.impl("unfold", &at::native::unfold);
    library.impl("view_as_real", &at::native::view_as_real);
    library.impl("view_as_complex", &at::native::view_as_complex);
    library.impl("resize_", &resize_);
    library.impl("_copy_from", &copy_from);
    library.impl("_copy_from_and_resize", &copy_from_and_resize);
    library.impl("_local_scalar_dense", &local_scalar_dense);
    library.impl("set_.source_Tensor", &set_tensor);
    library.impl("set_.source_Storage", &set_storage);
    library.impl("set_.source_Storage_storage_offset", &set_region);
    library.impl("uniform_", &uniform_);
    library.impl("normal_", &normal_);
    library.impl("bernoulli_.float", &bernoulli_);
    library.impl("layer_norm", &layer_norm);
    library.impl("_foreach_zero_", &foreach_zero_);
    library.impl("_foreach_norm.Scalar", &foreach_norm);
}

TORCH_LIBRARY_IMPL(aten, Conjugate, library)
{
    library.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Negative, library)
{
    library.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(_, AutocastPrivateUse1, library)
{
    library.fallback(torch::CppFunction::makeFallthrough());
}

} // namespace

} // namespace bare_module
