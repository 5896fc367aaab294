// SPDX-License-Identifier: BSD-3-Clause
//
// Records the operators that PyTorch computed on the CPU because the backend has no kernel for
// them. The fallback copies the tensors by aten::_to_cpu, so each operator that calls aten::_to_cpu
// is recorded. A RecordFunction callback sees these calls, so this works with any backend.
#include "bridge_internal.h"

#include <ATen/core/operator_name.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <mutex>
#include <vector>

namespace
{

// The operators that run on this thread, the innermost last.
thread_local std::vector<std::string> under_way;

std::mutex lock;
std::vector<std::string> fallen_back; // in the order of their first use
std::string told;

void remember(const std::string &name)
{
    const std::lock_guard<std::mutex> held(lock);
    if (std::find(fallen_back.begin(), fallen_back.end(), name) == fallen_back.end())
        fallen_back.push_back(name);
}

std::unique_ptr<at::ObserverContext> enter(const at::RecordFunction &function)
{
    const auto name = function.operator_name();
    const std::string text = name.has_value() ? c10::toString(*name) : "";
    if (text == "aten::_to_cpu" && !under_way.empty() && !under_way.back().empty())
        remember(under_way.back());
    under_way.push_back(text);
    return nullptr;
}

void leave(const at::RecordFunction & /*function*/, at::ObserverContext * /*none*/)
{
    if (!under_way.empty()) // empty: the operator started before recording was on
        under_way.pop_back();
}

} // namespace

int32_t bridge_fallback_watch(void)
{
    static std::once_flag installed;
    return bridge::guarded([] {
        std::call_once(installed, [] {
            at::addGlobalCallback(
                at::RecordFunctionCallback(enter, leave).scopes({at::RecordScope::FUNCTION}));
        });
        const std::lock_guard<std::mutex> held(lock);
        fallen_back.clear();
    });
}

const char *bridge_fallback_names(void)
{
    const std::lock_guard<std::mutex> held(lock);
    told.clear();
    for (const std::string &name : fallen_back)
        told += (told.empty() ? "" : ", ") + name;
    return told.c_str();
}
