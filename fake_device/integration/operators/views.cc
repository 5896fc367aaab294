/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Views: as_strided, view, _reshape_alias, unfold, view_as_real, view_as_complex, and the set_
 * family.
 *
 * Purpose: different tensors that share one storage. Views do not depend on the device, so a
 * backend only registers PyTorch's own functions. If this file is removed, a view operator runs
 * through the CPU fallback and returns a copy, so writes through the view are lost. PyTorch warns
 * about some of these copies, but not about set_.source_Tensor.
 * Serves: OPS-001, OPS-007, OPS-008, OPS-029, OPS-052, OPS-061, OPS-075, STOR-012, STOR-018,
 * STOR-026, QSN-015.
 */
#include <ATen/native/Resize.h>
#include <ATen/ops/_reshape_alias_native.h>
#include <ATen/ops/as_strided_native.h>
#include <ATen/ops/is_set_to_native.h>
#include <ATen/ops/set_native.h>
#include <ATen/ops/unfold_native.h>
#include <ATen/ops/view_as_complex_native.h>
#include <ATen/ops/view_as_real_native.h>
#include <ATen/ops/view_native.h>
#include <torch/library.h>

#include "device_index.h"
#include "fakedev.h"
#include "resize.h"

namespace fakedev
{
namespace
{

at::Tensor as_strided(const at::Tensor &self, at::IntArrayRef size, at::IntArrayRef stride,
                      std::optional<int64_t> offset)
{
    return at::native::as_strided_tensorimpl(self, size, stride, offset);
}

at::Tensor &set_storage(at::Tensor &self, at::Storage source, int64_t offset, at::IntArrayRef size,
                        at::IntArrayRef stride)
{
    at::native::checkSetStorage<int64_t>(self, std::move(source), offset, size, stride);
    self.unsafeGetTensorImpl()->set_storage_offset(offset);
    resize_tensor(self, size,
                  stride.data() ? at::OptionalIntArrayRef(stride) : at::OptionalIntArrayRef());
    return self;
}

/* set_() without a source gives the tensor a new empty storage on the same device. */
at::Tensor &set_empty(at::Tensor &self)
{
    const DeviceScope scope(self.device().index());
    c10::Allocator *allocator = c10::GetAllocator(c10::kPrivateUse1);
    at::Storage storage(c10::Storage::use_byte_size_t(), 0, allocator->allocate(0), allocator,
                        true);
    return set_storage(self, std::move(storage), 0, {0}, {});
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("as_strided", TORCH_FN(as_strided));
    m.impl("view", TORCH_FN(at::native::view));
    m.impl("_reshape_alias", TORCH_FN(at::native::_reshape_alias));
    m.impl("unfold", TORCH_FN(at::native::unfold));
    m.impl("view_as_real", TORCH_FN(at::native::view_as_real));
    m.impl("view_as_complex", TORCH_FN(at::native::view_as_complex));
    m.impl("is_set_to", TORCH_FN(at::native::is_set_to));
    m.impl("set_", TORCH_FN(set_empty));
    m.impl("set_.source_Tensor", TORCH_FN(at::native::set_tensor_));
    m.impl("set_.source_Storage",
           static_cast<at::Tensor &(*)(at::Tensor &, at::Storage)>(at::native::set_));
    m.impl("set_.source_Storage_storage_offset", TORCH_FN(set_storage));
}

} // namespace fakedev
