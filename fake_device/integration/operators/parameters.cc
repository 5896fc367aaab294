/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Decides whether a tensor may take the data of another tensor. Module.to moves Parameters and
 * their gradients by such an assignment, `x.data = y`.
 *
 * If this file is removed, core treats tensors of the CPU and of the device as incompatible, and
 * Module.to silently creates new Parameters. Then tied weights become two tensors, an optimizer
 * that was created earlier trains the old Parameters, and lazy modules lose their Parameters.
 * Traps: both directions must be allowed, and only for dense tensors.
 * Serves: AGRD-024, AGRD-029, STOR-020.
 */
#include <ATen/ATen.h>
#include <torch/library.h>

namespace fakedev
{
namespace
{

/* Like c10::TensorImpl::has_compatible_shallow_copy_type, which has a fixed list of backends. */
bool is_dense(const at::Tensor &tensor)
{
    const bool here = tensor.is_cpu() || tensor.is_privateuseone();
    return here && tensor.key_set().has(c10::DispatchKey::Dense);
}

bool takes_data_of(const at::Tensor &self, const at::Tensor &from)
{
    return self.key_set() == from.key_set() || (is_dense(self) && is_dense(from));
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("_has_compatible_shallow_copy_type", TORCH_FN(takes_data_of));
}

} // namespace fakedev
