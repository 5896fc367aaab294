/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Indexing with tensors: x[i, j], x[mask] and index_put_.
 *
 * Purpose: embedding, losses, masks, sorting by permutation.
 * If this file is removed, these operators run through the CPU fallback.
 * Traps: the device detects an index out of range, and the next synchronising call raises. No
 * memory outside the tensor is read or written. The driver requires that the indexed dims come
 * first, so the tensor is permuted before the call, and the result is permuted after the call.
 * Serves: OPS-027, OPS-063, OPS-067.
 */
#include <ATen/MemoryOverlap.h>
#include <ATen/native/IndexingUtils.h>
#include <c10/util/StringUtil.h>
#include <torch/library.h>

#include "cpu_fallback.h"
#include "status.h"
#include "structured.h"
#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

using Indices = c10::List<std::optional<at::Tensor>>;

/* x[indices] in the form that the driver requires. */
struct Indexing {
    at::Tensor self;                 /* permuted: the indexed dims come first */
    std::vector<at::Tensor> indices; /* one per indexed dim, broadcast to one shape */
    /* shape of the driver's result: index dims, then the remaining dims */
    std::vector<int64_t> shape;
    std::vector<int64_t> order; /* permutes the driver's result to the requested order */
};

/* Returns the order of dims in the result. If the indexed dims are adjacent, the index dims stand
 * at their position. Otherwise the index dims come first. */
std::vector<int64_t> result_order(int64_t index_dims, int64_t rest_dims, int64_t before)
{
    std::vector<int64_t> order;
    for (int64_t dim = 0; dim < before; dim++)
        order.push_back(index_dims + dim);
    for (int64_t dim = 0; dim < index_dims; dim++)
        order.push_back(dim);
    for (int64_t dim = before; dim < rest_dims; dim++)
        order.push_back(index_dims + dim);
    return order;
}

/* Index tensors must be on the CPU or on the tensor's device. This kernel is called if any of
 * the tensors is on the device, so `self` may be on the CPU. */
void check_devices(const at::Tensor &self, const Indices &indices)
{
    for (const std::optional<at::Tensor> &index : indices)
        TORCH_CHECK(!index || !index->defined() || index->is_cpu() ||
                        (index->device() == self.device() && self.is_privateuseone()),
                    "indices should be either on ", at::kCPU,
                    " or on the same device as the indexed tensor (", self.device(), ")");
}

/* Broadcasts the tensors to one shape. */
std::vector<at::Tensor> broadcast(const std::vector<at::Tensor> &indices)
try {
    return at::expand_outplace(indices);
} catch (const c10::Error &) {
    std::vector<at::IntArrayRef> shapes;
    for (const at::Tensor &index : indices)
        if (index.defined())
            shapes.push_back(index.sizes());
    TORCH_CHECK_INDEX(false,
                      "shape mismatch: indexing tensors could not be broadcast together "
                      "with shapes ",
                      c10::Join(", ", shapes));
}

Indexing normalize(const at::Tensor &self, const Indices &original)
{
    TORCH_CHECK_INDEX(static_cast<int64_t>(original.size()) <= self.dim(),
                      "too many indices for tensor of dimension ", self.dim(), " (got ",
                      original.size(), ")");
    std::vector<at::Tensor> expanded = at::native::expandTensors(self, original, false);
    expanded = broadcast(expanded);
    Indexing result;
    std::vector<int64_t> indexed, rest;
    bool adjacent = true;
    for (int64_t dim = 0; dim < self.dim(); dim++) {
        const bool is_indexed = dim < static_cast<int64_t>(expanded.size()) &&
                                expanded[static_cast<size_t>(dim)].defined();
        if (!is_indexed) {
            rest.push_back(dim);
            continue;
        }
        adjacent = adjacent && (indexed.empty() || indexed.back() == dim - 1);
        indexed.push_back(dim);
        result.indices.push_back(expanded[static_cast<size_t>(dim)].to(self.device()));
    }
    const int64_t before = adjacent && !indexed.empty() ? indexed.front() : 0;
    std::vector<int64_t> permutation = indexed;
    permutation.insert(permutation.end(), rest.begin(), rest.end());
    result.self = self.permute(permutation);
    if (!result.indices.empty())
        result.shape = result.indices[0].sizes().vec();
    const auto index_dims = static_cast<int64_t>(result.shape.size());
    for (const int64_t dim : rest)
        result.shape.push_back(self.size(dim));
    result.order = result_order(index_dims, static_cast<int64_t>(rest.size()), before);
    return result;
}

/* A 0-dim mask gives no index tensor. The CPU handles this case. */
bool fits(const at::Tensor &self, const Indexing &indexing)
{
    if (indexing.indices.empty() || !device_computes(self.scalar_type()) ||
        indexing.self.dim() > FD_MAX_DIMS || indexing.shape.size() > FD_MAX_DIMS)
        return false;
    for (const at::Tensor &index : indexing.indices)
        if (index.scalar_type() != at::kLong && index.scalar_type() != at::kInt)
            return false;
    return true;
}

/* Calls the driver with descriptors of the index tensors. */
template <class Call>
fd_status with_indices(const Indexing &indexing, Call call)
{
    std::vector<struct fd_tensor> described;
    std::vector<const struct fd_tensor *> pointers;
    for (const at::Tensor &index : indexing.indices)
        described.push_back(describe_input(index));
    for (const struct fd_tensor &index : described)
        pointers.push_back(&index);
    return call(pointers.data(), static_cast<int32_t>(pointers.size()));
}

bool has_index(const Indices &indices)
{
    for (const std::optional<at::Tensor> &index : indices)
        if (index && index->defined())
            return true;
    return false;
}

void check_not_empty(const Indexing &indexing)
{
    const auto count = static_cast<int64_t>(indexing.indices.size());
    for (int64_t dim = 0; dim < count; dim++)
        TORCH_CHECK_INDEX(indexing.self.size(dim) > 0 || indexing.indices[0].numel() == 0,
                          "index is out of bounds for dimension with size 0");
}

/* Gives the result the layout that core predicts, because compiled code relies on it. For a
 * mask, the size of the result depends on its values. */
at::Tensor laid_out(const at::Tensor &result, const at::Tensor &self, const Indices &indices)
{
    const auto without_memory = [](const at::Tensor &tensor) {
        return at::empty_strided(tensor.sizes(), tensor.strides(),
                                 tensor.options().device(at::kMeta));
    };
    Indices shapes;
    for (const std::optional<at::Tensor> &index : indices) {
        const bool is_given = index && index->defined();
        if (is_given && (index->scalar_type() == at::kBool || index->scalar_type() == at::kByte))
            return result.contiguous();
        shapes.push_back(is_given ? std::optional(without_memory(*index)) : std::nullopt);
    }
    const at::Tensor predicted = at::index(without_memory(self), shapes);
    return at::empty_strided(result.sizes(), predicted.strides(), result.options()).copy_(result);
}

/* True for x[mask] with a mask of x's shape. masked_select needs no positions of the elements. */
bool is_one_mask(const at::Tensor &self, const Indices &indices)
{
    const std::optional<at::Tensor> mask = indices.get(0);
    return indices.size() == 1 && mask && mask->scalar_type() == at::kBool &&
           mask->device() == self.device() && mask->sizes() == self.sizes() && self.dim() > 0;
}

at::Tensor index_read(const at::Tensor &self, const Indices &indices)
{
    if (!has_index(indices))
        return self.alias();
    check_devices(self, indices);
    if (is_one_mask(self, indices))
        return self.masked_select(*indices.get(0));
    const KernelScope scope(self);
    const Indexing indexing = normalize(self, indices);
    check_not_empty(indexing);
    const at::Tensor out = at::empty(indexing.shape, self.options());
    if (!fits(self, indexing))
        return laid_out(on_cpu<at::_ops::index_Tensor>(self, indices), self, indices);
    const struct fd_tensor to = describe_output(out);
    const struct fd_tensor from = describe_input(indexing.self);
    const fd_status status = with_indices(indexing, [&](const auto *pointers, int32_t count) {
        return fd_kernel_index(scope.stream(), &to, &from, pointers, count);
    });
    if (status == FD_ERROR_NOT_SUPPORTED)
        return laid_out(on_cpu<at::_ops::index_Tensor>(self, indices), self, indices);
    check(status, "index");
    return laid_out(out.permute(indexing.order), self, indices);
}

at::Tensor &index_out(const at::Tensor &self, const Indices &indices, at::Tensor &out)
{
    const at::Tensor result = index_read(self, indices);
    prepare_output(out, result.sizes(), result.strides(), result.options());
    return out.copy_(result);
}

/* The inverse permutation of the result's order. */
std::vector<int64_t> inverse(const std::vector<int64_t> &order)
{
    std::vector<int64_t> result(order.size());
    for (size_t dim = 0; dim < order.size(); dim++)
        result[static_cast<size_t>(order[dim])] = static_cast<int64_t>(dim);
    return result;
}

at::Tensor &index_put_(at::Tensor &self, const Indices &indices, const at::Tensor &given,
                       bool accumulate, bool unsafe)
{
    TORCH_CHECK(self.scalar_type() == given.scalar_type(),
                "Index put requires the source and destination dtypes match, got ",
                self.scalar_type(), " for the destination and ", given.scalar_type(),
                " for the source.");
    TORCH_CHECK(given.device() == self.device() || given.numel() == 1,
                "expected all tensors to be on the same device, found at least two devices, ",
                self.device(), " and ", given.device(), "!");
    check_devices(self, indices);
    at::assert_no_overlap(self, given);
    if (at::has_internal_overlap(self) == at::MemOverlap::Yes)
        return on_cpu<at::_ops::_index_put_impl_>(self, indices, given, accumulate, unsafe);
    const KernelScope scope(self);
    const at::Tensor values = given.to(self.device());
    if (!has_index(indices))
        return accumulate ? self.add_(values) : self.copy_(values);
    const Indexing indexing = normalize(self, indices);
    check_not_empty(indexing);
    std::vector<int64_t> wanted;
    for (const int64_t dim : indexing.order)
        wanted.push_back(indexing.shape[static_cast<size_t>(dim)]);
    const at::Tensor source = values.expand(wanted).permute(inverse(indexing.order));
    if (!fits(self, indexing))
        return on_cpu<at::_ops::_index_put_impl_>(self, indices, values, accumulate, unsafe);
    if (source.numel() == 0)
        return self;
    const struct fd_tensor to = describe_output(indexing.self);
    const struct fd_tensor from = describe_input(source);
    const fd_status status = with_indices(indexing, [&](const auto *pointers, int32_t count) {
        return fd_kernel_index_put(scope.stream(), &to, pointers, count, &from, accumulate);
    });
    if (status == FD_ERROR_NOT_SUPPORTED)
        return on_cpu<at::_ops::_index_put_impl_>(self, indices, values, accumulate, unsafe);
    check(status, "index_put");
    return self;
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("index.Tensor", TORCH_FN(index_read));
    m.impl("index.Tensor_out", TORCH_FN(index_out));
    m.impl("_index_put_impl_", TORCH_FN(index_put_));
}

} // namespace fakedev
