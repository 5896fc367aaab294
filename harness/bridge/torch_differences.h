// SPDX-License-Identifier: BSD-3-Clause
//
// No other file of the bridge may depend on the version of torch that it is compiled for (one of
// those in ci/torch-range). Each difference has one name here; the other files use the name, never
// a version number.
#pragma once

#include <torch/headeronly/version.h>

#define BRIDGE_TORCH_AT_LEAST(major, minor)                                                        \
    (TORCH_VERSION_MAJOR > (major) ||                                                              \
     (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))

#if !BRIDGE_TORCH_AT_LEAST(2, 11)
#error "This torch is older than the oldest that assay supports (see ci/torch-range)."
#endif

// at::GraphImplRegistry.
#define BRIDGE_HAS_GRAPHS BRIDGE_TORCH_AT_LEAST(2, 12)

// at::HostAllocator::record_history, get_segments and get_traces.
#define BRIDGE_HAS_HOST_HISTORY BRIDGE_TORCH_AT_LEAST(2, 14)
