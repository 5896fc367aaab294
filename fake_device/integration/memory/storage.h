/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Storage of device tensors, for the resize hook and for resize_ kernels.
 */
#pragma once

#include <c10/core/StorageImpl.h>

namespace fakedev
{

/* The factory that core calls, c10::StorageImplCreateHelper. */
c10::intrusive_ptr<c10::StorageImpl> make_storage(c10::StorageImpl::use_byte_size_t,
                                                  c10::SymInt size, c10::DataPtr data,
                                                  c10::Allocator *allocator, bool resizable);

/* Gives the storage `size` bytes on the device it is on, keeping the first min(old, new) of them.
 * Throws, with the storage unchanged, if it is not resizable or memory is short. */
void resize_storage(c10::StorageImpl *storage, size_t size);

} // namespace fakedev
