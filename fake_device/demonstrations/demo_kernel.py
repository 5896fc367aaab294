# SPDX-License-Identifier: BSD-3-Clause
"""Kernels of the driver: results that are wrong in some place, for some layout or dtype."""

import torch

from demonstrate import CRASH, ERROR, demonstrates
from instruments import raises


def on_device(*values, dtype=None):
    return torch.tensor(values, device="fakedev", dtype=dtype)


@demonstrates("kernel.cast_rounds_instead_of_truncates")
def cast_rounds():
    assert on_device(1.7, -1.7).to(torch.int32).tolist() == [1, -1]


@demonstrates("kernel.empty_tensor_refused", shows=ERROR)
def sum_of_nothing_raises():
    assert torch.empty(0, device="fakedev").sum().item() == 0


@demonstrates("kernel.expanded_operand_wrong")
def broadcast_reads_beyond():
    column = on_device(1.0, 2.0).reshape(2, 1)
    assert (column.expand(2, 3) + torch.zeros(2, 3, device="fakedev")).tolist() == [[1] * 3, [2] * 3]


@demonstrates("kernel.ignores_strides")
def transposed_operand_is_not():
    x = torch.arange(6.0, device="fakedev").reshape(2, 3)
    assert torch.zeros(3, 2, device="fakedev").add_(x.t()).tolist() == [[0, 3], [1, 4], [2, 5]]


@demonstrates("kernel.index_wraps_instead_of_error")
def index_beyond_the_end_is_taken():
    x = on_device(1.0, 2.0)
    assert raises(RuntimeError, lambda: x.index_select(0, on_device(5)).tolist())


@demonstrates("kernel.int_division_by_zero_crashes", shows=CRASH)
def number_that_is_zero_in_bytes_ends_the_process():
    bytes_there = on_device(7, 8, dtype=torch.uint8)
    assert raises(RuntimeError, lambda: bytes_there.div(torch.tensor(256), rounding_mode="floor").tolist())


@demonstrates("kernel.int_division_rounds_down_always")
def minus_seven_by_two_is_minus_four():
    assert torch.div(on_device(-7), 2, rounding_mode="trunc").item() == -3


@demonstrates("kernel.matmul_ignores_beta")
def addmm_does_not_add():
    one = torch.ones(2, 2, device="fakedev")
    assert torch.addmm(one, one, one, beta=3).tolist() == [[5, 5], [5, 5]]


@demonstrates("kernel.matmul_reads_output_with_beta_zero")
def old_nan_stays_in_the_product():
    one = torch.ones(2, 2, device="fakedev")
    out = torch.full((2, 2), float("nan"), device="fakedev")
    assert torch.mm(one, one, out=out).tolist() == [[2, 2], [2, 2]]


@demonstrates("kernel.nan_lost_in_max")
def maximum_hides_nan():
    assert torch.maximum(on_device(float("nan")), on_device(1.0)).isnan().item()


@demonstrates("kernel.scatter_accumulate_overwrites")
def repeated_index_counts_once():
    x = torch.zeros(2, device="fakedev")
    x.index_put_((on_device(1, 1),), on_device(1.0, 1.0), accumulate=True)
    assert x.tolist() == [0, 2]


@demonstrates("kernel.sum_accumulates_in_low_precision")
def sum_stops_growing():
    ones = torch.ones(1 << 18, dtype=torch.bfloat16, device="fakedev")
    assert ones.sum().item() == 1 << 18


@demonstrates("kernel.tail_not_written")
def end_of_the_result_is_missing():
    x = torch.ones(300, device="fakedev")
    assert (x + x).tolist() == [2] * 300


@demonstrates("ops.small_integers_saturate")
def bytes_stop():
    assert (on_device(200, dtype=torch.uint8) + on_device(100, dtype=torch.uint8)).tolist() == [44]
