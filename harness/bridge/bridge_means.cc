// SPDX-License-Identifier: BSD-3-Clause
//
// Records and refuses uses of the backend by a job, with functions of PyTorch only, so that it
// works with any backend. A RecordFunction callback records operators. To refuse an operator, a
// kernel replaces that of the backend and throws the error that PyTorch throws without a kernel.
#include "bridge_internal.h"
#include "bridge_of_backend.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <ATen/record_function.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <set>
#include <unordered_map>
#include <unordered_set>

namespace
{

constexpr auto backend_key = c10::DispatchKey::PrivateUse1;
const char generator_means[] = "keyword.generator";

// Operators that exist at the start. An operator that a check defines later does not belong to the
// backend.
std::unordered_set<c10::OperatorName> known_operators;

bridge_means_seen on_used, on_refused;
int64_t lateness_ms;

// Waits like a backend that compiles a kernel at its first use. No result depends on this wait.
void be_late()
{
    std::mutex lock;
    std::condition_variable never;
    std::unique_lock<std::mutex> held(lock);
    never.wait_for(held, std::chrono::milliseconds(lateness_ms));
}

// Called once for each name, because further uses give no information.
void tell_once(bridge_means_seen tell, const std::string &name)
{
    static std::mutex lock;
    static std::set<std::pair<bridge_means_seen, std::string>> told;
    if (tell == nullptr)
        return;
    {
        const std::lock_guard<std::mutex> held(lock);
        if (!told.emplace(tell, name).second)
            return;
    }
    tell(name.c_str());
    if (tell == on_used && lateness_ms > 0)
        be_late();
}

// Without a kernel of the backend, PyTorch computes the operator from others, so every backend has
// this operator.
bool is_composite(const c10::OperatorHandle &op)
{
    return op.hasKernelForDispatchKey(c10::DispatchKey::CompositeImplicitAutograd) ||
           op.hasKernelForDispatchKey(c10::DispatchKey::CompositeExplicitAutograd);
}

bool is_generator_of_backend(const c10::IValue &value)
{
    return value.isGenerator() && value.toGenerator().defined() &&
           value.toGenerator().device().is_privateuseone();
}

std::unique_ptr<at::ObserverContext> see_means(const at::RecordFunction &function)
{
    const auto name = function.operator_name();
    const auto inputs = function.inputs();
    if (!name.has_value())
        return nullptr;
    if (std::any_of(inputs.begin(), inputs.end(), is_generator_of_backend))
        tell_once(on_used, generator_means);
    if (!std::any_of(inputs.begin(), inputs.end(), bridge::is_of_backend))
        return nullptr;
    const auto op = c10::Dispatcher::singleton().findSchema(*name);
    if (op.has_value() && !is_composite(*op) && known_operators.count(*name) > 0)
        tell_once(on_used, c10::toString(*name));
    return nullptr;
}

// ---- refusing ----------------------------------------------------------------------------------

// The kernels that replace those of the backend stay registered until the process ends.
void replace_kernel(const c10::OperatorName &name, c10::KernelFunction kernel)
{
    static auto *const kept = new std::vector<c10::RegistrationHandleRAII>;
    kept->push_back(c10::Dispatcher::singleton().registerImpl(
        name, backend_key, std::move(kernel), std::nullopt, nullptr, "refused by the harness"));
}

void refuse_operator(const c10::OperatorHandle &op, c10::DispatchKeySet /*keys*/,
                     torch::jit::Stack * /*stack*/)
{
    const std::string name = c10::toString(op.operator_name());
    tell_once(on_refused, name);
    // The text of OperatorEntry::reportError, which only the dispatcher may call.
    TORCH_CHECK_NOT_IMPLEMENTED(
        false, "Could not run '", name, "' with arguments from the '", c10::toString(backend_key),
        "' backend. This could be because the operator doesn't exist for this backend, or was ",
        "omitted during the selective/custom build process (if using custom build).");
}

using kernels = std::unordered_map<std::string, c10::SafeKernelFunction>;

kernels &replaced_kernels()
{
    static auto *const map = new kernels;
    return *map;
}

void refuse_generator(const c10::OperatorHandle &op, c10::DispatchKeySet keys,
                      torch::jit::Stack *stack)
{
    const size_t count = op.schema().arguments().size();
    for (const c10::IValue &value : torch::jit::last(*stack, count)) {
        if (is_generator_of_backend(value)) {
            tell_once(on_refused, generator_means);
            TORCH_CHECK(false, "Expected a 'cpu' device type for generator but found '",
                        value.toGenerator().device().type(), "'");
        }
    }
    replaced_kernels().at(c10::toString(op.operator_name())).callBoxed(op, keys, stack);
}

bool takes_generator(const c10::OperatorHandle &op)
{
    if (!op.hasSchema())
        return false;
    const auto &arguments = op.schema().arguments();
    return std::any_of(arguments.begin(), arguments.end(), [](const c10::Argument &argument) {
        return argument.type()->isSubtypeOf(*c10::OptionalType::create(c10::GeneratorType::get()));
    });
}

void refuse_every_generator()
{
    auto &dispatcher = c10::Dispatcher::singleton();
    for (const c10::OperatorName &name : dispatcher.getAllOpNames()) {
        const auto op = dispatcher.findSchema(name);
        if (!op.has_value() || is_composite(*op) || !takes_generator(*op) ||
            !op->hasComputedKernelForDispatchKey(backend_key)) {
            continue;
        }
        replaced_kernels().emplace(c10::toString(name),
                                   op->getComputedKernelForDispatchKey(backend_key));
        replace_kernel(name, c10::KernelFunction::makeFromBoxedFunction<&refuse_generator>());
    }
}

c10::OperatorName operator_name(const std::string &full)
{
    const size_t dot = full.find('.');
    return dot == std::string::npos ? c10::OperatorName(full, "")
                                    : c10::OperatorName(full.substr(0, dot), full.substr(dot + 1));
}

} // namespace

bool bridge::is_of_backend(const c10::IValue &value)
{
    if (value.isTensor())
        return value.toTensor().defined() && value.toTensor().is_privateuseone();
    if (value.isDevice())
        return value.toDevice().is_privateuseone();
    if (value.isList()) {
        const auto items = value.toListRef();
        return std::any_of(items.begin(), items.end(), is_of_backend);
    }
    return false;
}

int32_t bridge_means_record(bridge_means_seen used, int64_t late_ms)
{
    return bridge::guarded([&] {
        on_used = used;
        lateness_ms = late_ms;
        const auto names = c10::Dispatcher::singleton().getAllOpNames();
        known_operators.insert(names.begin(), names.end());
        at::addGlobalCallback(at::RecordFunctionCallback(see_means).needsInputs(true).scopes(
            {at::RecordScope::FUNCTION}));
    });
}

int32_t bridge_means_refuse(const char *name, bridge_means_seen refused)
{
    return bridge::guarded([&] {
        on_refused = refused;
        if (std::string(name) == generator_means)
            return refuse_every_generator();
        TORCH_CHECK_NOT_IMPLEMENTED(std::string(name).find("::") != std::string::npos,
                                    "PyTorch itself cannot refuse ", name);
        const auto op = operator_name(name);
        TORCH_CHECK_VALUE(c10::Dispatcher::singleton().findSchema(op).has_value(),
                          "there is no operator ", name);
        replace_kernel(op, c10::KernelFunction::makeFromBoxedFunction<&refuse_operator>());
    });
}
