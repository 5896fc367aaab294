# SPDX-License-Identifier: BSD-3-Clause
"""Symptoms of pieces that a backend has not registered: guard, hooks, allocator, kernels."""

import torch
from breaking import load_backend, taking_away, with_backend


def ones(*size, **given):
    return torch.ones(*size, device="foo", **given)


def event():
    made = torch.Event(device="foo", enable_timing=True)
    made.record()
    return made


@taking_away("guard")
def guard():
    torch.Stream(device="foo")


@taking_away("guard.getNewStream")
def guard_new_stream():
    torch.Stream(device="foo")


@taking_away("guard.getStreamNativeHandle")
def guard_native_handle():
    torch.Stream(device="foo").native_handle  # noqa: B018


@taking_away("guard.record")
def guard_record():
    event()


@taking_away("guard.block")
def guard_block():
    torch.accelerator.current_stream().wait_event(event())


@taking_away("guard.queryEvent")
def guard_query_event():
    event().query()


@taking_away("guard.synchronizeEvent")
def guard_synchronize_event():
    event().synchronize()


@taking_away("guard.elapsedTime")
def guard_elapsed_time():
    first, second = event(), event()
    second.synchronize()
    first.elapsed_time(second)


@taking_away("guard.queryStream")
def guard_query_stream():
    torch.accelerator.current_stream().query()


@taking_away("guard.synchronizeStream")
def guard_synchronize_stream():
    torch.accelerator.current_stream().synchronize()


@taking_away("guard.synchronizeDevice")
def guard_synchronize_device():
    torch.accelerator.synchronize()


@taking_away("hooks")
def hooks():
    torch.Generator("foo")


@taking_away("hooks.hasPrimaryContext")
def hooks_has_primary_context():
    ones(2, requires_grad=True).sum().backward()


@taking_away("hooks.resizePrivateUse1Bytes")
def hooks_resize():
    ones(2).untyped_storage().resize_(1 << 16)


@taking_away("hooks.getPinnedMemoryAllocator")
def hooks_pinned_allocator():
    torch.ones(2).pin_memory()


@taking_away("hooks.getNewGenerator")
def hooks_new_generator():
    torch.Generator("foo")


@taking_away("allocator")
def allocator():
    torch.accelerator.memory_allocated()


# Missing kernels, without a fallback.


@taking_away("fallback")
def kernel_any():
    ones(2).relu()


@taking_away("fallback,aten::empty.memory_format")
def kernel_empty():
    torch.empty(2, device="foo")


@taking_away("fallback,aten::empty_strided")
def kernel_empty_strided():
    torch.ones(2).to("foo")


@taking_away("fallback,aten::_copy_from")
def kernel_copy():
    torch.ones(2).to("foo")


@taking_away("fallback,aten::_copy_from_and_resize")
def kernel_copy_and_resize():
    torch._copy_from_and_resize(torch.ones(2), torch.empty(0, device="foo"))


@taking_away("fallback,aten::_local_scalar_dense")
def kernel_item():
    ones(1).item()


@taking_away("fallback,aten::view")
def kernel_view():
    ones(2, 2).view(4)


@taking_away("fallback,aten::as_strided")
def kernel_as_strided():
    ones(2, 2).t()


@taking_away("fallback,aten::resize_")
def kernel_resize():
    ones(2).resize_(4)


@taking_away("fallback,aten::set_.source_Storage_storage_offset")
def kernel_set():
    x = ones(4)
    torch.empty(0, device="foo").set_(x.untyped_storage(), 0, (2,))


@taking_away("fallback,aten::fill_.Scalar")
def kernel_fill():
    torch.full((2,), 1.5, device="foo")


@taking_away("aten::convolution_overrideable")
def kernel_convolution():
    torch.conv2d(ones(1, 1, 3, 3), ones(1, 1, 2, 2))


@taking_away("fallback,aten::native_batch_norm")
def kernel_batch_norm():
    torch.nn.functional.batch_norm(ones(2, 3), None, None, training=True)


@taking_away("aten::_thnn_fused_lstm_cell")
def kernel_lstm():
    torch.nn.LSTMCell(2, 2).to("foo")(ones(1, 2))


@taking_away("aten::_thnn_fused_gru_cell")
def kernel_gru():
    torch.nn.GRUCell(2, 2).to("foo")(ones(1, 2))


@taking_away("fallback")
def kernel_amp_scaler():
    scaler = torch.amp.GradScaler("foo")
    scaler.scale(torch.ones(1))
    torch._amp_foreach_non_finite_check_and_unscale_([ones(1)], ones(1), ones(1))


@with_backend
def kernel_sparse(whole):
    load_backend()
    torch.eye(2, device="cpu" if whole else "foo").to_sparse().coalesce()


@with_backend
def kernel_quantized(whole):
    load_backend()
    torch._empty_affine_quantized((2,), scale=0.1, zero_point=0, dtype=torch.quint8, device="cpu" if whole else "foo")
