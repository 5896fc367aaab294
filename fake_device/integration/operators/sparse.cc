/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Sparse tensors of coordinates (COO): creation, copies, sums, products with dense matrices.
 *
 * Purpose: gradients of nn.Embedding(sparse=True), their optimizers, saving, graph networks.
 * If this file is removed, core refuses sparse tensors of the device ("SparsePrivateUse1").
 * Traps: core's implementations work for every device, but core opens no device guard for
 * PrivateUse1: without the guard an empty sparse tensor is made on the current device. The sum of a
 * dense and a sparse tensor is dispatched to the sparse kernel.
 * Implementation: indices and values are dense device tensors, and each kernel here is composed of
 * dense operators. Other operators on sparse tensors are refused with core's message.
 * Serves: QSN-008, QSN-010, QSN-013, OPS-003.
 */
#include <ATen/ATen.h>
#include <ATen/ops/_coalesced_native.h>
#include <ATen/ops/_indices_native.h>
#include <ATen/ops/_nnz_native.h>
#include <ATen/ops/_sparse_coo_tensor_with_dims_and_tensors_native.h>
#include <ATen/ops/_sparse_coo_tensor_with_dims_native.h>
#include <ATen/ops/_to_dense_native.h>
#include <ATen/ops/_to_sparse_native.h>
#include <ATen/ops/_values_native.h>
#include <ATen/ops/add_native.h>
#include <ATen/ops/copy_native.h>
#include <ATen/ops/copy_sparse_to_sparse_native.h>
#include <ATen/ops/dense_dim_native.h>
#include <ATen/ops/empty_native.h>
#include <ATen/ops/indices_native.h>
#include <ATen/ops/is_coalesced_native.h>
#include <ATen/ops/sparse_dim_native.h>
#include <ATen/ops/sparse_resize_and_clear_native.h>
#include <ATen/ops/sparse_resize_native.h>
#include <ATen/ops/values_native.h>
#include <ATen/ops/zero_native.h>
#include <c10/core/DeviceGuard.h>
#include <torch/library.h>

#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

/* ---- creation -------------------------------------------------------------------------------- */

at::Tensor empty_coo(at::IntArrayRef size, std::optional<at::ScalarType> dtype,
                     std::optional<at::Layout> layout, std::optional<at::Device> device,
                     std::optional<bool> pin_memory, std::optional<at::MemoryFormat> memory_format)
{
    const c10::OptionalDeviceGuard guard(device);
    return at::native::empty_sparse(size, dtype, layout, device, pin_memory, memory_format);
}

at::Tensor coo_with_dims(int64_t sparse_dim, int64_t dense_dim, at::IntArrayRef size,
                         std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                         std::optional<at::Device> device, std::optional<bool> pin_memory)
{
    const c10::OptionalDeviceGuard guard(device);
    return at::native::new_with_dims_sparse(sparse_dim, dense_dim, size, dtype, layout, device,
                                            pin_memory);
}

at::Tensor coo_with_tensors(int64_t sparse_dim, int64_t dense_dim, c10::SymIntArrayRef size,
                            const at::Tensor &indices, const at::Tensor &values,
                            std::optional<at::ScalarType> dtype, std::optional<at::Layout> layout,
                            std::optional<at::Device> device, std::optional<bool> pin_memory,
                            std::optional<bool> is_coalesced)
{
    const c10::DeviceGuard guard(values.device());
    return at::native::new_with_dims_and_tensor_sparse_symint(sparse_dim, dense_dim, size, indices,
                                                              values, dtype, layout, device,
                                                              pin_memory, is_coalesced);
}

at::Tensor coo_like(const at::Tensor &like, const at::Tensor &indices, const at::Tensor &values,
                    bool is_coalesced)
{
    return at::_sparse_coo_tensor_unsafe(indices, values, like.sizes(),
                                         values.options().layout(at::kSparse), is_coalesced);
}

at::Tensor clone_coo(const at::Tensor &self, std::optional<at::MemoryFormat> format)
{
    TORCH_CHECK(!format || *format == at::MemoryFormat::Preserve,
                "a sparse tensor has no memory format ", *format);
    return coo_like(self, self._indices().clone(), self._values().clone(), self.is_coalesced());
}

at::Tensor to_coo(const at::Tensor &self, int64_t sparse_dim)
{
    const c10::DeviceGuard guard(self.device());
    return at::native::dense_to_sparse(self, sparse_dim);
}

at::Tensor to_layout(const at::Tensor &self, std::optional<at::Layout> layout,
                     at::OptionalIntArrayRef block, std::optional<int64_t> dense_dim)
{
    const c10::DeviceGuard guard(self.device());
    return at::native::dense_to_sparse(self, layout, block, dense_dim);
}

/* ---- elements -------------------------------------------------------------------------------- */

/* One index tensor per sparse dim, to index a dense tensor. */
c10::List<std::optional<at::Tensor>> places_of(const at::Tensor &sparse)
{
    c10::List<std::optional<at::Tensor>> places;
    for (const at::Tensor &row : sparse._indices().unbind(0))
        places.push_back(row);
    return places;
}

/* The row-major number of each place. */
at::Tensor row_major_numbers(const at::Tensor &indices, at::IntArrayRef sizes)
{
    at::Tensor numbers = indices.select(0, 0);
    for (int64_t dim = 1; dim < indices.size(0); dim++)
        numbers = numbers.mul(sizes[static_cast<size_t>(dim)]).add_(indices.select(0, dim));
    return numbers;
}

/* Adds elements that have the same indices. The result takes the indices of any of these
 * elements. */
at::Tensor coalesce_coo(const at::Tensor &self)
{
    const KernelScope scope(self);
    const at::Tensor indices = self._indices(), values = self._values();
    if (self._nnz() < 2 || self.sparse_dim() == 0)
        return coo_like(self, indices.clone(),
                        self.sparse_dim() == 0 ? values.sum(0, true) : values.clone(), true);
    const at::Tensor flat = row_major_numbers(indices, self.sizes());
    const auto [unique, group, _] = at::_unique2(flat, true, true);
    std::vector<int64_t> sizes = values.sizes().vec();
    sizes[0] = unique.numel();
    const at::Tensor sums = at::zeros(sizes, values.options()).index_put_({group}, values, true);
    const at::Tensor member =
        at::empty_like(unique).scatter_(0, group, at::arange(group.numel(), group.options()));
    return coo_like(self, indices.index_select(1, member), sums, true);
}

/* The elements of a dense tensor at the places of the mask's elements. */
at::Tensor mask_by_coo(const at::Tensor &self, const at::Tensor &mask)
{
    TORCH_CHECK(self.sizes() == mask.sizes(),
                "sparse_mask: operands have incompatible sizes; self has size ", self.sizes(),
                " but mask has size ", mask.sizes());
    TORCH_CHECK_NOT_IMPLEMENTED(!self.is_sparse(), "fakedev: sparse_mask takes a dense tensor");
    check_same_device(self.device(), {mask}, "fakedev sparse_mask");
    return coo_like(mask, mask._indices().clone(), self.index(places_of(mask)),
                    mask.is_coalesced());
}

/* ---- arithmetic ------------------------------------------------------------------------------ */

/* Takes two sparse tensors, or a dense and a sparse one. */
at::Tensor &add_coo_out(const at::Tensor &self, const at::Tensor &other, const at::Scalar &alpha,
                        at::Tensor &out)
{
    TORCH_CHECK(other.is_sparse(), "add(sparse, dense) is not supported. Use add(dense, sparse) "
                                   "instead.");
    TORCH_CHECK(self.sizes() == other.sizes(),
                "add: expected 'self' and 'other' to have same size, but ", self.sizes(),
                " != ", other.sizes());
    TORCH_CHECK(self.is_sparse() == out.is_sparse(), "add: expected out= of the layout of 'self'");
    check_same_device(out.device(), {self, other}, "fakedev add");
    const KernelScope scope(self);
    const at::Tensor terms = other._values().to(out.scalar_type()).mul(alpha);
    if (!self.is_sparse()) {
        if (!out.is_same(self))
            out.resize_as_(self).copy_(self);
        return other.sparse_dim() == 0 ? out.add_(terms.sum(0))
                                       : out.index_put_(places_of(other), terms, true);
    }
    TORCH_CHECK(self.sparse_dim() == other.sparse_dim(), "add: 'self' has ", self.sparse_dim(),
                " sparse dims, but 'other' has ", other.sparse_dim());
    const at::Tensor values = at::cat({self._values().to(out.scalar_type()), terms});
    return out.copy_(
        coo_like(self, at::cat({self._indices(), other._indices()}, 1), values, false));
}

/* A sparse tensor times one number. */
at::Tensor mul_coo(const at::Tensor &self, const at::Tensor &other)
{
    const at::Tensor &sparse = self.is_sparse() ? self : other;
    const at::Tensor &number = self.is_sparse() ? other : self;
    TORCH_CHECK_NOT_IMPLEMENTED(sparse.is_sparse() && !number.is_sparse() && number.dim() == 0,
                                "fakedev: a sparse tensor is only multiplied by a number");
    return coo_like(sparse, sparse._indices().clone(), sparse._values().mul(number),
                    sparse.is_coalesced());
}

at::Tensor &mul_coo_(at::Tensor &self, const at::Tensor &other)
{
    return self.copy_(mul_coo(self, other));
}

/* beta * self + alpha * sparse @ dense */
at::Tensor addmm_coo(const at::Tensor &self, const at::Tensor &sparse, const at::Tensor &dense,
                     const at::Scalar &beta, const at::Scalar &alpha)
{
    TORCH_CHECK_NOT_IMPLEMENTED(!self.is_sparse() && sparse.is_sparse() && !dense.is_sparse() &&
                                    sparse.dense_dim() == 0,
                                "fakedev: only a sparse matrix times a dense matrix is supported");
    TORCH_CHECK(sparse.dim() == 2 && dense.dim() == 2 && sparse.size(1) == dense.size(0),
                "addmm: cannot multiply ", sparse.sizes(), " by ", dense.sizes());
    check_same_device(self.device(), {sparse, dense}, "fakedev addmm");
    const KernelScope scope(self);
    const at::Tensor rows = sparse._indices().select(0, 0),
                     columns = sparse._indices().select(0, 1);
    const at::Tensor terms =
        dense.index_select(0, columns).mul_(sparse._values().mul(alpha).unsqueeze(1));
    const at::Tensor start = self.expand({sparse.size(0), dense.size(1)});
    return (beta.equal(0) ? at::zeros(start.sizes(), start.options()) : start.mul(beta))
        .index_put_({rows}, terms, true);
}

at::Tensor &addmm_coo_out(const at::Tensor &self, const at::Tensor &sparse, const at::Tensor &dense,
                          const at::Scalar &beta, const at::Scalar &alpha, at::Tensor &out)
{
    const at::Tensor result = addmm_coo(self, sparse, dense, beta, alpha);
    out.resize_(result.sizes());
    return out.copy_(result);
}

at::Tensor mm_coo(const at::Tensor &sparse, const at::Tensor &dense)
{
    const at::Tensor start = at::zeros({}, dense.options().layout(at::kStrided));
    return addmm_coo(start, sparse, dense, 0, 1);
}

} // namespace

TORCH_LIBRARY_IMPL(aten, SparsePrivateUse1, m)
{
    m.impl("empty.memory_format", TORCH_FN(empty_coo));
    m.impl("_sparse_coo_tensor_with_dims", TORCH_FN(coo_with_dims));
    m.impl("_sparse_coo_tensor_with_dims_and_tensors", TORCH_FN(coo_with_tensors));
    m.impl("sparse_dim", TORCH_FN(at::native::sparse_dim_sparse));
    m.impl("dense_dim", TORCH_FN(at::native::dense_dim_sparse));
    m.impl("_nnz", TORCH_FN(at::native::_nnz_sparse));
    m.impl("_indices", TORCH_FN(at::native::_indices_sparse));
    m.impl("_values", TORCH_FN(at::native::_values_sparse));
    m.impl("indices", TORCH_FN(at::native::indices_sparse));
    m.impl("values", TORCH_FN(at::native::values_sparse));
    m.impl("is_coalesced", TORCH_FN(at::native::is_coalesced_sparse));
    m.impl("_coalesced_", TORCH_FN(at::native::_coalesced_sparse_));
    m.impl("_coalesce", TORCH_FN(coalesce_coo));
    m.impl("sparse_resize_", TORCH_FN(at::native::sparse_resize_));
    m.impl("sparse_resize_and_clear_", TORCH_FN(at::native::sparse_resize_and_clear_));
    m.impl("copy_sparse_to_sparse_", TORCH_FN(at::native::copy_sparse_));
    m.impl("copy_", TORCH_FN(at::native::copy_sparse_wrapper_));
    m.impl("clone", TORCH_FN(clone_coo));
    m.impl("zero_", TORCH_FN(at::native::zero_sparse_));
    m.impl("_to_dense", TORCH_FN(at::native::sparse_to_dense));
    m.impl("sparse_mask", TORCH_FN(mask_by_coo));
    m.impl("add.Tensor", TORCH_FN(at::native::add_sparse));
    m.impl("add_.Tensor", TORCH_FN(at::native::add_sparse_));
    m.impl("add.out", TORCH_FN(add_coo_out));
    m.impl("mul.Tensor", TORCH_FN(mul_coo));
    m.impl("mul_.Tensor", TORCH_FN(mul_coo_));
    m.impl("mm", TORCH_FN(mm_coo));
    m.impl("addmm", TORCH_FN(addmm_coo));
    m.impl("addmm.out", TORCH_FN(addmm_coo_out));
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("_to_sparse", TORCH_FN(to_layout));
    m.impl("_to_sparse.sparse_dim", TORCH_FN(to_coo));
}

} // namespace fakedev
