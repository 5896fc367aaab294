/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Only this file tests the version of torch for which the library is compiled; ci/torch-range lists
 * the versions. A backend for a single release does not need such a file.
 */
#pragma once

#include <torch/headeronly/version.h>

#define FAKEDEV_TORCH_AT_LEAST(major, minor)                                                       \
    (TORCH_VERSION_MAJOR > (major) ||                                                              \
     (TORCH_VERSION_MAJOR == (major) && TORCH_VERSION_MINOR >= (minor)))

/* at::GraphImplRegistry, and with it DeviceGuardImplInterface::isStreamCapturing. */
#define FAKEDEV_HAS_GRAPHS FAKEDEV_TORCH_AT_LEAST(2, 12)

/* Kineto's interface for an activity profiler of PrivateUse1, and its registry. */
#define FAKEDEV_HAS_ACTIVITY_PROFILER FAKEDEV_TORCH_AT_LEAST(2, 13)

/* HostAllocator::record_history, get_segments and get_traces. */
#define FAKEDEV_HAS_HOST_HISTORY FAKEDEV_TORCH_AT_LEAST(2, 14)

/* GeneratorImpl::philox_state. */
#define FAKEDEV_HAS_PHILOX_STATE FAKEDEV_TORCH_AT_LEAST(2, 14)

/* Named tensors were removed in 2.13. Before 2.13, structured operators had the names as their last
 * output argument. */
#if FAKEDEV_TORCH_AT_LEAST(2, 13)
#define FAKEDEV_LAST_ARGUMENT(names)
#else
#define FAKEDEV_LAST_ARGUMENT(names) , names
#endif
