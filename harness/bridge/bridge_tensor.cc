// SPDX-License-Identifier: BSD-3-Clause
//
// Tensors by handle: made on the CPU from bytes, copied whole, read back on the CPU. Every operator
// is called through the dispatcher by name, so this file needs no generated header.
#include "bridge_internal.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <c10/core/Storage.h>
#include <c10/core/TensorImpl.h>

#include <cstring>

static_assert(static_cast<int>(c10::ScalarType::Byte) == BRIDGE_UINT8);
static_assert(static_cast<int>(c10::ScalarType::Long) == BRIDGE_INT64);
static_assert(static_cast<int>(c10::ScalarType::Float) == BRIDGE_FLOAT);
static_assert(static_cast<int>(c10::ScalarType::Double) == BRIDGE_DOUBLE);
static_assert(static_cast<int>(c10::ScalarType::Bool) == BRIDGE_BOOL);
static_assert(static_cast<int>(c10::ScalarType::BFloat16) == BRIDGE_BFLOAT16);

namespace
{

at::Tensor call(const char *name, const char *overload, torch::jit::Stack stack)
{
    const auto handle = c10::Dispatcher::singleton().findSchemaOrThrow(name, overload);
    handle.callBoxed(stack);
    return stack.front().toTensor();
}

at::Tensor empty(c10::IntArrayRef sizes, int32_t dtype, c10::Device device)
{
    return call(
        "aten::empty", "memory_format",
        {c10::IValue(sizes), int64_t{dtype}, c10::IValue(), device, c10::IValue(), c10::IValue()});
}

at::Tensor copy(const at::Tensor &from, c10::Device device)
{
    return call("aten::_to_copy", "",
                {from, c10::IValue(), c10::IValue(), device, c10::IValue(), false, c10::IValue()});
}

// A tensor of bytes over memory that it does not own.
at::Tensor over(void *data, int32_t device, uint64_t size)
{
    const c10::Device where = bridge::device(device);
    const auto key = device == BRIDGE_CPU ? c10::DispatchKey::CPU : c10::DispatchKey::PrivateUse1;
    c10::Storage storage(c10::Storage::use_byte_size_t(), size, c10::DataPtr(data, where));
    at::Tensor tensor = at::detail::make_tensor<c10::TensorImpl>(
        std::move(storage), c10::DispatchKeySet(key), c10::scalarTypeToTypeMeta(c10::kByte));
    tensor.unsafeGetTensorImpl()->set_sizes_contiguous({static_cast<int64_t>(size)});
    return tensor;
}

void read_all(const at::Tensor &tensor, void *bytes, uint64_t size)
{
    TORCH_CHECK_VALUE(tensor.nbytes() == size, "the tensor has ", tensor.nbytes(), " bytes, not ",
                      size);
    at::Tensor here = tensor.device().is_cpu() ? tensor : copy(tensor, bridge::device(BRIDGE_CPU));
    if (!here.is_contiguous())
        here = call("aten::contiguous", "", {here, static_cast<int64_t>(0)});
    if (size > 0)
        std::memcpy(bytes, here.const_data_ptr(), size);
}

void describe_storage(const at::Tensor &tensor, struct bridge_tensor_facts *facts)
{
    facts->has_storage = tensor.has_storage() ? 1 : 0;
    if (!tensor.has_storage())
        return;
    const c10::Storage &storage = tensor.storage();
    facts->storage_type = static_cast<int32_t>(storage.device_type());
    facts->storage_device = storage.device().index();
    facts->storage_bytes = storage.nbytes();
    facts->storage = storage.unsafeGetStorageImpl();
    facts->storage_data = storage.data();
    facts->data = tensor.const_data_ptr();
}

} // namespace

int32_t bridge_tensor_empty(const int64_t *sizes, int32_t dim, int32_t dtype, int32_t device,
                            struct bridge_tensor **tensor)
{
    return bridge::guarded([&] {
        const c10::IntArrayRef shape(sizes, static_cast<size_t>(dim));
        *tensor = new bridge_tensor{empty(shape, dtype, bridge::device(device))};
    });
}

int32_t bridge_tensor_from_bytes(const void *bytes, uint64_t size, const int64_t *sizes,
                                 int32_t dim, int32_t dtype, struct bridge_tensor **tensor)
{
    return bridge::guarded([&] {
        const c10::IntArrayRef shape(sizes, static_cast<size_t>(dim));
        const at::Tensor made = empty(shape, dtype, bridge::device(BRIDGE_CPU));
        TORCH_CHECK_VALUE(made.nbytes() == size, "a tensor of this shape has ", made.nbytes(),
                          " bytes, not ", size);
        if (size > 0)
            std::memcpy(made.mutable_data_ptr(), bytes, size);
        *tensor = new bridge_tensor{made};
    });
}

int32_t bridge_tensor_to(const struct bridge_tensor *tensor, int32_t device,
                         struct bridge_tensor **result)
{
    return bridge::guarded(
        [&] { *result = new bridge_tensor{copy(tensor->value, bridge::device(device))}; });
}

int32_t bridge_tensor_read(const struct bridge_tensor *tensor, void *bytes, uint64_t size)
{
    return bridge::guarded([&] { read_all(tensor->value, bytes, size); });
}

void bridge_tensor_free(struct bridge_tensor *tensor)
{
    delete tensor;
}

int32_t bridge_tensor_describe(const struct bridge_tensor *tensor,
                               struct bridge_tensor_facts *facts)
{
    return bridge::guarded([&] {
        const at::Tensor &value = tensor->value;
        TORCH_CHECK_VALUE(value.dim() <= 8, "more than 8 dimensions");
        *facts = {};
        facts->dtype = static_cast<int32_t>(value.scalar_type());
        facts->dim = static_cast<int32_t>(value.dim());
        facts->type = static_cast<int32_t>(value.device().type());
        facts->device = value.device().index();
        facts->contiguous = value.is_contiguous() ? 1 : 0;
        facts->elements = value.numel();
        facts->bytes = value.nbytes();
        for (int64_t i = 0; i < value.dim(); i++) {
            facts->sizes[i] = value.size(i);
            facts->strides[i] = value.stride(i);
        }
        facts->storage_offset = value.has_storage() ? value.storage_offset() : 0;
        describe_storage(value, facts);
    });
}

int32_t bridge_write(void *data, int32_t device, const void *bytes, uint64_t size)
{
    return bridge::guarded([&] {
        const at::Tensor source = over(const_cast<void *>(bytes), BRIDGE_CPU, size);
        call("aten::copy_", "", {over(data, device, size), source, false});
    });
}

int32_t bridge_read(const void *data, int32_t device, void *bytes, uint64_t size)
{
    return bridge::guarded([&] {
        const at::Tensor source = over(const_cast<void *>(data), device, size);
        call("aten::copy_", "", {over(bytes, BRIDGE_CPU, size), source, false});
    });
}
