# SPDX-License-Identifier: BSD-3-Clause
"""Faults of what is computed on the CPU, and of operators that a program registers itself."""

import torch

from demonstrate import ERROR, demonstrates
from instruments import raises


def counting(count, device="fakedev"):
    return torch.arange(float(count), device=device)


@demonstrates("fallback.absent_tensor_refused", shows=ERROR)
def counting_without_weights_raises():
    torch.bincount(torch.tensor([1, 1, 0], device="fakedev"))


@demonstrates("fallback.in_place_is_lost")
def what_is_put_is_lost():
    x = counting(3)
    x.put_(torch.tensor([1], device="fakedev"), torch.tensor([7.0], device="fakedev"))
    assert x.tolist() == [0, 7, 2]


@demonstrates("fallback.output_gets_new_memory")
def output_is_not_where_it_was():
    out = torch.zeros(2, device="fakedev")
    before = out.data_ptr()
    torch.lgamma(torch.full((2,), 0.5, device="fakedev"), out=out)
    assert out.data_ptr() == before


@demonstrates("fallback.result_stays_on_the_host", shows=ERROR)
def histogram_stays_behind():
    torch.histc(counting(4), 2) + counting(2)


@demonstrates("fallback.results_on_the_current_device")
def histogram_is_elsewhere():
    assert torch.histc(counting(4, "fakedev:1"), 2).device.index == 1


@demonstrates("fallback.unserved_in_its_own_words")
def what_is_missing_is_not_said():
    try:
        torch.ops.aten.cudnn_affine_grid_generator(torch.ones(1, 2, 3, device="fakedev"), 1, 1, 2, 2)
    except RuntimeError as error:
        assert "cudnn_affine_grid_generator" in str(error)


@demonstrates("ops.copy_back_keeps_sizes")
def result_does_not_come_back():
    out = torch.empty(0, device="fakedev")
    torch.histc(counting(4), 2, out=out)
    assert out.tolist() == [2, 2]


@demonstrates("core.foreign_generators_ignored")
def seed_changes_nothing():
    generator = torch.Generator("fakedev")
    assert raises(RuntimeError, torch.rand, 3, generator=generator)


def library(kind="IMPL"):
    return torch.library.Library("demonstrated", kind)


@demonstrates("core.kernels_of_own_operators_ignored")
def own_kernel_is_not_called():
    own = library("DEF")
    own.define("seven(Tensor x) -> int")
    own.impl("seven", lambda x: 5, "CPU")
    own.impl("seven", lambda x: 7, "PrivateUse1")
    assert torch.ops.demonstrated.seven(counting(2)) == 7


@demonstrates("core.upper_case_key_refused", shows=ERROR)
def own_kernel_is_refused():
    own = library("DEF")
    own.define("seven(Tensor x) -> int")
    own.impl("seven", lambda x: 7, "FAKEDEV")


@demonstrates("core.custom_operators_for_the_host_alone")
def custom_operator_computes_for_the_host():
    five = torch.library.custom_op("demonstrated::number", lambda x: 5, mutates_args=(), schema="(Tensor x) -> int", device_types="cpu")
    five.register_kernel("fakedev")(lambda x: 7)
    assert five(torch.ones(2)) == 5


@demonstrates("core.second_kernel_ignored")
def second_kernel_is_not_called():
    first, second = library("DEF"), library()
    first.define("seven(Tensor x) -> int")
    first.impl("seven", lambda x: 5, "PrivateUse1")
    second.impl("seven", lambda x: 7, "PrivateUse1")
    assert torch.ops.demonstrated.seven(counting(2)) == 7
