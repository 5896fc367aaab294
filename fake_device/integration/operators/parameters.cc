/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Whether a tensor may take the data of another one: `x.data = y`, by which Module.to moves
 * Parameters and their gradients.
 *
 * Without: core says that tensors of the CPU and of the device are of different kinds, and
 * Module.to makes new Parameters without a word. Tied weights become two, an optimizer that was
 * made before trains the ones that were left behind, and lazy modules lose theirs.
 * To get right: both ways, and only dense tensors. Serves: AGRD-024, AGRD-029, STOR-020.
 */
#include <ATen/ATen.h>
#include <torch/library.h>

namespace fakedev
{
namespace
{

/* As in c10::TensorImpl::has_compatible_shallow_copy_type, which has a list of backends. */
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
