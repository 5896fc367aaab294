# SPDX-License-Identifier: BSD-3-Clause
"""Faults of factories, of operators that are made of others, and of attention."""

import ctypes

import torch
import torch.nn.functional as F

from demonstrate import ERROR, demonstrates
from instruments import raises


def ones(*sizes, **options):
    return torch.ones(*sizes, device="fakedev", **options)


@demonstrates("ops.attention_choice_is_the_cpus", shows=ERROR)
def attention_takes_a_kernel_of_the_host():
    x = ones(1, 1, 1, 2, 4)
    F.scaled_dot_product_attention(x, x, x)


@demonstrates("ops.chosen_attention_is_missing", shows=ERROR)
def attention_takes_a_kernel_that_is_not_there():
    x = ones(1, 1, 2, 4)
    F.scaled_dot_product_attention(x, x, x)


@demonstrates("ops.fused_attention_sees_the_future")
def text_sees_what_follows():
    x = torch.arange(1.0, 9.0, device="fakedev").reshape(1, 1, 2, 4)
    seen = F.scaled_dot_product_attention(x, x, x, is_causal=True)
    assert seen[0, 0, 0].tolist() == [1, 2, 3, 4]


@demonstrates("ops.fast_path_norms_first")
def model_answers_otherwise_when_it_is_served():
    layer = torch.nn.TransformerEncoderLayer(4, 2, 8, 0.0, batch_first=True).to("fakedev").eval()
    x = torch.arange(8.0, device="fakedev").reshape(1, 2, 4)
    slow = layer(x)
    with torch.no_grad():
        assert torch.allclose(layer(x), slow, atol=1e-4)


@demonstrates("ops.convolution_is_missing", shows=ERROR)
def first_model_with_a_convolution_stops():
    F.conv1d(ones(1, 1, 5), ones(1, 1, 3))


@demonstrates("ops.fused_cell_is_missing", shows=ERROR)
def recurrent_net_stops():
    torch.nn.LSTMCell(2, 2).to("fakedev")(ones(1, 2))


@demonstrates("ops.neg_copy_wrong")
def imaginary_part_has_the_wrong_sign():
    assert torch._neg_view(ones(2)).clone().tolist() == [-1, -1]


@demonstrates("ops.linear_of_its_own_has_no_bias")
def layer_has_no_bias():
    assert F.linear(ones(1, 2), ones(1, 2), ones(1)).item() == 3


@demonstrates("ops.matmul_of_its_own_takes_one_batch")
def all_heads_take_the_first():
    x = ones(1, 2, 1, 1) * torch.tensor([1.0, 3.0], device="fakedev").reshape(1, 2, 1, 1)
    assert torch.matmul(x, x).flatten().tolist() == [1, 9]


@demonstrates("ops.in_place_form_forgets_alpha")
def step_in_place_is_shorter():
    assert ones(1).add_(ones(1), alpha=3).item() == 4


@demonstrates("ops.norm_is_always_of_order_two")
def sum_of_sizes_is_a_length():
    assert torch.norm(torch.tensor([3.0, 4.0], device="fakedev"), 1, 0).item() == 7


@demonstrates("ops.elementwise_is_contiguous")
def sum_leaves_channels_last():
    x = ones(1, 2, 3, 4).to(memory_format=torch.channels_last)
    assert (x + x).is_contiguous(memory_format=torch.channels_last)


@demonstrates("ops.empty_forgets_format")
def format_is_forgotten():
    x = torch.empty(1, 2, 3, 4, device="fakedev", memory_format=torch.channels_last)
    assert x.is_contiguous(memory_format=torch.channels_last)


@demonstrates("ops.empty_is_float32_by_default")
def default_is_another_dtype():
    torch.set_default_dtype(torch.float64)
    assert torch.empty(2, device="fakedev").dtype == torch.float64


@demonstrates("ops.sparse_layout_ignored")
def sparse_matrix_is_dense():
    assert raises(NotImplementedError, torch.empty, 2, 2, layout=torch.sparse_coo, device="fakedev")


@demonstrates("ops.factory_makes_inference_tensors", shows=ERROR)
def weights_cannot_train():
    weights = torch.empty(2, device="fakedev")
    (ones(2, requires_grad=True) * weights).sum().backward()


@demonstrates("ops.device_tensor_is_pinned")
def device_tensor_is_taken_for_pinned():
    assert raises(RuntimeError, ones(2).pin_memory)


@demonstrates("ops.view_copies_what_does_not_fit")
def view_is_a_copy():
    assert raises(RuntimeError, ones(2, 3).t().view, 6)


@demonstrates("ops.view_as_real_copies")
def imaginary_part_stays():
    x = torch.tensor([1 + 2j], device="fakedev")
    x.imag.zero_()
    assert x.tolist() == [1]


@demonstrates("ops.expanded_copy_taken")
def one_of_two_rows_stays():
    assert raises(RuntimeError, ones(1, 2).expand(2, 2).copy_, torch.arange(4.0, device="fakedev").reshape(2, 2))


@demonstrates("core.c_dispatcher_calls_nothing")
def extension_calls_nothing():
    core = ctypes.CDLL(torch._C.__file__)
    stack = (ctypes.c_uint64 * 1)()
    assert core.aoti_torch_call_dispatcher(b"aten::no_such_operator", b"", stack) != 0
