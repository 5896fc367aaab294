/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Storage of device tensors. Used by the resize hook and by resize_ kernels.
 */
#pragma once

#include <c10/core/StorageImpl.h>

namespace fakedev
{

/* The factory that core calls: c10::StorageImplCreateHelper. */
c10::intrusive_ptr<c10::StorageImpl> make_storage(c10::StorageImpl::use_byte_size_t,
                                                  c10::SymInt size, c10::DataPtr data,
                                                  c10::Allocator *allocator, bool resizable);

/* Resizes the storage to `size` bytes on its device and keeps the first min(old, new) bytes. If the
 * storage is not resizable or memory is exhausted, throws and leaves the storage unchanged. */
void resize_storage(c10::StorageImpl *storage, size_t size);

} // namespace fakedev
