/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Values for the host: _local_scalar_dense and equal.
 *
 * Purpose: item(), bool(tensor), tolist of scalars, torch.equal, assert_close.
 * If this file is removed, `if tensor:` and printing of scalars fail.
 * Trap: the value must be read after the stream has produced it. The copy waits for that.
 * Serves: OPS-001, OPS-020, OPS-054, PYO-001.
 */
#include <ATen/ATen.h>
#include <torch/library.h>

#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

at::Scalar local_scalar_dense(const at::Tensor &self)
{
    TORCH_CHECK(self.numel() == 1, "a Tensor with ", self.numel(),
                " elements cannot be converted to Scalar");
    return at::_local_scalar_dense(self.cpu());
}

bool equal(const at::Tensor &self, const at::Tensor &other)
{
    TORCH_CHECK(self.device() == other.device(),
                "Cannot compare two tensors on different devices. Got: ", self.device(), " and ",
                other.device());
    if (self.sizes() != other.sizes())
        return false;
    const KernelScope scope(self);
    return self.numel() == 0 || self.eq(other).all().item<bool>();
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("_local_scalar_dense", TORCH_FN(local_scalar_dense));
    m.impl("equal", TORCH_FN(equal));
}

} // namespace fakedev
