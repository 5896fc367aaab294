/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Operators for which core has a form made of others, and which the CPU does itself.
 *
 * Without: the CPU fallback is not asked, since core's form wins over it, and that takes less or gives
 * less: group_norm of a channels_last tensor raises, native_layer_norm of no rows has statistics of
 * another shape. A kernel that is registered wins over core's form.
 * To get right: only operators whose gradient PyTorch has a formula for. Serves: OPS-085.
 */
#include <torch/library.h>

#include "cpu_fallback.h"

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    for (const char *name : {"native_group_norm", "native_layer_norm"})
        m.impl(name, torch::CppFunction::makeFromBoxedFunction<&fakedev::boxed_cpu_fallback>());
}
