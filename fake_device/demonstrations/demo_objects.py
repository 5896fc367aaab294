# SPDX-License-Identifier: BSD-3-Clause
"""Wrong answers about a tensor, as Python sees it."""

import copy

import torch
from torch.utils._python_dispatch import TorchDispatchMode

from demonstrate import demonstrates


@demonstrates("core.data_assignment_copies")
def exchanged_weight_is_another():
    weight, flat = (
        torch.nn.Parameter(torch.zeros(3).to("fakedev")),
        torch.ones(3).to("fakedev"),
    )
    weight.data = flat
    flat.fill_(5)
    assert weight.tolist() == [5, 5, 5]


@demonstrates("core.deepcopy_shares_memory")
def average_of_weights_trains_along():
    weight = torch.ones(3).to("fakedev")
    kept = copy.deepcopy(weight)
    weight.zero_()
    assert kept.tolist() == [1, 1, 1]


@demonstrates("core.dispatch_modes_see_nothing")
def nothing_is_counted():
    class Count(TorchDispatchMode):
        calls = 0

        def __torch_dispatch__(self, function, types, arguments=(), options=None):
            self.calls += 1
            return function(*arguments, **(options or {}))

    with Count() as count:
        torch.ones(3).to("fakedev") + 1
    assert count.calls > 0


@demonstrates("core.printed_without_device")
def place_is_not_shown():
    assert "fakedev:0" in repr(torch.ones(3).to("fakedev"))


@demonstrates("ops.clone_loses_memory_format")
def clone_lies_otherwise():
    image = torch.ones(2, 3, 4, 4).to("fakedev", memory_format=torch.channels_last)
    assert image.clone().is_contiguous(memory_format=torch.channels_last)


@demonstrates("ops.view_of_a_dtype_copies")
def sign_is_not_written():
    numbers = torch.ones(3).to("fakedev")
    numbers.view(torch.int32).bitwise_xor_(-(2**31))
    assert numbers.tolist() == [-1, -1, -1]


@demonstrates("ops.item_is_rounded")
def identity_changes():
    assert torch.tensor(2**53 + 1).to("fakedev").item() == 2**53 + 1
