/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Faults of factories, views and resize_ that imitate defects of real backends.
 */
#include "spoil.h"

#include <ATen/ATen.h>
#include <ATen/InferSize.h>
#include <ATen/TensorUtils.h>
#include <ATen/native/Resize.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/view_native.h>
#include <c10/core/impl/DeviceGuardImplInterface.h>

#include "device_index.h"

namespace fakedev
{

namespace
{

c10::TensorImpl *first(const Call &call)
{
    return call.argument(0).toTensor().unsafeGetTensorImpl();
}

/* If no offset is given, uses 0 instead of the tensor's own offset. */
void ignore_offset(const Call &call)
{
    c10::IValue &offset = *call.named("storage_offset");
    if (offset.isNone())
        offset = 0;
}

void take_zero_for_nothing(const Call &call)
{
    c10::IValue &offset = *call.named("storage_offset");
    if (!offset.isNone() && offset.toSymInt() == 0)
        offset = c10::IValue();
}

void lose_offset(const Call &call)
{
    call.result().toTensor().unsafeGetTensorImpl()->set_storage_offset(0);
}

void leak_storage(const Call &call)
{
    (void)new c10::Storage(call.result().toTensor().storage());
}

/* Returns a copy, as the CPU fallback does: the values are correct, but the storage is new. */
at::Tensor &set_to_copy(at::Tensor &self, const at::Tensor &source)
{
    return at::native::set_tensor_(self, source.clone());
}

at::Tensor clone_to_alias(const at::Tensor &x, std::optional<at::MemoryFormat>)
{
    return at::alias(x);
}

at::Tensor view_of_a_copy(const at::Tensor &self, at::ScalarType dtype)
{
    return at::native::view_dtype(self.clone(), dtype);
}

void forget_format(const Call &call)
{
    *call.named("memory_format") = static_cast<int64_t>(at::MemoryFormat::Contiguous);
}

void round_whole_number(const Call &call)
{
    const at::Scalar number = call.result().toScalar();
    if (number.isIntegral(false))
        call.result() = at::Scalar(static_cast<int64_t>(number.toDouble()));
}

c10::DataPtr copy_of(const c10::Storage &storage)
{
    const DeviceScope scope(storage.device().index());
    return c10::GetAllocator(c10::kPrivateUse1)->clone(storage.data(), storage.nbytes());
}

void set_to_copied_storage(const Call &call)
{
    const c10::Storage source = call.argument(1).toStorage();
    if (source.device().is_privateuseone())
        call.argument(1) =
            c10::Storage(c10::Storage::use_byte_size_t(), source.nbytes(), copy_of(source),
                         c10::GetAllocator(c10::kPrivateUse1), true);
}

at::Tensor &set_to_any_storage(at::Tensor &self, at::Storage source, int64_t offset,
                               at::IntArrayRef size, at::IntArrayRef)
{
    c10::TensorImpl *const impl = self.unsafeGetTensorImpl();
    impl->set_storage_keep_dtype(std::move(source));
    impl->set_storage_offset(offset);
    impl->set_sizes_contiguous(size);
    return self;
}

void drop(const Call &call, const char *name)
{
    *call.named(name) = c10::IValue();
}

void drop_index(const Call &call)
{
    c10::IValue &device = *call.named("device");
    if (!device.isNone() && device.toDevice().is_privateuseone())
        device = c10::Device(c10::DeviceType::PrivateUse1);
}

void take_memory_away(const Call &call)
{
    const at::Tensor tensor = call.result().toTensor();
    tensor.storage().set_data_ptr(c10::GetAllocator(c10::kPrivateUse1)->allocate(0));
    tensor.storage().set_nbytes(0);
}

void make_for_inference(const Call &call)
{
    const c10::InferenceMode mode;
    call.clean();
}

void take_float_for_default(const Call &call)
{
    c10::IValue &dtype = *call.named("dtype");
    if (dtype.isNone())
        dtype = static_cast<int64_t>(at::kFloat);
}

/* Creates a dense tensor although a sparse layout is requested. */
void ignore_layout(const Call &call)
{
    *call.named("layout") = static_cast<int64_t>(at::kStrided);
    call.op.callBoxed(*call.stack);
}

at::Tensor view_or_copy(const at::Tensor &self, at::IntArrayRef size)
{
    const auto shape = at::infer_size(size, self.numel());
    if (at::detail::computeStride(self.sizes(), self.strides(), shape))
        return at::native::view(self, size);
    return at::native::view(self.contiguous(), size);
}

at::Tensor &set_here(at::Tensor &self)
{
    c10::Allocator *const allocator = c10::GetAllocator(c10::kPrivateUse1);
    const c10::Storage storage(c10::Storage::use_byte_size_t(), 0, allocator->allocate(0),
                               allocator, true);
    return self.set_(storage, 0, {0}, {});
}

void take_a_copy(const Call &call)
{
    call.argument(0) = call.argument(0).toTensor().clone();
}

/* If the factory raises, the current device is not restored. */
void leave_device(const Call &call)
{
    const c10::IValue device = *call.named("device");
    try {
        call.clean();
    } catch (...) {
        if (!device.isNone() && device.toDevice().has_index())
            (void)fd_device_set(device.toDevice().index());
        throw;
    }
}

void forget_stream(const Call &call)
{
    torch::jit::drop(*call.stack, call.argument_count());
}

void forget_stream_elsewhere(const Call &call)
{
    if (call.argument(0).toTensor().device().index() == current_device())
        return call.clean();
    forget_stream(call);
}

void take_any_stream(const Call &call)
{
    c10::IValue &stream = call.argument(1);
    const c10::Device device = call.argument(0).toTensor().device();
    if (stream.toStream().device_type() != device.type())
        stream = c10::impl::getDeviceGuardImpl(device.type())->getStream(device);
}

/* The tensor's memory moves to the current device. */
void resize_here(const Call &call)
{
    const at::Tensor tensor = call.argument(0).toTensor();
    const size_t before = tensor.storage().nbytes();
    call.clean();
    if (tensor.storage().nbytes() == before || tensor.device().index() == current_device())
        return;
    c10::Allocator *allocator = c10::GetAllocator(c10::kPrivateUse1);
    tensor.storage().set_data_ptr(allocator->allocate(tensor.storage().nbytes()));
}

void resize_to_zeros(const Call &call)
{
    const at::Tensor tensor = call.argument(0).toTensor();
    const size_t before = tensor.storage().nbytes();
    call.clean();
    if (tensor.storage().nbytes() > before)
        tensor.zero_();
}

void resize_by_moving(const Call &call)
{
    const at::Tensor tensor = call.argument(0).toTensor();
    call.clean();
    if (tensor.storage().resizable())
        tensor.storage().set_data_ptr(copy_of(tensor.storage()));
}

void take_for_ours(const Call &call)
{
    c10::StorageImpl *const storage = call.argument(0).toTensor().storage().unsafeGetStorageImpl();
    storage->set_allocator(c10::GetAllocator(c10::kPrivateUse1));
    storage->set_resizable(true);
}

/* Returns the first argument unchanged. */
void pass_the_first(const Call &call)
{
    torch::jit::drop(*call.stack, call.argument_count() - 1);
}

/* Discards the elements, then reports that the kernel does not exist. */
void empty_and_refuse(const Call &call)
{
    first(call)->set_sizes_contiguous({0});
    TORCH_CHECK_NOT_IMPLEMENTED(false, "Could not run '", call.op.operator_name(),
                                "' with arguments from the 'fakedev' backend.");
}

} // namespace

Spoils spoiled_tensors()
{
    const auto reset_offset = [](const Call &call) { first(call)->set_storage_offset(0); };
    Spoils spoils = {
        {"ops.as_strided_ignores_offset", "aten::as_strided", key, before(ignore_offset)},
        {"ops.as_strided_zero_offset_is_not_given", "aten::as_strided", key,
         before(take_zero_for_nothing)},
        {"ops.clone_loses_memory_format", "aten::clone", key, before(forget_format)},
        {"ops.empty_forgets_format", "aten::empty.memory_format", key,
         before([](const Call &call) { drop(call, "memory_format"); })},
        {"ops.empty_is_float32_by_default", "aten::empty.memory_format", key,
         before(take_float_for_default)},
        {"ops.sparse_layout_ignored", "aten::empty.memory_format",
         c10::DispatchKey::SparsePrivateUse1, ignore_layout, true},
        {"ops.device_tensor_is_pinned", "aten::_pin_memory", key, pass_the_first, true},
        {"ops.view_copies_what_does_not_fit", "aten::view", key, instead(view_or_copy)},
        {"ops.view_as_real_copies", "aten::view_as_real", key, before(take_a_copy)},
        {"ops.view_of_a_dtype_copies", "aten::view.dtype", key, instead(view_of_a_copy)},
        {"ops.item_is_rounded", "aten::_local_scalar_dense", key, after(round_whole_number)},
        {"ops.view_loses_offset", "aten::view", key, after(lose_offset)},
        {"ops.view_leaks_storage", "aten::view", key, after(leak_storage)},
        {"fallback.silent_copy", "aten::set_.source_Tensor", key, instead(set_to_copy)},
        {"ops.empty_strided_allocates_nothing", "aten::empty_strided", key,
         after(take_memory_away)},
        {"ops.resize_resets_offset", "aten::resize_", key, before(reset_offset)},
        {"allocator.record_stream_ignored", "aten::record_stream", key, forget_stream},
        {"allocator.record_stream_needs_its_device", "aten::record_stream", key,
         forget_stream_elsewhere},
        {"stream.recorded_of_any_type", "aten::record_stream", key, before(take_any_stream)},
        {"storage.resize_on_current_device", "aten::resize_", key, resize_here},
        {"storage.clone_is_alias", "aten::clone", key, instead(clone_to_alias)},
        {"ops.set_allocates_on_current_device", "aten::set_", key, instead(set_here)},
        {"storage.set_copies", "aten::set_.source_Storage_storage_offset", key,
         before(set_to_copied_storage)},
        {"storage.set_takes_host_storage", "aten::set_.source_Storage_storage_offset", key,
         instead(set_to_any_storage)},
        {"ops.resize_loses_elements", "aten::resize_", key, resize_to_zeros},
        {"ops.resize_always_allocates", "aten::resize_", key, resize_by_moving},
        {"ops.resize_moves_foreign_memory", "aten::resize_", key, before(take_for_ours)},
        {"ops.refused_resize_empties", "aten::resize_", key, empty_and_refuse},
        {"ops.resize_does_nothing", "aten::resize_", key, pass_the_first},
        {"storage.set_does_nothing", "aten::set_.source_Storage", key, pass_the_first},
        {"storage.refused_set_empties", "aten::set_.source_Storage", key, empty_and_refuse},
    };
    for (const char *factory : {"aten::empty.memory_format", "aten::empty_strided"}) {
        spoils.push_back({"ops.factory_makes_inference_tensors", factory, key, make_for_inference});
        spoils.push_back({"ops.pin_memory_ignored", factory, key,
                          before([](const Call &call) { drop(call, "pin_memory"); })});
        spoils.push_back({"ops.factory_ignores_index", factory, key, before(drop_index)});
        spoils.push_back({"ops.failed_factory_leaves_device", factory, key, leave_device});
    }
    return spoils;
}

} // namespace fakedev
