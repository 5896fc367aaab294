/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Reads, writes and copies of buffers, and the CPU fallback.
 */
#include "no_storage/no_storage_tensor.h"

#include <cstring>

namespace no_storage
{
namespace
{

/* Calls `visit(offset in buffer, offset in contiguous tensor)`, in bytes, for each element. */
template <typename Visit>
void for_each_element(const at::Tensor &self, const Visit &visit)
{
    const auto sizes = self.sizes(), strides = self.strides();
    const int64_t count = self.numel(), size = static_cast<int64_t>(self.itemsize());
    for (int64_t i = 0; i < count; i++) {
        int64_t rest = i, element = self.storage_offset();
        for (int64_t dim = self.dim() - 1; dim >= 0; dim--) {
            element += rest % sizes[static_cast<size_t>(dim)] * strides[static_cast<size_t>(dim)];
            rest /= sizes[static_cast<size_t>(dim)];
        }
        visit(element * size, i * size);
    }
}

/* Returns the bytes without conversion. The caller must apply the conjugate and negative bits. */
at::Tensor raw_to_host(const at::Tensor &self)
{
    const Buffer &buffer = *impl_of(self).buffer();
    const at::Tensor host = at::zeros(self.sizes(), self.options().device(at::kCPU));
    auto *const target = static_cast<char *>(host.mutable_data_ptr());
    const char *const source = buffer.read();
    const size_t size = self.itemsize();
    if (!source)
        return host;
    if (self.is_contiguous())
        std::memcpy(target, source + self.storage_offset() * static_cast<int64_t>(size),
                    self.nbytes());
    else
        for_each_element(self, [&](int64_t at, int64_t number) {
            std::memcpy(target + number, source + at, size);
        });
    return host;
}

bool have_same_layout(const at::Tensor &self, const at::Tensor &other)
{
    return self.device() == other.device() && self.scalar_type() == other.scalar_type() &&
           self.sizes() == other.sizes() && self.is_contiguous() && other.is_contiguous() &&
           self.is_conj() == other.is_conj() && self.is_neg() == other.is_neg();
}

void copy_bytes(const at::Tensor &from, const at::Tensor &to)
{
    const int64_t size = static_cast<int64_t>(from.itemsize());
    /* unwritten-source: read() then returns null */
    std::memmove(impl_of(to).buffer()->write() + to.storage_offset() * size,
                 impl_of(from).buffer()->read() + from.storage_offset() * size, from.nbytes());
}

} // namespace

at::Tensor to_host(const at::Tensor &self)
{
    at::Tensor host = raw_to_host(self);
    if (self.is_conj())
        host = host.conj();
    if (self.is_neg())
        host = host._neg_view();
    return host;
}

void from_host(const at::Tensor &values, const at::Tensor &self)
{
    Buffer &buffer = *impl_of(self).buffer();
    /* copy-counts-elements */
    at::Tensor host =
        values.numel() == self.numel() ? values.reshape(self.sizes()) : values.expand(self.sizes());
    /* The copy on the host converts the values and emits PyTorch's warnings. */
    host = at::empty(self.sizes(), self.options().device(at::kCPU)).copy_(host);
    if (self.is_conj())
        host = host.conj();
    if (self.is_neg())
        host = host._neg_view();
    host = host.resolve_conj().resolve_neg().contiguous();

    const auto *const source = static_cast<const char *>(host.const_data_ptr());
    const size_t size = self.itemsize();
    char *const target = buffer.write();
    if (self.is_contiguous() && self.numel())
        std::memcpy(target + self.storage_offset() * static_cast<int64_t>(size), source,
                    self.nbytes());
    else
        for_each_element(self, [&](int64_t at, int64_t number) {
            std::memcpy(target + at, source + number, size);
        });
}

namespace
{

at::Tensor copy_from(const at::Tensor &self, const at::Tensor &target, bool /*non_blocking*/)
{
    if (target.is_cpu())
        target.copy_(to_host(self));
    else if (self.is_cpu())
        from_host(self, target);
    else if (have_same_layout(self, target))
        copy_bytes(self, target);
    else
        from_host(to_host(self), target);
    return target;
}

at::Tensor copy_from_and_resize(const at::Tensor &self, const at::Tensor &target)
{
    target.resize_(self.sizes());
    copy_from(self, target, false);
    return target;
}

at::Scalar local_scalar_dense(const at::Tensor &self)
{
    const at::Tensor host = to_host(self);
    if (host.is_complex())
        return host.item();
    const double number =
        host.to(at::kDouble).item<double>(); /* large-integers-as-double, numbers-through-doubles */
    if (host.scalar_type() == at::kBool)
        return number != 0;
    if (at::isIntegralType(host.scalar_type(), false))
        return static_cast<int64_t>(number);
    return number;
}

at::Tensor &fill_scalar(at::Tensor &self, const at::Scalar &value)
{
    from_host(at::scalar_tensor(value, self.options().device(at::kCPU)), self);
    return self;
}

at::Tensor &zero(at::Tensor &self)
{
    return fill_scalar(self, 0);
}

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("_copy_from", &copy_from);
    m.impl("_copy_from_and_resize", &copy_from_and_resize);
    m.impl("_local_scalar_dense", &local_scalar_dense);
    m.impl("fill_.Scalar", &fill_scalar);
    m.impl("zero_", &zero);
}

FLEET_COPIES_RESOLVE_LAZY_BITS
FLEET_FALLS_BACK_TO(fleet::cpu_fallback)
FLEET_AUTOCAST_PASSES_OPERATORS_ON

} // namespace
} // namespace no_storage
