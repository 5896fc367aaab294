// SPDX-License-Identifier: BSD-3-Clause
//
// Counts calls of operators that reached the backend, with PyTorch's own RecordFunction. Tests of a
// library that stay on the CPU pass as well, but are no evidence about the device.
#include "bridge_internal.h"
#include "bridge_of_backend.h"

#include <ATen/record_function.h>

#include <algorithm>
#include <atomic>
#include <mutex>

namespace
{

std::atomic<int64_t> calls{0};

std::unique_ptr<at::ObserverContext> see_call(const at::RecordFunction &function)
{
    const auto inputs = function.inputs();
    if (std::any_of(inputs.begin(), inputs.end(), bridge::is_of_backend))
        calls.fetch_add(1, std::memory_order_relaxed);
    return nullptr;
}

} // namespace

int32_t bridge_calls_count(void)
{
    static std::once_flag installed;
    return bridge::guarded([] {
        std::call_once(installed, [] {
            at::addGlobalCallback(at::RecordFunctionCallback(see_call).needsInputs(true).scopes(
                {at::RecordScope::FUNCTION}));
        });
    });
}

int64_t bridge_calls_seen(void)
{
    return calls.load(std::memory_order_relaxed);
}
