/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Tensors, their views and their factories. A buffer replaces the storage of PyTorch's strided
 * tensors. Because there is no storage (no-storage), tensors cannot share memory in files and deep
 * copies (no-sharing-in-files, no-sharing-in-deepcopy), and a saved leaf is loaded as a copy
 * (leaf-cannot-be-loaded). Core's own kernel of native_group_norm is used (group-norm-contiguous),
 * and a CPU result is copied into a new tensor (abs-lies-in-rows).
 */
#include "no_storage/no_storage_tensor.h"

#include <ATen/InferSize.h>
#include <ATen/native/TensorFactories.h>

namespace no_storage
{

Impl::Impl(BufferPtr buffer, caffe2::TypeMeta type)
    : c10::TensorImpl(c10::DispatchKeySet(c10::DispatchKey::PrivateUse1), type,
                      c10::Device(c10::kPrivateUse1, buffer->device())),
      buffer_(std::move(buffer))
{
    set_storage_access_should_throw();
}

c10::intrusive_ptr<c10::TensorImpl>
Impl::shallow_copy_and_detach(const c10::VariableVersion &version, bool may_change) const
{
    auto copy = c10::make_intrusive<Impl>(buffer_, dtype());
    copy_tensor_metadata(this, copy.get(), version, may_change);
    return copy;
}

c10::intrusive_ptr<c10::TensorImpl> Impl::shallow_copy_and_detach(c10::VariableVersion &&version,
                                                                  bool may_change) const
{
    return shallow_copy_and_detach(static_cast<const c10::VariableVersion &>(version), may_change);
}

void Impl::shallow_copy_from(const c10::intrusive_ptr<c10::TensorImpl> &other)
{
    auto *const from = dynamic_cast<Impl *>(other.get());
    TORCH_CHECK(from, "no_storage: this tensor was made by another backend");
    copy_tensor_metadata(from, this, version_counter(), allow_tensor_metadata_change());
} /* data-keeps-its-memory */

Impl &impl_of(const at::Tensor &tensor)
{
    auto *const impl = dynamic_cast<Impl *>(tensor.unsafeGetTensorImpl());
    TORCH_CHECK_NOT_IMPLEMENTED(impl, "no_storage: this tensor of ", tensor.device(),
                                " has a storage; only tensors that no_storage made can be used");
    return *impl;
}

namespace
{

at::Tensor make_tensor(BufferPtr buffer, caffe2::TypeMeta type, c10::IntArrayRef sizes,
                       c10::IntArrayRef strides, int64_t offset)
{
    auto impl = c10::make_intrusive<Impl>(std::move(buffer), type);
    impl->set_sizes_and_strides(sizes, strides, offset);
    return at::Tensor(std::move(impl));
}

/* A view of the elements of `self` with the same conjugate and negative bits. */
at::Tensor make_view(const at::Tensor &self, c10::IntArrayRef sizes, c10::IntArrayRef strides,
                     int64_t offset)
{
    at::Tensor view = make_tensor(impl_of(self).buffer(), self.dtype(), sizes, strides, offset);
    view._set_conj(self.is_conj());
    view._set_neg(self.is_neg());
    return view;
}

/* Returns the buffer size, in elements, that the view needs. */
int64_t extent(c10::IntArrayRef sizes, c10::IntArrayRef strides, int64_t offset)
{
    int64_t last = offset;
    for (size_t i = 0; i < sizes.size(); i++) {
        if (sizes[i] == 0)
            return 0;
        int64_t step = 0;
        TORCH_CHECK(!c10::mul_overflows(sizes[i] - 1, strides[i], &step) &&
                        !c10::add_overflows(last, step, &last),
                    "no_storage: sizes ", sizes, " and strides ", strides, " overflow");
    }
    return last + 1;
}

at::Tensor allocated(c10::IntArrayRef sizes, c10::IntArrayRef strides,
                     std::optional<at::ScalarType> type, std::optional<at::Layout> layout,
                     std::optional<at::Device> device, std::optional<bool> pin_memory)
{
    fleet::check_options(layout, pin_memory);
    const auto meta =
        at::scalarTypeToTypeMeta(type.value_or(at::get_default_dtype_as_scalartype()));
    const c10::DeviceIndex index = fleet::resolved(device->index());
    int64_t bytes = 0;

    TORCH_CHECK(!c10::mul_overflows(extent(sizes, strides, 0),
                                    static_cast<int64_t>(meta.itemsize()), &bytes),
                "no_storage: a tensor of sizes ", sizes, " has too many bytes");
    const c10::DeviceIndex before = fleet::current_device();
    fleet::set_current_device(index);
    auto buffer = c10::make_intrusive<Buffer>(index, bytes); /* failed-factory-switches-device */
    fleet::set_current_device(before);
    return make_tensor(std::move(buffer), meta, sizes, strides, 0);
}

c10::DimVector strides_of(c10::IntArrayRef sizes, at::MemoryFormat format)
{
    if (format == at::MemoryFormat::ChannelsLast)
        return at::DimVector(c10::get_channels_last_strides_2d(sizes));
    if (format == at::MemoryFormat::ChannelsLast3d)
        return at::DimVector(c10::get_channels_last_strides_3d(sizes));
    return c10::contiguous_strides(sizes);
}

at::Tensor empty(at::IntArrayRef sizes, std::optional<at::ScalarType> type,
                 std::optional<at::Layout> layout, std::optional<at::Device> device,
                 std::optional<bool> pin_memory, std::optional<at::MemoryFormat> format)
{
    at::native::check_size_nonnegative(sizes);
    return allocated(sizes, strides_of(sizes, format.value_or(at::MemoryFormat::Contiguous)), type,
                     layout, device, pin_memory);
}

at::Tensor empty_strided(at::IntArrayRef sizes, at::IntArrayRef strides,
                         std::optional<at::ScalarType> type, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool> pin_memory)
{
    at::native::check_size_nonnegative(sizes);
    TORCH_CHECK(sizes.size() == strides.size(), "no_storage: ", sizes.size(), " sizes, ",
                strides.size(), " strides");
    return allocated(sizes, strides, type, layout, device, pin_memory);
}

at::Tensor as_strided(const at::Tensor &self, at::IntArrayRef sizes, at::IntArrayRef strides,
                      std::optional<int64_t> offset)
{
    const int64_t start =
        offset && *offset ? *offset : self.storage_offset(); /* offset-zero-ignored */
    const int64_t elements = impl_of(self).buffer()->size() / static_cast<int64_t>(self.itemsize());
    TORCH_CHECK(sizes.size() == strides.size() && start >= 0, "no_storage: as_strided with sizes ",
                sizes, ", strides ", strides, ", offset ", start);
    at::native::check_size_nonnegative(sizes);
    for (const int64_t stride : strides)
        TORCH_CHECK(stride >= 0, "as_strided: negative strides are not supported, got ", strides);
    TORCH_CHECK(extent(sizes, strides, start) <= elements, "setStorage: sizes ", sizes,
                ", strides ", strides, " and offset ", start, " are out of bounds for ", elements,
                " elements");
    return make_view(self, sizes, strides, start);
}

at::Tensor reshape_alias(const at::Tensor &self, at::IntArrayRef sizes, at::IntArrayRef strides)
{
    return make_view(self, sizes, strides, self.storage_offset());
}

at::Tensor view(const at::Tensor &self, at::IntArrayRef sizes)
{
    const c10::DimVector inferred = at::infer_size_dv(sizes, self.numel());
    const auto strides = at::detail::computeStride(self.sizes(), self.strides(), inferred);
    TORCH_CHECK(strides,
                "view size is not compatible with input tensor's size and stride (at least "
                "one dimension spans across two contiguous subspaces). Use .reshape(...) "
                "instead.");
    return reshape_alias(self, inferred, *strides);
}

at::Tensor alias(const at::Tensor &self)
{
    return reshape_alias(self, self.sizes(), self.strides());
}

/* Returns a view of the same bytes with elements of another size: each old element becomes `factor`
 * new elements with stride `last`. */
at::Tensor view_dtype(const at::Tensor &self, at::ScalarType type)
{
    const auto meta = at::scalarTypeToTypeMeta(type);
    TORCH_CHECK_NOT_IMPLEMENTED(meta.itemsize() == self.itemsize(), "no_storage: view as ", type,
                                " changes the size of the elements"); /* no-view-of-another-size */
    return make_tensor(impl_of(self).buffer(), meta, self.sizes(), self.strides(),
                       self.storage_offset());
}

at::Tensor view_as_real(const at::Tensor &self)
{
    TORCH_CHECK(self.is_complex() && !self.is_conj(), "view_as_real takes a complex tensor");
    c10::DimVector sizes(self.sizes()), strides;

    for (const int64_t stride : self.strides())
        strides.push_back(2 * stride);
    sizes.push_back(2);
    strides.push_back(1); /* the result below loses the negative bit: real-drops-neg */
    return make_tensor(impl_of(self).buffer(),
                       at::scalarTypeToTypeMeta(c10::toRealValueType(self.scalar_type())), sizes,
                       strides, 2 * self.storage_offset());
}

at::Tensor view_as_complex(const at::Tensor &self)
{
    TORCH_CHECK(self.dim() > 0 && self.size(-1) == 2 && self.stride(-1) == 1 &&
                    self.storage_offset() % 2 == 0,
                "view_as_complex takes pairs that lie side by side");
    c10::DimVector strides;

    for (const int64_t stride : self.strides().slice(0, static_cast<size_t>(self.dim()) - 1)) {
        TORCH_CHECK(stride % 2 == 0, "Tensor must have a stride divisible by 2 for all but last "
                                     "dimension");
        strides.push_back(stride / 2);
    }
    return make_tensor(impl_of(self).buffer(),
                       at::scalarTypeToTypeMeta(c10::toComplexType(self.scalar_type())),
                       self.sizes().slice(0, strides.size()), strides, self.storage_offset() / 2);
}

const at::Tensor &resize_(const at::Tensor &self, at::IntArrayRef sizes,
                          std::optional<at::MemoryFormat> format)
{
    Impl &impl = impl_of(self);
    at::native::check_size_nonnegative(sizes);
    const bool same = sizes == self.sizes() && !format;
    const auto strides = same ? c10::DimVector(self.strides())
                              : strides_of(sizes, format.value_or(at::MemoryFormat::Contiguous));
    const int64_t bytes =
        extent(sizes, strides, self.storage_offset()) * static_cast<int64_t>(self.itemsize());

    if (bytes > impl.buffer()->size())
        impl.buffer()->resize(bytes);
    impl.set_sizes_and_strides(sizes, strides, self.storage_offset());
    return self;
}

void refuse_storage(const c10::OperatorHandle &, torch::jit::Stack *)
{
    TORCH_CHECK_NOT_IMPLEMENTED(
        false, "no_storage: tensors have no storage, so none can be set"); /* no-set */
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("empty.memory_format", &empty);
    m.impl("empty_strided", &empty_strided);
    m.impl("as_strided", &as_strided);
    m.impl("view", &view);
    m.impl("_unsafe_view", &view);
    m.impl("view.dtype", &view_dtype);
    m.impl("view_as_real", &view_as_real);
    m.impl("view_as_complex", &view_as_complex);
    m.impl("unfold", &at::native::unfold);
    m.impl("alias", &alias);
    m.impl("detach", &alias);
    m.impl("_reshape_alias", &reshape_alias);
    m.impl("resize_", &resize_);
    for (const char *const name :
         {"set_.source_Storage", "set_.source_Storage_storage_offset", "set_.source_Tensor"})
        m.impl(name, torch::CppFunction::makeFromBoxedFunction<&refuse_storage>());
}

} // namespace
} // namespace no_storage
