/* SPDX-License-Identifier: BSD-3-Clause
 *
 * What the rest of this folder asks of device memory. PyTorch reaches the allocator through
 * c10::GetAllocator; kernels do the same.
 */
#pragma once

#include <c10/core/Allocator.h>
#include <c10/core/Stream.h>

namespace fakedev
{

/* The one allocator of device memory; lives until the process ends. */
c10::Allocator *device_allocator();

/* The block of `data` is also used by work on `stream`. Null and foreign pointers are ignored. */
void record_stream(const c10::DataPtr &data, const c10::Stream &stream);

} // namespace fakedev
