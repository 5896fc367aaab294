/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Faults of quantized, sparse, nested and complex tensors that imitate defects of real backends.
 * Most of these operators have no correct kernel: the fault is that a kernel exists.
 */
#include "spoil.h"

#include <ATen/ATen.h>
#include <ATen/NestedTensorImpl.h>
#include <ATen/ops/crow_indices_native.h>

#include <exception>

namespace fakedev
{

namespace
{

constexpr auto quantized = c10::DispatchKey::QuantizedPrivateUse1;
constexpr auto sparse = c10::DispatchKey::SparsePrivateUse1;
constexpr auto compressed = c10::DispatchKey::SparseCsrPrivateUse1;
constexpr auto nested = c10::DispatchKey::NestedTensorPrivateUse1;

/* Terminates the process, like an exception that leaves a noexcept function. */
void end_the_process(const Call &)
{
    std::terminate();
}

void lose_zero_point(const Call &call)
{
    call.result() = 0;
}

at::Tensor keep_numbers(const at::Tensor &self, double, int64_t, at::ScalarType)
{
    return self.clone();
}

at::Tensor share_one_scale(const at::Tensor &self, const at::Tensor &scales,
                           const at::Tensor &zero_points, int64_t, at::ScalarType dtype)
{
    return at::quantize_per_tensor(self, scales[0].item<double>(), zero_points[0].item<int64_t>(),
                                   dtype);
}

at::Tensor forget_zero_point(const at::Tensor &self)
{
    return self.int_repr().to(at::kFloat).mul(self.q_scale());
}

at::Tensor copy_nothing(const at::Tensor &, const at::Tensor &dst, bool)
{
    return dst;
}

at::Tensor make_dense(int64_t, int64_t, at::IntArrayRef size, const at::Tensor &,
                      const at::Tensor &values, std::optional<at::ScalarType>,
                      std::optional<at::Layout>, std::optional<at::Device>, std::optional<bool>,
                      std::optional<bool>)
{
    return at::zeros(size, values.options());
}

at::Tensor share_values(const at::Tensor &self, std::optional<at::MemoryFormat>)
{
    return at::_sparse_coo_tensor_unsafe(self._indices(), self._values(), self.sizes(),
                                         self.options(), self.is_coalesced());
}

at::Tensor forget_rows(const at::Tensor &self)
{
    return at::native::crow_indices_sparse_csr(self).zero_();
}

/* Uses the raw storage, because core's implementation calls operators that the device refuses
 * for nested tensors. */
std::vector<at::Tensor> unbind_backwards(const at::Tensor &self, int64_t)
{
    const auto *const impl = at::native::get_nested_tensor_impl(self);
    const at::Tensor numbers = impl->get_unsafe_storage_as_tensor();
    const at::Tensor sizes = impl->get_nested_sizes();
    const auto *const from = impl->get_storage_offsets().data_ptr<int64_t>();
    std::vector<at::Tensor> pieces;
    for (int64_t i = sizes.size(0) - 1; i >= 0; i--) {
        const at::Tensor size = sizes.select(0, i);
        const c10::IntArrayRef shape(size.const_data_ptr<int64_t>(),
                                     static_cast<size_t>(size.numel()));
        pieces.push_back(numbers.narrow(0, from[i], c10::multiply_integers(shape)).view(shape));
    }
    return pieces;
}

at::Tensor pad_with_zeros(const at::Tensor &values, at::TensorList offsets, at::IntArrayRef lengths,
                          double)
{
    std::vector<at::Tensor> hosted;
    for (const at::Tensor &one : offsets)
        hosted.push_back(one.cpu());
    return at::_jagged_to_padded_dense_forward(values.cpu(), hosted, lengths, 0.0)
        .to(values.device());
}

} // namespace

Spoils spoiled_kinds()
{
    return {
        {"nested.clone_ends_the_process", "aten::clone", nested, end_the_process, true},
        {"nested.padding_is_zero", "aten::_jagged_to_padded_dense_forward", key,
         instead(pad_with_zeros), true},
        {"nested.pieces_backwards", "aten::unbind.int", nested, instead(unbind_backwards), true},
        {"quantized.arrives_as_floats", "aten::quantize_per_tensor", key, instead(keep_numbers),
         true},
        {"quantized.channels_share_one_scale", "aten::quantize_per_channel", key,
         instead(share_one_scale), true},
        {"quantized.copy_is_empty", "aten::_copy_from", quantized, instead(copy_nothing)},
        {"quantized.empty_ends_the_process", "aten::_empty_affine_quantized", quantized,
         end_the_process},
        {"quantized.zero_point_lost", "aten::q_zero_point", quantized, after(lose_zero_point)},
        {"quantized.zero_point_not_subtracted", "aten::dequantize.self", quantized,
         instead(forget_zero_point)},
        {"sparse.arrives_dense", "aten::_sparse_coo_tensor_with_dims_and_tensors", sparse,
         instead(make_dense), true},
        {"sparse.clone_shares_values", "aten::clone", sparse, instead(share_values), true},
        {"sparse.coordinates_end_the_process", "aten::_sparse_coo_tensor_with_dims_and_tensors",
         sparse, end_the_process, true},
        {"sparse.rows_forgotten", "aten::crow_indices", compressed, instead(forget_rows), true},
    };
}

} // namespace fakedev
