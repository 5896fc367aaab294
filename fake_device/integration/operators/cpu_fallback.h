/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Computes an operator on the CPU if there is no device kernel, or if the device kernel does not
 * support the dtype, rank or layout.
 */
#pragma once

#include <ATen/native/CPUFallback.h>

namespace fakedev
{

void boxed_cpu_fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack);

/* on_cpu<at::_ops::add_out>(self, other, alpha, out) calls the operator on the CPU and writes out=
 * back. */
template <class Op, class... Args>
decltype(auto) on_cpu(Args &&...args)
{
    return at::native::call_fallback_fn<&boxed_cpu_fallback, Op>::call(std::forward<Args>(args)...);
}

/* Like on_cpu, for operators whose schema has SymInts. */
template <class Op, class... Args>
decltype(auto) on_cpu_symint(Args &&...args)
{
    return at::native::call_fallback_fn_symint<&boxed_cpu_fallback, Op>::call(
        std::forward<Args>(args)...);
}

} // namespace fakedev

extern "C" {

/* Gives the name of an operator that used the fallback, and the number of its calls. Returns 0 past
 * the end. `name` is valid until the process ends. */
__attribute__((visibility("default"))) int fakedev_fallback_get(size_t index, const char **name,
                                                                uint64_t *count);
__attribute__((visibility("default"))) void fakedev_fallback_clear(void);
}
