/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Faults of copies that imitate defects of real backends.
 */
#include "spoil.h"

#include <ATen/ATen.h>

#include "status.h"

namespace fakedev
{

namespace
{

at::Tensor source(const Call &call)
{
    return call.named("self")->toTensor();
}

at::Tensor destination(const Call &call)
{
    return call.named("dst")->toTensor();
}

bool is_expanded(const at::Tensor &tensor)
{
    for (int64_t i = 0; i < tensor.dim(); i++)
        if (tensor.stride(i) == 0 && tensor.size(i) > 1)
            return true;
    return false;
}

void forget_conjugation(const Call &call)
{
    if (source(call).is_conj())
        *call.named("self") = source(call).conj();
}

void forget_sign(const Call &call)
{
    if (source(call).is_neg())
        *call.named("self") = at::_neg_view(source(call));
}

/* Leaves the tensor's device current after the copy. */
void stay_there(const Call &call)
{
    const at::Tensor from = source(call), to = destination(call);
    call.clean();
    (void)fd_device_set((to.is_cpu() ? from : to).device().index());
}

void wait_for_the_copy(const Call &call)
{
    *call.named("non_blocking") = false;
}

/* All asynchronous copies that need a conversion share one pinned buffer. The device may read the
 * buffer only after the next copy has overwritten it. */
void through_one_buffer(const Call &call)
{
    static at::Tensor buffer;
    const at::Tensor host = source(call), device = destination(call);
    if (!host.is_cpu() || !call.named("non_blocking")->toBool() || host.numel() == 0 ||
        (host.is_contiguous() && host.scalar_type() == device.scalar_type()))
        return;
    const auto bytes = host.numel() * device.element_size();
    if (!buffer.defined() || buffer.numel() < bytes)
        buffer = at::empty({2 * bytes}, at::device(at::kCPU).dtype(at::kByte)).pin_memory();
    *call.named("self") =
        buffer.slice(0, 0, bytes).view(device.scalar_type()).view(host.sizes()).copy_(host);
}

/* Copies on a new stream of the destination, for which no other stream waits. */
void on_a_stream_of_its_own(const Call &call)
{
    const at::Tensor from = source(call), to = destination(call);
    fd_stream *stream = nullptr, *current = nullptr;
    if (from.is_cpu() || to.is_cpu() || from.device() == to.device())
        return call.clean();
    check(fd_stream_create(to.device().index(), 0, &stream), "create stream");
    check(fd_stream_set_current(stream, &current), "set stream");
    call.clean();
    check(fd_stream_set_current(current, &stream), "set stream");
}

void begin_at_storage(const Call &call)
{
    const at::Tensor host = source(call);
    if (host.is_cpu())
        *call.named("self") = host.as_strided(host.sizes(), host.strides(), 0);
}

void zeros_for_expanded(const Call &call)
{
    const at::Tensor from = source(call), to = destination(call);
    if (!to.is_cpu() || !is_expanded(from))
        return call.clean();
    to.zero_();
    torch::jit::drop(*call.stack, call.argument_count());
    call.stack->emplace_back(to);
}

/* Copies zeros if the source has no allocator, like a backend that does not find the block of the
 * source. */
void zeros_for_borrowed(const Call &call)
{
    const at::Tensor from = source(call), to = destination(call);
    if (!to.is_cpu() || from.storage().allocator() != nullptr)
        return call.clean();
    to.zero_();
    torch::jit::drop(*call.stack, call.argument_count());
    call.stack->emplace_back(to);
}

/* Clears the destination first, although the destination shares memory with the source. */
void clear_destination(const Call &call)
{
    if (source(call).is_alias_of(destination(call)))
        destination(call).zero_();
}

void count_elements(const Call &call)
{
    if (source(call).numel() == destination(call).numel())
        *call.named("self") = source(call).reshape(destination(call).sizes());
}

/* If several positions of the destination share an element, writes only the value of the first
 * position. */
void write_the_first(const Call &call)
{
    at::Tensor to = destination(call), from = source(call).expand(destination(call).sizes());
    if (!is_expanded(to))
        return call.clean();
    for (int64_t i = 0; i < to.dim(); i++)
        if (to.stride(i) == 0 && to.size(i) > 1) {
            to = to.narrow(i, 0, 1);
            from = from.narrow(i, 0, 1);
        }
    const at::Tensor whole = destination(call);
    to.copy_(from);
    torch::jit::drop(*call.stack, call.argument_count());
    call.stack->emplace_back(whole);
}

/* Copies the bytes as one contiguous range and ignores the strides. */
void move_as_one_piece(const Call &call)
{
    const at::Tensor to = destination(call);
    const at::Tensor from = source(call).to(to.scalar_type());
    check(fd_memory_copy(to.mutable_data_ptr(), from.const_data_ptr(), from.nbytes()), "copy");
    torch::jit::drop(*call.stack, call.argument_count());
    call.stack->emplace_back(to);
}

} // namespace

Spoils spoiled_copies()
{
    const char *const copy = "aten::_copy_from";
    return {
        {"ops.conj_copy_wrong", copy, key, before(forget_conjugation)},
        {"ops.copy_switches_device", copy, key, stay_there},
        {"ops.copy_ignores_strides", copy, key, move_as_one_piece},
        {"ops.copy_onto_itself_clears", copy, key, before(clear_destination)},
        {"ops.copy_counts_elements", copy, key, before(count_elements)},
        {"ops.neg_copy_wrong", copy, key, before(forget_sign)},
        {"ops.expanded_copy_taken", copy, key, write_the_first},
        {"copy.never_overlaps", copy, key, before(wait_for_the_copy)},
        {"copy.across_devices_overtakes", copy, key, on_a_stream_of_its_own},
        {"copy.one_buffer_for_all", copy, key, before(through_one_buffer)},
        {"copy.upload_begins_at_storage", copy, key, before(begin_at_storage)},
        {"copy.borrowed_memory_arrives_as_zeros", copy, key, zeros_for_borrowed},
        {"copy.expanded_arrives_as_zeros", copy, key, zeros_for_expanded},
    };
}

} // namespace fakedev
