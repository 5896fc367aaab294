# SPDX-License-Identifier: BSD-3-Clause
"""Copies and pinned memory of the driver."""

import ctypes

import torch

from demonstrate import demonstrates
from instruments import driver, gate, held_until_we_wait


@demonstrates("copy.drops_last_byte")
def last_byte_is_missing():
    assert torch.arange(8.0).to("fakedev").cpu().tolist() == [0, 1, 2, 3, 4, 5, 6, 7]


@demonstrates("copy.ignores_stream_order")
def copy_overtakes_a_kernel():
    stream, pinned = torch.Stream("fakedev:0"), torch.ones(8).pin_memory()
    x = torch.empty(8, device="fakedev:0")
    with gate(stream), stream:
        x.fill_(9)
        x.copy_(pinned, non_blocking=True)
    stream.synchronize()
    assert x.tolist() == [1] * 8


@demonstrates("copy.staging_skipped")
def source_is_read_too_late():
    stream, source = torch.Stream("fakedev:0"), torch.ones(8)
    with gate(stream), stream:
        x = source.to("fakedev:0", non_blocking=True)
        source.fill_(9)
    stream.synchronize()
    assert x.tolist() == [1] * 8


@demonstrates("copy.to_host_returns_early")
def data_has_not_arrived():
    stream, host = torch.Stream("fakedev:0"), torch.zeros(8)
    with stream:
        x = torch.ones(8, device="fakedev:0")
        with held_until_we_wait(stream):
            host.copy_(x)
            assert host.tolist() == [1] * 8


@demonstrates("pinned.everything_is_pinned")
def pageable_source_is_read_too_late():
    """The result comes back through pinned memory: into pageable memory the fault would write late,
    perhaps after it is freed, and end in a crash instead of a wrong value."""
    stream, source = torch.Stream("fakedev:0"), torch.ones(8)
    arrived = torch.empty(8, pin_memory=True)
    with gate(stream), stream:
        x = source.to("fakedev:0", non_blocking=True)
        source.fill_(9)
        arrived.copy_(x, non_blocking=True)
    stream.synchronize()
    assert arrived.tolist() == [1] * 8


@demonstrates("pinned.not_found_by_interior_pointer")
def copy_to_a_slice_of_pinned_memory_waits():
    stream, host = torch.Stream("fakedev:0"), torch.ones(8).pin_memory()
    with stream:
        x = torch.ones(5, device="fakedev:0")
        with held_until_we_wait(stream):
            host[3:].copy_(x, non_blocking=True)
            assert not stream.query()


@demonstrates("pinned.found_after_free")
def freed_memory_is_still_pinned():
    """PyTorch keeps its own list of pinned blocks, so this is the driver alone."""
    block, found = ctypes.c_void_p(), ctypes.create_string_buffer(64)
    assert driver().fd_host_allocate(ctypes.c_size_t(32), ctypes.byref(block)) == 0
    assert driver().fd_host_free(block) == 0
    assert driver().fd_memory_find(block, found) != 0
