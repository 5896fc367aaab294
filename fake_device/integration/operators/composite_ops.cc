/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operators that core builds from other operators, but for which the CPU has a kernel.
 *
 * If this file is removed, core's composition has priority over the CPU fallback, but supports
 * less: group_norm of a channels_last tensor raises, and native_layer_norm of an input without rows
 * returns statistics of another shape. A registered kernel has priority over core's composition.
 * Trap: do this only for operators for which PyTorch has a gradient formula.
 * Serves: OPS-085.
 */
#include <torch/library.h>

#include "cpu_fallback.h"

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    for (const char *name : {"native_group_norm", "native_layer_norm"})
        m.impl(name, torch::CppFunction::makeFromBoxedFunction<&fakedev::boxed_cpu_fallback>());
}
