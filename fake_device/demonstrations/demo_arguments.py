# SPDX-License-Identifier: BSD-3-Clause
"""Operators and their arguments: bits, overlap, ranges, indices, writes that a schema hides."""

import torch

from demonstrate import CRASH, ERROR, demonstrates
from instruments import raises

I = torch.full((2, 2), 1j)


def ours(tensor, index=0):
    return tensor.to(f"fakedev:{index}")


@demonstrates("fallback.hidden_writes_lost")
def statistics_never_change():
    layer = torch.nn.BatchNorm1d(2).to("fakedev")
    layer(torch.ones(4, 2, device="fakedev"))
    assert layer.running_mean.tolist() != [0, 0]


@demonstrates("fallback.overlap_unchecked")
def output_overlaps_input():
    x = torch.ones(6, device="fakedev")
    assert raises(RuntimeError, torch.cumprod, x[1:], 0, out=x[:-1])


@demonstrates("ops.conj_output_ignored")
def product_into_a_view_is_conjugated():
    out = torch.zeros(2, 2, dtype=torch.complex64, device="fakedev").conj()
    torch.mm(ours(I), ours(torch.eye(2) + 0j), out=out)
    assert out.cpu().tolist() == I.tolist()


@demonstrates("ops.conj_physical_without_stub", shows=ERROR)
def conjugating_in_place_fails():
    assert ours(I).conj_physical_().cpu().tolist() == (-I).tolist()


@demonstrates("ops.expanded_write_refused", shows=ERROR)
def expanded_tensor_cannot_be_filled():
    assert torch.zeros(1, device="fakedev").expand(3).fill_(2).tolist() == [2, 2, 2]


@demonstrates("ops.foreign_indices_taken")
def indices_come_from_another_device():
    near, far = ours(torch.zeros(1).long()), ours(torch.ones(3), 1)
    assert raises(RuntimeError, lambda: far[near])


@demonstrates("ops.index_errors_are_others", shows=ERROR)
def wrong_index_is_another_error():
    index = ours(torch.zeros(1))  # not of an integer dtype, which the operator finds
    assert raises(IndexError, lambda: ours(torch.ones(3))[index])


@demonstrates("ops.nested_sizes_missing", shows=CRASH)
def nested_tensor_ends_the_process():
    x = torch.ones(2, device="fakedev", requires_grad=True)
    torch.nested.as_nested_tensor([x, x])


@demonstrates("ops.numbers_wrap")
def number_wraps():
    assert raises(RuntimeError, torch.full, (2,), 300, dtype=torch.uint8, device="fakedev")


@demonstrates("ops.partial_kernel_raises", shows=ERROR)
def complex_numbers_have_no_absolute_value():
    assert ours(I).abs().cpu().tolist() == [[1, 1], [1, 1]]


@demonstrates("ops.products_ignore_conj")
def adjoint_is_a_transpose():
    assert (ours(I).mH @ ours(I)).cpu().tolist() == (I.mH @ I).tolist()


@demonstrates("ops.resize_leaves_new_memory")
def new_memory_is_not_filled():
    torch.use_deterministic_algorithms(True)
    x = torch.zeros(2, device="fakedev").resize_(4)
    assert x[2:].isnan().all()


@demonstrates("random.complex_uniform_is_real")
def complex_numbers_are_real():
    assert torch.rand(8, dtype=torch.complex64, device="fakedev").cpu().imag.any()


@demonstrates("random.randperm_wraps")
def permutation_has_numbers_twice():
    assert raises(RuntimeError, torch.randperm, 300, dtype=torch.uint8, device="fakedev")


@demonstrates("random.uniform_takes_any_bounds")
def bounds_are_not_held():
    assert raises(RuntimeError, torch.empty(3, device="fakedev").uniform_, 0, 1e39)


@demonstrates("ops.dot_takes_the_shorter")
def dot_of_two_lengths_is_taken():
    assert raises(RuntimeError, torch.dot, torch.ones(3, device="fakedev"), torch.ones(4, device="fakedev"))


@demonstrates("ops.index_select_wraps_dim")
def dim_that_is_not_there_is_taken():
    index = torch.zeros(1, dtype=torch.long, device="fakedev")
    assert raises(IndexError, torch.index_select, torch.ones(2, 3, device="fakedev"), 2, index)


@demonstrates("ops.index_put_casts")
def values_of_another_dtype_are_taken():
    x, index = torch.ones(3, device="fakedev"), torch.zeros(1, dtype=torch.long, device="fakedev")
    assert raises(RuntimeError, x.index_put_, (index,), torch.ones(1, dtype=torch.float64, device="fakedev"))


@demonstrates("ops.masked_select_casts")
def output_of_another_dtype_is_taken():
    x, out = torch.ones(3, device="fakedev"), torch.ones(3, dtype=torch.float64, device="fakedev")
    assert raises(RuntimeError, torch.masked_select, x, x > 0, out=out)


@demonstrates("ops.factor_left_out")
def factor_of_addcmul_is_left_out():
    x = torch.ones(3, device="fakedev")
    assert torch.addcmul(x, x, x, value=4).tolist() == [5.0] * 3


@demonstrates("ops.loss_ignores_beta")
def loss_has_another_beta():
    x = torch.full((3,), 0.5, device="fakedev")
    loss = torch.nn.functional.smooth_l1_loss(x, torch.zeros(3, device="fakedev"), beta=0.25)
    assert loss.item() == 0.375


@demonstrates("ops.where_keeps_the_first_dtype")
def doubles_come_as_floats():
    x = torch.ones(3, device="fakedev")
    assert torch.where(x > 0, x, x.double()).dtype is torch.float64


@demonstrates("amp.flag_of_any_kind_taken")
def scale_is_updated_by_two_flags():
    scale, count = torch.ones(1, device="fakedev"), torch.zeros(1, dtype=torch.int32, device="fakedev")
    flags = torch.zeros(2, device="fakedev")
    assert raises(RuntimeError, torch._amp_update_scale_, scale, count, flags, 2.0, 0.5, 1)
