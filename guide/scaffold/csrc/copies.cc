/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Copies: to(), cpu(), copy_, contiguous, item() and the CPU fallback all end in _copy_from.
 *
 * The device only has to copy bytes. For other dtypes and strides, the tensor's bytes are copied
 * into a CPU tensor with the same strides, and PyTorch's CPU copy does the rest. Write your own
 * kernels for slow cases. PyTorch checks nothing before it calls _copy_from. If the kernel were
 * registered at PrivateUse1 only, x.conj().cpu() would call itself until the stack overflows.
 */
#include "foo.h"

#include <ATen/EmptyTensor.h>
#include <ATen/MemoryOverlap.h>
#include <torch/library.h>

namespace foo
{

namespace
{

size_t bytes_spanned(const at::Tensor &tensor)
{
    return at::detail::computeStorageNbytes(tensor.sizes(), tensor.strides(),
                                            tensor.dtype().itemsize());
}

/* Enqueues a copy. Waits for it unless host memory is pinned and non_blocking was requested. */
void move_bytes(void *to, const void *from, size_t bytes, c10::DeviceIndex device,
                const at::Tensor *pinned)
{
    foo_stream *const stream = current_stream(device);
    check(foo_copy(stream, to, from, bytes), "copy");
    if (!pinned)
        check(foo_stream_synchronize(stream), "copy");
    else                                                          /* @with pinned */
        keep_until_passed(*pinned, current_torch_stream(device)); /* @with pinned */
}

/* Allocates a CPU tensor with the same strides and the same conj and neg bits. */
at::Tensor twin_of(const at::Tensor &ours)
{
    at::Tensor twin =
        at::empty_strided(ours.sizes(), ours.strides(), ours.options().device(at::kCPU));
    if (ours.is_conj())
        twin = twin.conj();
    return ours.is_neg() ? at::_neg_view(twin) : twin;
}

at::Tensor download(const at::Tensor &ours)
{
    at::Tensor twin = twin_of(ours);
    move_bytes(twin.data_ptr(), ours.const_data_ptr(), bytes_spanned(ours), ours.device().index(),
               nullptr);
    return twin;
}

void upload(const at::Tensor &twin, const at::Tensor &ours)
{
    move_bytes(ours.mutable_data_ptr(), twin.const_data_ptr(), bytes_spanned(ours),
               ours.device().index(), nullptr);
}

void copy_over_the_cpu(const at::Tensor &from, const at::Tensor &to)
{
    const at::Tensor source = from.is_cpu() ? from : download(from);
    if (to.is_cpu()) {
        to.copy_(source);
        return;
    }
    /* The bytes between the elements of a strided tensor must not be changed. */
    at::Tensor twin = to.is_non_overlapping_and_dense() ? twin_of(to) : download(to);
    twin.copy_(source);
    upload(twin, to);
}

bool has_same_bytes(const at::Tensor &from, const at::Tensor &to)
{
    return from.scalar_type() == to.scalar_type() && from.sizes() == to.sizes() &&
           from.strides() == to.strides() && from.is_non_overlapping_and_dense() &&
           from.is_conj() == to.is_conj() && from.is_neg() == to.is_neg();
}

/* The host memory of a non_blocking copy if it is pinned, otherwise null. */
const at::Tensor *find_pinned(const at::Tensor &host, bool non_blocking)
{
    return non_blocking && is_pinned(host.const_data_ptr()) ? &host : nullptr; /* @with pinned */
    return nullptr;                                                            /* @without pinned */
}

void copy_bytes(const at::Tensor &from, const at::Tensor &to, bool non_blocking)
{
    void *const target = to.mutable_data_ptr();
    const void *const source = from.const_data_ptr();
    const size_t bytes = from.nbytes();
    if (from.is_cpu())
        return move_bytes(target, source, bytes, to.device().index(),
                          find_pinned(from, non_blocking));
    if (to.is_cpu())
        return move_bytes(target, source, bytes, from.device().index(),
                          find_pinned(to, non_blocking));
    if (from.device() == to.device())
        return check(foo_copy(current_stream(to.device().index()), target, source, bytes), "copy");
    check(foo_stream_synchronize(current_stream(from.device().index())), "copy");
    move_bytes(target, source, bytes, to.device().index(), nullptr);
}

at::Tensor copy_from(const at::Tensor &self, const at::Tensor &dst, bool non_blocking)
{
    TORCH_CHECK_NOT_IMPLEMENTED(self.layout() == at::kStrided && dst.layout() == at::kStrided,
                                "foo: only strided tensors can be copied");
    TORCH_CHECK_NOT_IMPLEMENTED((self.is_cpu() || self.is_privateuseone()) &&
                                    (dst.is_cpu() || dst.is_privateuseone()),
                                "foo: no copy from ", self.device(), " to ", dst.device());
    if (self.is_same(dst))
        return dst;
    const at::Tensor source = self.sizes() == dst.sizes() ? self : self.expand(dst.sizes());
    at::assert_no_internal_overlap(dst);
    at::assert_no_partial_overlap(dst, source);
    if (dst.numel() == 0)
        return dst;
    const DeviceScope scope((dst.is_cpu() ? self : dst).device().index());
    if (has_same_bytes(source, dst))
        copy_bytes(source, dst, non_blocking);
    else
        copy_over_the_cpu(source, dst);
    return dst;
}

/* A result that was resized has the strides that the CPU kernel chose. */
at::Tensor copy_from_and_resize(const at::Tensor &self, const at::Tensor &dst)
{
    if (self.sizes() != dst.sizes()) {
        dst.resize_(self.sizes());
        if (self.is_non_overlapping_and_dense())
            dst.as_strided_(self.sizes(), self.strides());
    }
    return copy_from(self, dst, false);
}

at::Scalar local_scalar_dense(const at::Tensor &self)
{
    return at::_local_scalar_dense(self.cpu());
}

} // namespace

TORCH_LIBRARY_IMPL(aten, PrivateUse1, m)
{
    m.impl("_copy_from", TORCH_FN(copy_from));
    m.impl("_copy_from_and_resize", TORCH_FN(copy_from_and_resize));
    m.impl("_local_scalar_dense", TORCH_FN(local_scalar_dense));
}

TORCH_LIBRARY_IMPL(aten, Conjugate, m)
{
    m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

TORCH_LIBRARY_IMPL(aten, Negative, m)
{
    m.impl("_copy_from", torch::CppFunction::makeFallthrough());
}

} // namespace foo
