/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operators that are wrong while a fault is on. When a fault is armed or watched, its wrong
 * operator is registered in place of the correct operator. The wrong operator queries the fault
 * at each call, and calls the correct operator if the fault is off. If no fault is armed or
 * watched, a program runs only correct kernels.
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

/* One call of a wrong operator. Before clean(), the stack holds the arguments of the call; after
 * clean(), it holds the results. */
struct Call {
    const c10::OperatorHandle &op;
    c10::DispatchKeySet keys;
    torch::jit::Stack *stack;
    const std::optional<c10::SafeKernelFunction> &kernel;

    void clean() const;
    /* Calls the correct operator, but skips its autocast kernel. */
    void below_autocast() const;
    size_t argument_count() const;
    c10::IValue &argument(size_t index) const;
    /* Returns NULL if the schema has no argument with that name. */
    c10::IValue *named(const char *name) const;
    /* The result. Valid only after clean(). */
    c10::IValue &result() const;
};

/* The key of most wrong operators. */
constexpr auto key = c10::DispatchKey::PrivateUse1;

using Wrong = std::function<void(const Call &)>;

struct Spoil {
    const char *fault;
    std::string op; /* "aten::mm", "aten::add.out" */
    c10::DispatchKey key;
    Wrong wrong;
    /* True if the mere registration of a kernel is the fault. Such a fault cannot be watched. */
    bool by_being_there = false;
};
using Spoils = std::vector<Spoil>;

/* A wrong operator that is implemented as an ordinary function. */
template <typename Function>
Wrong instead(Function *function)
{
    const auto kernel = std::make_shared<c10::KernelFunction>(
        c10::KernelFunction::makeFromUnboxedRuntimeFunction(function));
    return [kernel](const Call &call) { kernel->callBoxed(call.op, call.keys, call.stack); };
}

/* Calls `change`, then the correct operator. */
Wrong before(std::function<void(const Call &)> change);
/* Calls the correct operator, then `change`, which may use only result(), because the arguments no
 * longer exist. */
Wrong after(std::function<void(const Call &)> change);

/* The aten operators that the correct library registers for `key`, such as "aten::mm". */
std::vector<std::string> kernels_for(c10::DispatchKey dispatch_key);

/* One function per file of wrong operators, called when all correct operators are registered. */
Spoils spoiled_arguments();
Spoils spoiled_autocast();
Spoils spoiled_collectives();
Spoils spoiled_copies();
Spoils spoiled_fallback();
Spoils spoiled_forms();
Spoils spoiled_formulas();
Spoils spoiled_kernels();
Spoils spoiled_kinds();
Spoils spoiled_random();
Spoils spoiled_refusals();
Spoils spoiled_sums();
Spoils spoiled_tensors();

/* Installs the wrong operators of a fault. A second call for the same fault is a no-op. */
void place_spoils(const char *fault);

} // namespace fakedev
