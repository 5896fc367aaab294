/* SPDX-License-Identifier: BSD-3-Clause
 *
 * resize_.
 *
 * Purpose: out= tensors of the wrong size, Tensor.resize_, set_ with sizes. The CPU's kernel cannot
 * be used, because it copies the old contents with memcpy. If this file is removed, out= fails for
 * every tensor that has the wrong size.
 * Traps: the storage offset counts towards the size. The contents and the device must be preserved.
 * In deterministic mode, new memory must be filled.
 * Serves: OPS-001, OPS-019, OPS-041, OPS-067, OPS-080, STOR-009 to STOR-011, STOR-029, DEV-030.
 */
#include "resize.h"

#include <ATen/EmptyTensor.h>
#include <ATen/native/ResizeCommon.h>
#include <torch/library.h>

#include "device_index.h"
#include "fakedev.h"
#include "storage.h"

namespace fakedev
{
namespace
{

size_t bytes_needed(const at::Tensor &self, at::IntArrayRef size, at::OptionalIntArrayRef stride,
                    size_t offset)
{
    const size_t item = self.dtype().itemsize();
    return stride ? at::detail::computeStorageNbytes(size, *stride, item, offset)
                  : at::detail::computeStorageNbytesContiguous(size, item, offset);
}

bool fills_new_memory()
{
    const at::Context &context = at::globalContext();
    return context.deterministicAlgorithms() && context.deterministicFillUninitializedMemory();
}

const at::Tensor &resize_(const at::Tensor &self, at::IntArrayRef size,
                          std::optional<at::MemoryFormat> memory_format)
{
    const size_t bytes_before = self.storage().nbytes();
    resize_tensor(self, size, {});
    if (fills_new_memory())
        at::native::fill_resize_deterministic_(self, static_cast<int64_t>(bytes_before));
    if (memory_format) {
        TORCH_CHECK(*memory_format != at::MemoryFormat::Preserve, "Unsupported memory format ",
                    *memory_format);
        self.unsafeGetTensorImpl()->empty_tensor_restride(*memory_format);
    }
    return self;
}

} // namespace

void resize_tensor(const at::Tensor &self, at::IntArrayRef size, at::OptionalIntArrayRef stride)
{
    c10::TensorImpl *impl = self.unsafeGetTensorImpl();
    const c10::Storage &storage = self.storage();
    if (self.sizes() == size && (!stride || self.strides() == *stride))
        return;
    at::detail::check_size_nonnegative(size);
    const size_t bytes =
        bytes_needed(self, size, stride, static_cast<size_t>(self.storage_offset()));
    if (c10::multiply_integers(size) > 0 && bytes > storage.nbytes()) {
        const DeviceScope scope(self.device().index());
        resize_storage(storage.unsafeGetStorageImpl(), bytes);
    }
    if (stride)
        impl->set_sizes_and_strides(size, *stride);
    else
        impl->set_sizes_contiguous(size);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("resize_", TORCH_FN(resize_));
}

} // namespace fakedev
