/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Storage of device tensors, for the resize hook and for resize_ kernels.
 */
#pragma once

#include <c10/core/StorageImpl.h>

namespace fakedev
{

/* Gives the storage `size` bytes on the device it is on, keeping the first min(old, new) of them.
 * Throws, with the storage unchanged, if it is not resizable or memory is short. */
void resize_storage(c10::StorageImpl *storage, size_t size);

} // namespace fakedev
