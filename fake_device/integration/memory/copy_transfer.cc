/* SPDX-License-Identifier: BSD-3-Clause
 *
 * Data transfers: host to device, device to host, within a device, and between two devices.
 *
 * Purpose: the driver copies contiguous bytes between memories, and strided elements within a
 * device. All other copies are composed of these two.
 * Traps: a copy from or to pinned memory is truly asynchronous. The pinned block must be kept until
 * the stream has passed the copy (record_event), and a blocking copy must wait for the stream.
 * Pageable memory needs no such care, because the driver stages it.
 * Serves: OPS-009 to OPS-014, HOST-011, HOST-012, STRM-039, DEV-030.
 */
#include "copy_transfer.h"

#include <ATen/ATen.h>

#include "host_allocator.h"
#include "status.h"
#include "streams.h"
#include "tensor_descriptor.h"

namespace fakedev
{
namespace
{

/* Views a tensor whose dtype no kernel supports as integers or pairs of integers. */
at::Tensor as_bits(const at::Tensor &tensor)
{
    static constexpr at::ScalarType integer_of[] = {at::kByte, at::kShort, at::kInt, at::kLong};
    const auto width = tensor.element_size();
    if (width == 16)
        return at::view_as_real(tensor).view(at::kLong);
    for (const at::ScalarType integer : integer_of)
        if (static_cast<int64_t>(c10::elementSize(integer)) == width)
            return tensor.scalar_type() == integer ? tensor : tensor.view(integer);
    TORCH_CHECK_NOT_IMPLEMENTED(false, "fakedev: cannot move elements of ", width, " bytes");
}

bool is_one_piece(const at::Tensor &a, const at::Tensor &b)
{
    return a.scalar_type() == b.scalar_type() && a.is_non_overlapping_and_dense() &&
           (a.strides() == b.strides() || (a.is_contiguous() && b.is_contiguous()));
}

fd_status convert(const at::Tensor &source, const at::Tensor &destination)
{
    return launch_elementwise("copy", destination, {source},
                              [](fd_stream *stream, const fd_tensor *out, const fd_tensor *in) {
                                  return fd_kernel_copy(stream, out, in);
                              });
}

void move_bytes(const at::Tensor &source, const at::Tensor &destination, fd_stream *stream)
{
    check(fd_memory_copy_async(destination.mutable_data_ptr(), source.const_data_ptr(),
                               source.nbytes(), stream),
          "copy");
}

/* Keeps the pinned block of `host` for the copy, or waits for the copy if it is blocking. */
void finish_copy(const at::Tensor &host, fd_stream *stream, bool non_blocking)
{
    if (!is_live_host_block(host.const_data_ptr()))
        return;
    if (non_blocking)
        at::getHostAllocator(c10::DeviceType::PrivateUse1)
            ->record_event(const_cast<void *>(host.const_data_ptr()),
                           host.storage().data_ptr().get_context(), to_torch(stream));
    else
        check(fd_stream_synchronize(stream), "copy");
}

at::Tensor dense_like(const at::Tensor &tensor, c10::Device device)
{
    return at::empty(tensor.sizes(), tensor.options().device(device));
}

} // namespace

void copy_within(const at::Tensor &source, const at::Tensor &destination)
{
    const KernelScope scope(destination);
    if (is_one_piece(source, destination))
        return move_bytes(source, destination, scope.stream());
    if (source.scalar_type() == destination.scalar_type()) {
        convert(as_bits(source), as_bits(destination));
        return;
    }
    if (device_computes(source.scalar_type()) && device_computes(destination.scalar_type()) &&
        convert(source, destination) == FD_OK)
        return;
    upload(source.cpu().to(destination.scalar_type()), destination, false);
}

void upload(const at::Tensor &host, const at::Tensor &device, bool non_blocking)
{
    const KernelScope scope(device);
    const at::Tensor converted = host.to(device.scalar_type());
    if (is_one_piece(converted, device)) {
        move_bytes(converted, device, scope.stream());
        return finish_copy(converted, scope.stream(), non_blocking);
    }
    const at::Tensor packed = converted.contiguous();
    const at::Tensor target = device.is_contiguous() ? device : dense_like(packed, device.device());
    move_bytes(packed, target, scope.stream());
    finish_copy(packed, scope.stream(), non_blocking);
    if (!target.is_same(device))
        copy_within(target, device);
}

void download(const at::Tensor &device, const at::Tensor &host, bool non_blocking)
{
    const KernelScope scope(device);
    if (is_one_piece(device, host)) {
        move_bytes(device, host, scope.stream());
        return finish_copy(host, scope.stream(), non_blocking);
    }
    at::Tensor packed = device;
    if (!device.is_contiguous()) {
        packed = dense_like(device, device.device());
        copy_within(device, packed);
    }
    const at::Tensor target = dense_like(packed, host.device());
    move_bytes(packed, target, scope.stream());
    host.copy_(target);
}

void copy_across(const at::Tensor &source, const at::Tensor &destination)
{
    const KernelScope on_destination(destination);
    const KernelScope on_source(source);
    const at::Tensor converted = source.to(destination.scalar_type()).contiguous();
    const at::Tensor target =
        destination.is_contiguous() ? destination : dense_like(converted, destination.device());
    fd_event *event = nullptr;
    fd_event *done = nullptr;
    fd_status status = fd_event_create(0, &event);
    if (status == FD_OK)
        status = fd_event_create(0, &done);
    if (status == FD_OK)
        status = fd_event_record(event, on_source.stream());
    if (status == FD_OK)
        status = fd_stream_wait_event(on_destination.stream(), event);
    if (status == FD_OK)
        status = fd_memory_copy_async(target.mutable_data_ptr(), converted.const_data_ptr(),
                                      converted.nbytes(), on_destination.stream());
    if (status == FD_OK)
        status = fd_event_record(done, on_destination.stream());
    if (status == FD_OK)
        status = fd_stream_wait_event(on_source.stream(), done);
    fd_event_destroy(event);
    fd_event_destroy(done);
    check(status, "copy between devices");
    if (!target.is_same(destination))
        copy_within(target, destination);
}

} // namespace fakedev
