/* SPDX-License-Identifier: BSD-3-Clause
 *
 * The tensor of the no_storage backend: a buffer with sizes and strides, but without a storage.
 * Access to its storage or data pointer raises.
 */
#pragma once

#include "common/fleet_tensors.h"
#include "no_storage/no_storage_memory.h"

namespace no_storage
{

class Impl final : public c10::TensorImpl
{
  public:
    Impl(BufferPtr buffer, caffe2::TypeMeta type);

    const BufferPtr &buffer() const
    {
        return buffer_;
    }

    c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(const c10::VariableVersion &version,
                                                                bool may_change) const override;
    c10::intrusive_ptr<c10::TensorImpl> shallow_copy_and_detach(c10::VariableVersion &&version,
                                                                bool may_change) const override;
    void shallow_copy_from(const c10::intrusive_ptr<c10::TensorImpl> &other) override;

  private:
    const char *tensorimpl_type_name() const override
    {
        return "no_storage::Impl";
    }
    BufferPtr buffer_;
};

/* Throws for a tensor of another backend. */
Impl &impl_of(const at::Tensor &tensor);

/* Returns a contiguous host tensor with the same sizes, type and values. */
at::Tensor to_host(const at::Tensor &self);
/* Copies host values into a device tensor, with conversion and broadcasting. */
void from_host(const at::Tensor &values, const at::Tensor &self);

} // namespace no_storage
