# SPDX-License-Identifier: BSD-3-Clause
"""Operators of the integration: factories, views, copies, fallback, devices of operands."""

import torch

from demonstrate import ERROR, HANG, demonstrates
from instruments import gate, raises


def counting(count, device="fakedev"):
    return torch.arange(float(count), device=device)


@demonstrates("fallback.silent")
def fallback_goes_unnoticed():
    from torch_fakedev.testing import fallbacks

    torch.linalg.qr(torch.eye(3, device="fakedev"))
    assert fallbacks()


@demonstrates("fallback.silent_copy")
def set_shares_nothing():
    x, y = torch.empty(0, device="fakedev"), counting(3)
    x.set_(y)
    y.zero_()
    assert x.tolist() == [0, 0, 0]


@demonstrates("ops.as_strided_ignores_offset")
def strided_view_begins_elsewhere():
    assert counting(10)[2:].as_strided((3,), (1,)).tolist() == [2, 3, 4]


@demonstrates("ops.as_strided_zero_offset_is_not_given")
def strided_view_ignores_offset_zero():
    assert counting(10)[2:].as_strided((3,), (1,), 0).tolist() == [0, 1, 2]


@demonstrates("ops.conj_copy_wrong")
def conjugate_is_lost():
    x = torch.tensor([1 + 2j], device="fakedev")
    assert torch.empty_like(x).copy_(x.conj()).tolist() == [1 - 2j]


@demonstrates("ops.copy_counts_elements")
def copy_takes_another_shape():
    assert raises(RuntimeError, torch.zeros(2, 3, device="fakedev").copy_, counting(6))


@demonstrates("ops.copy_ignores_strides")
def transposed_copy_is_not():
    assert counting(6).reshape(2, 3).t().contiguous().tolist() == [[0, 3], [1, 4], [2, 5]]


@demonstrates("ops.copy_onto_itself_clears")
def copy_onto_itself_is_lost():
    x = counting(3)
    assert x.copy_(x.view(3)).tolist() == [0, 1, 2]


@demonstrates("ops.empty_strided_allocates_nothing")
def strided_tensor_has_no_memory():
    x = torch.empty_strided((2, 3), (1, 2), device="fakedev")
    assert x.untyped_storage().nbytes() == 24


@demonstrates("ops.empty_tensor_crashes", shows=ERROR)
def zeros_of_nothing_raise():
    assert torch.zeros(0, device="fakedev").cpu().tolist() == []


@demonstrates("ops.factory_ignores_index")
def tensor_is_on_the_current_device():
    assert torch.zeros(3, device="fakedev:1").device.index == 1


@demonstrates("ops.foreach_fallback_not_written_back")
def fused_optimizer_changes_nothing():
    parameter = torch.ones(2, device="fakedev", requires_grad=True)
    parameter.sum().backward()
    torch.optim.SGD([parameter], lr=0.5, fused=True).step()
    assert parameter.tolist() == [0.5, 0.5]


@demonstrates("ops.group_norm_takes_contiguous_only", shows=ERROR)
def diffusion_model_stops():
    images = torch.ones(1, 4, 2, 2, device="fakedev").to(memory_format=torch.channels_last)
    torch.nn.GroupNorm(2, 4).to("fakedev")(images)


@demonstrates("ops.hidden_row_is_nan")
def padding_poisons_the_batch():
    x, nothing = torch.ones(1, 1, 2, 4, device="fakedev"), torch.zeros(2, 2, device="fakedev").bool()
    assert torch.nn.functional.scaled_dot_product_attention(x, x, x, nothing).abs().max() == 0


@demonstrates("ops.kernel_runs_on_current_device", shows=HANG)
def kernel_waits_for_another_device():
    x = torch.zeros(3, device="fakedev:1")
    torch.accelerator.synchronize(1)
    with gate(torch.accelerator.current_stream(0)):
        x.fill_(1)
        with torch.accelerator.device_index(1):
            assert x.tolist() == [1, 1, 1]


@demonstrates("ops.lowest_mask_hides_all")
def masked_padding_is_zero():
    x, lowest = torch.ones(1, 1, 2, 4, device="fakedev"), torch.full((2, 2), torch.finfo(torch.float32).min, device="fakedev")
    assert torch.nn.functional.scaled_dot_product_attention(x, x, x, lowest).min() == 1


@demonstrates("ops.mixed_devices_accepted")
def tensors_of_two_devices_are_multiplied():
    near, far = (torch.eye(2, device=f"fakedev:{i}") for i in (0, 1))
    assert raises(RuntimeError, torch.mm, near, far)


@demonstrates("ops.resize_resets_offset")
def resized_view_moves():
    assert counting(10)[4:6].resize_(3).tolist() == [4, 5, 6]


@demonstrates("ops.scalar_operand_refused", shows=ERROR)
def number_on_the_host_is_refused():
    assert (torch.ones(2, device="fakedev") * torch.tensor(2.0)).tolist() == [2, 2]


@demonstrates("ops.to_copy_aliases")
def copy_is_the_original():
    x = counting(3)
    x.to("fakedev", copy=True).zero_()
    assert x.tolist() == [0, 1, 2]
