/* SPDX-License-Identifier: BSD-3-Clause
 *
 * cat. Core builds stack, hstack and similar operators from cat.
 *
 * If this file is removed, cat runs through the CPU fallback.
 * Serves: OPS-047, OPS-067, OPS-068, AMP-012.
 */
#include <ATen/ops/cat_meta.h>
#include <torch/library.h>

#include "structured.h"
#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

/* For compatibility, cat ignores 1-dim tensors without elements. */
bool is_skipped(const at::Tensor &tensor)
{
    return tensor.dim() == 1 && tensor.size(0) == 0;
}

at::Tensor &cat_out(const at::ITensorListRef &tensors, int64_t dim, at::Tensor &out)
{
    const auto materialized = tensors.materialize();
    for (const at::Tensor &tensor : materialized) {
        check_same_device(out.device(), {tensor}, "fakedev cat");
        TORCH_CHECK(!out.is_same(tensor) || tensor.numel() == 0,
                    "unsupported operation: the input tensors cannot refer to any of the output "
                    "memory locations.");
    }
    Structured<at::meta::structured_cat>(out).meta(tensors, dim);
    const KernelScope scope(out);
    int64_t begin = 0;
    for (const at::Tensor &tensor : materialized) {
        if (is_skipped(tensor))
            continue;
        const int64_t size = tensor.size(dim);
        out.narrow(dim, begin, size).copy_(tensor);
        begin += size;
    }
    return out;
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("cat.out", TORCH_FN(cat_out));
}

} // namespace fakedev
