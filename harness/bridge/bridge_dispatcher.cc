// SPDX-License-Identifier: BSD-3-Clause
//
// The dispatcher: calls any operator by its schema name, and queries the registrations for it.
#include "bridge_internal.h"

#include <ATen/core/dispatch/Dispatcher.h>

#include <algorithm>

namespace
{

struct op_name {
    std::string name, overload;
};

op_name split(const std::string &full)
{
    const size_t dot = full.find('.');
    if (dot == std::string::npos)
        return {full, ""};
    return {full.substr(0, dot), full.substr(dot + 1)};
}

c10::OperatorHandle find(const char *op)
{
    const op_name name = split(op);
    return c10::Dispatcher::singleton().findSchemaOrThrow(name.name.c_str(), name.overload.c_str());
}

c10::IValue convert(const bridge_value &value)
{
    switch (value.kind) {
    case BRIDGE_NONE:
        return {};
    case BRIDGE_TENSOR:
        return value.tensor->value;
    case BRIDGE_INT:
        return value.integer;
    case BRIDGE_REAL:
        return value.real;
    case BRIDGE_TRUTH:
        return value.integer != 0;
    case BRIDGE_INTS:
        return c10::IValue(c10::IntArrayRef(value.ints, static_cast<size_t>(value.count)));
    case BRIDGE_GENERATOR:
        return value.generator->value;
    case BRIDGE_DEVICE:
        return bridge::device(static_cast<int32_t>(value.integer));
    default:
        TORCH_CHECK_VALUE(false, "unknown kind of value ", value.kind);
    }
}

// Returns the given arguments, then the schema's defaults for the other arguments.
torch::jit::Stack arguments(const c10::FunctionSchema &schema, const bridge_value *values,
                            int32_t count)
{
    const auto &wanted = schema.arguments();
    TORCH_CHECK_VALUE(static_cast<size_t>(count) <= wanted.size(), schema.name(), " takes ",
                      wanted.size(), " arguments, not ", count);
    torch::jit::Stack stack;
    for (int32_t i = 0; i < count; i++)
        stack.push_back(convert(values[i]));
    for (auto i = static_cast<size_t>(count); i < wanted.size(); i++) {
        const auto &fallback = wanted[i].default_value();
        TORCH_CHECK_VALUE(fallback.has_value(), schema.name(), " needs its argument ",
                          wanted[i].name());
        stack.push_back(*fallback);
    }
    return stack;
}

std::vector<std::string> registered(const char *key)
{
    std::vector<std::string> names;
    const auto parsed = c10::parseDispatchKey(key);
    for (const auto &op : c10::Dispatcher::singleton().getRegistrationsForDispatchKey(parsed))
        names.push_back(op.overload_name.empty() ? op.name : op.name + "." + op.overload_name);
    std::sort(names.begin(), names.end());
    return names;
}

} // namespace

int32_t bridge_call(const char *op, const struct bridge_value *values, int32_t count,
                    struct bridge_tensor **result)
{
    return bridge::guarded([&] {
        const c10::OperatorHandle handle = find(op);
        torch::jit::Stack stack = arguments(handle.schema(), values, count);
        handle.callBoxed(stack);
        if (result != nullptr) {
            TORCH_CHECK_VALUE(!stack.empty() && stack.front().isTensor(), op,
                              " does not return a tensor");
            *result = new bridge_tensor{stack.front().toTensor()};
        }
    });
}

int32_t bridge_op_has_kernel(const char *op, const char *key)
{
    int32_t has = 0;
    const int32_t status = bridge::guarded([&] {
        const op_name name = split(op);
        const auto handle = c10::Dispatcher::singleton().findSchema({name.name, name.overload});
        has = handle.has_value() && handle->hasKernelForDispatchKey(c10::parseDispatchKey(key));
    });
    return status == ASSAY_OK ? has : 0;
}

int32_t bridge_has_fallback(const char *key)
{
    int32_t has = 0;
    const int32_t status = bridge::guarded([&] {
        auto &dispatcher = c10::Dispatcher::singleton();
        has = dispatcher.hasBackendFallbackForDispatchKey(c10::parseDispatchKey(key));
    });
    return status == ASSAY_OK ? has : 0;
}

int32_t bridge_kernel_count(const char *key, int32_t *count)
{
    return bridge::guarded([&] { *count = static_cast<int32_t>(registered(key).size()); });
}

int32_t bridge_kernels(const char *key, void (*visit)(void *context, const char *op), void *context)
{
    return bridge::guarded([&] {
        for (const std::string &name : registered(key))
            visit(context, name.c_str());
    });
}
