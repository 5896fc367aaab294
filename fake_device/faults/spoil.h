/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operators that go wrong while a fault is on. The wrong one is registered over the clean one when
 * its fault is armed or watched, asks at each call, and otherwise calls the clean one: a program in
 * which nothing is armed runs the clean kernels and nothing else.
 */
#pragma once

#include "switchboard.h"

#include <ATen/core/dispatch/Dispatcher.h>
#include <torch/library.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace fakedev
{

/* One call of a spoiled operator; its arguments are on the stack, then its results. */
struct Call {
    const c10::OperatorHandle &op;
    c10::DispatchKeySet keys;
    torch::jit::Stack *stack;
    const std::optional<c10::SafeKernelFunction> &kernel;

    void clean() const;
    /* As if nothing were registered for autocast. */
    void below_autocast() const;
    size_t argument_count() const;
    c10::IValue &argument(size_t index) const;
    /* NULL if the schema has none of that name. */
    c10::IValue *named(const char *name) const;
    /* After clean(). */
    c10::IValue &result() const;
};

using Wrong = std::function<void(const Call &)>;

struct Spoil {
    const char *fault;
    std::string op; /* "aten::mm", "aten::add.out" */
    c10::DispatchKey key;
    Wrong wrong;
    /* Being registered is the fault: it cannot be watched. */
    bool by_being_there = false;
};
using Spoils = std::vector<Spoil>;

/* A wrong operator that is written as an ordinary function. */
template <typename Function>
Wrong instead(Function *function)
{
    const auto kernel = std::make_shared<c10::KernelFunction>(
        c10::KernelFunction::makeFromUnboxedRuntimeFunction(function));

    return [kernel](const Call &call) { kernel->callBoxed(call.op, call.keys, call.stack); };
}

/* The clean operator, after `change` has seen the call. */
Wrong before(std::function<void(const Call &)> change);
/* The clean operator, then `change`, for which only result() is left: the arguments are gone. */
Wrong after(std::function<void(const Call &)> change);

/* The operators of aten that the clean library registers for `key`, as "aten::mm". */
std::vector<std::string> kernels_for(c10::DispatchKey key);

/* One function for each file of spoiled operators. Called when all clean ones are registered. */
Spoils spoiled_arguments();
Spoils spoiled_autocast();
Spoils spoiled_copies();
Spoils spoiled_fallback();
Spoils spoiled_forms();
Spoils spoiled_formulas();
Spoils spoiled_kernels();
Spoils spoiled_kinds();
Spoils spoiled_random();
Spoils spoiled_refusals();
Spoils spoiled_tensors();

/* Puts the wrong operators of a fault in place; a second time does nothing. */
void place_spoils(const char *fault);

} // namespace fakedev
