/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The CPU fallback: one boxed kernel for every operator that has no kernel of its own.
 *
 * For: two thousand operators work from the first day, slowly; arguments are copied to the CPU, the
 * result comes back. Each use is counted, so that nobody takes it for a device kernel.
 * Without: NotImplementedError "Could not run 'aten::...' with arguments from the backend" (that is
 * the variant narrow_operators).
 * To get right: never let a view operator come here (it would return a copy), write in-place lists
 * back, leave convolution and the fused RNN cells out: the CPU has no kernel under those names.
 * Serves: OPS-022 to OPS-028, OPS-031, OPS-033, OPS-077, AGRD-021, AGRD-022, OPI-023.
 */
#include "cpu_fallback.h"

#include <torch/library.h>

#include <map>
#include <mutex>

#include "fakedev.h"

namespace fakedev
{
namespace
{

struct Counts {
    std::mutex mutex;
    std::map<std::string, uint64_t> of;
};

/* Never destroyed: a thread may still fall back while the process ends. */
Counts &counts()
{
    static Counts *const instance = new Counts;
    return *instance;
}

void count(const c10::OperatorName &name)
{
    Counts &all = counts();
    const std::lock_guard<std::mutex> lock(all.mutex);

    ++all.of[c10::toString(name)];
}

} // namespace

void boxed_cpu_fallback(const c10::OperatorHandle &op, torch::jit::Stack *stack)
{
    TORCH_CHECK_NOT_IMPLEMENTED(!fd_variant_is_on("narrow_operators"), "Could not run '",
                                op.operator_name(),
                                "' with arguments from the 'fakedev' backend: this combination has "
                                "no device kernel and the CPU fallback is switched off.");
    count(op.operator_name());
    at::native::cpu_fallback(op, stack);
}

TORCH_LIBRARY_IMPL(_, PrivateUse1, m)
{
    if (!fd_variant_is_on("narrow_operators"))
        m.fallback(torch::CppFunction::makeFromBoxedFunction<&boxed_cpu_fallback>());
}

} // namespace fakedev

int fakedev_fallback_get(size_t index, const char **name, uint64_t *count)
{
    fakedev::Counts &all = fakedev::counts();
    const std::lock_guard<std::mutex> lock(all.mutex);

    for (const auto &[key, value] : all.of) {
        if (index-- > 0)
            continue;
        *name = key.c_str();
        *count = value;
        return 1;
    }
    return 0;
}

void fakedev_fallback_clear(void)
{
    fakedev::Counts &all = fakedev::counts();
    const std::lock_guard<std::mutex> lock(all.mutex);

    for (auto &[key, value] : all.of)
        value = 0;
}
