/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Profiler stubs from before #119142: the device is an int.
 */
#include <torch/csrc/profiler/stubs/base.h>

struct LaggingStubs final : torch::profiler::impl::ProfilerStubs {
    void record(int *, torch::profiler::impl::ProfilerVoidEventStub *, int64_t *) const override {}
};

static LaggingStubs stubs;
