/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Pinned host memory, for the hooks and for copy kernels.
 */
#pragma once

#include <ATen/core/CachingHostAllocator.h>

namespace fakedev
{

/* The one allocator of pinned memory; lives until the process ends. */
at::HostAllocator *host_allocator();

/* Base or interior pointer of a pinned block that someone holds. Never throws. */
bool is_live_host_block(const void *pointer) noexcept;

} // namespace fakedev
