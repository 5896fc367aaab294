/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Structured<Meta>: PyTorch's own shape and dtype rules for an out= kernel of this backend.
 *
 * Purpose: a structured operator (add, mm, sum, ...) consists of a meta function, which PyTorch
 * has, and a kernel. If a backend registers the .out overload alone, the functional and in-place
 * forms also work: core calls the meta function, creates the output, and calls the kernel. If a
 * user calls the out= form, core does not call the meta function, so every kernel must begin with
 * this call. Then results have the CPU's sizes, dtypes and error messages. If this file is removed,
 * each kernel must repeat the rules for promotion, broadcasting and out=.
 * Serves: OPS-025, OPS-034, OPS-041, OPS-042, OPS-043, OPS-047, OPS-053, OPS-064, OPS-065, OPS-067.
 */
#pragma once

#include "which_torch.h"

#include <ATen/ATen.h>
#include <ATen/TensorIterator.h>
#include <ATen/native/Resize.h>

namespace fakedev
{

/* Resizes `out` to the shape from the meta function. Warns if `out` was not empty. */
inline void prepare_output(const at::Tensor &out, at::IntArrayRef sizes, at::IntArrayRef strides,
                           const at::TensorOptions &options)
{
    TORCH_CHECK(options.dtype() == out.dtype(), "Expected out tensor to have dtype ",
                options.dtype(), ", but got ", out.dtype(), " instead");
    TORCH_CHECK(options.device() == out.device(), "Expected out tensor to have device ",
                options.device(), ", but got ", out.device(), " instead");
    if (!at::native::resize_output(out, sizes))
        return;
    if (!strides.empty())
        out.as_strided_(sizes, strides);
    else if (options.memory_format_opt())
        out.unsafeGetTensorImpl()->empty_tensor_restride(*options.memory_format_opt());
}

/* `Meta` is a class at::meta::structured_xxx. Usage: Structured<M> op(out);
 * op.meta(arguments...). */
template <class Meta>
class Structured final : public Meta
{
  public:
    explicit Structured(const at::Tensor &out) : outputs_{out}
    {
    }
    Structured(const at::Tensor &first, const at::Tensor &second) : outputs_{first, second}
    {
    }
    void set_output_strided(int64_t index, at::IntArrayRef sizes, at::IntArrayRef strides,
                            at::TensorOptions options
                                FAKEDEV_LAST_ARGUMENT(at::DimnameList names)) override
    {
        set_output_raw_strided(index, sizes, strides, options FAKEDEV_LAST_ARGUMENT(names));
    }
    void set_output_raw_strided(int64_t index, at::IntArrayRef sizes, at::IntArrayRef strides,
                                at::TensorOptions options
                                    FAKEDEV_LAST_ARGUMENT(at::DimnameList names)) override
    {
        prepare_output(outputs_[static_cast<size_t>(index)], sizes, strides, options);
        if constexpr (std::is_base_of_v<at::TensorIteratorBase, Meta>)
            at::TensorIteratorBase::set_output_raw_strided(index, sizes, strides,
                                                           options FAKEDEV_LAST_ARGUMENT(names));
    }
    const at::Tensor &maybe_get_output(int64_t index) override
    {
        return outputs_[static_cast<size_t>(index)];
    }

  private:
    at::Tensor outputs_[2];
};

} // namespace fakedev
