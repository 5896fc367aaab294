/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Stand-in for the functions that the profiler calls in a backend.
 */
#pragma once
#include <c10/core/Device.h>

namespace torch::profiler::impl {
struct ProfilerStubs {
    virtual ~ProfilerStubs() = default;
    virtual void record(int *device, long *microseconds) const = 0;
};
} // namespace torch::profiler::impl
