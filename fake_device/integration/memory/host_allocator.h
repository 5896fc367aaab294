/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pinned host memory. Used by the hooks and by copy kernels.
 */
#pragma once

#include <ATen/core/CachingHostAllocator.h>

namespace fakedev
{

/* The only allocator of pinned memory. The allocator lives until the process ends. */
at::HostAllocator *host_allocator();

/* Returns true if `pointer` points into a pinned block that is in use, at its base or inside.
 * Never throws. */
bool is_live_host_block(const void *pointer) noexcept;

} // namespace fakedev
