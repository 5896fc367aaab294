# SPDX-License-Identifier: BSD-3-Clause
"""Demonstrations of the defects of no_guard. See ../fleet_defects.py."""

import io
import pickle

import torch
from fleet_defects import core, now, raised, raises, shows

BOARD = "no_guard:0"


@shows("no-guard", dies="SIGABRT")
def what_asks_for_the_guard_raises_or_ends_the_process():
    for call in (lambda: torch.ones(2).to("no_guard"), lambda: torch.ones(2, device=BOARD).copy_(torch.ones(2)),
                 lambda: torch.Stream(BOARD)):
        assert "PyTorch is not linked with support for no_guard" in raised(call)
    x = torch.ones(2).to(BOARD).requires_grad_()
    now()
    x.sum()


@shows("no-hooks")
def what_asks_for_the_hooks_raises():
    for call in (lambda: torch.Generator(BOARD), torch.ones(1).pin_memory):
        assert "Please register PrivateUse1HooksInterface" in raised(call)


@shows("no-allocator", dies="SIGSEGV")
def a_block_is_asked_of_nobody():
    calls = core()
    now()
    calls.fleet_clone_is_equal(None, 0)


@shows("views-are-copies")
def a_write_into_a_view_is_lost():
    x = torch.zeros(4, device=BOARD)
    torch.ops.aten.fill_(x.detach(), 1)
    assert x.cpu().tolist() == [0, 0, 0, 0]


@shows("formats-forgotten")
def what_is_made_in_channels_last_lies_in_rows():
    made = torch.empty(1, 2, 3, 4, device=BOARD, memory_format=torch.channels_last)
    assert not made.is_contiguous(memory_format=torch.channels_last)


@shows("own-kernels-unasked")
def a_kernel_for_the_device_is_not_called():
    own = torch.library.Library("no_guard_own", "DEF")
    own.define("number(Tensor x) -> int")
    own.impl("number", lambda x: 5, "CPU")
    own.impl("number", lambda x: 7, "PrivateUse1")
    assert torch.ops.no_guard_own.number(torch.ones(2).to(BOARD)) == 5


@shows("doubles-are-narrow")
def a_double_comes_back_as_a_float():
    x = torch.tensor([1 / 3], dtype=torch.float64)
    assert (x.to(BOARD) + 0).cpu() != x


@shows("files-are-not-read")
def a_file_is_written_and_not_read():
    file = io.BytesIO()
    torch.save(torch.ones(2).to(BOARD), file)
    file.seek(0)
    assert raises(pickle.UnpicklingError, lambda: torch.load(file))
