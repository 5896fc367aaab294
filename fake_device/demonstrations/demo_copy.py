# SPDX-License-Identifier: BSD-3-Clause
"""Copies and pinned memory of the driver."""

import os
from pathlib import Path

import torch

from demonstrate import demonstrates
from instruments import gate, held_until_we_wait


@demonstrates("copy.across_devices_overtakes")
def older_number_stays():
    stream = torch.Stream("fakedev:1")
    here, there = torch.ones(8, device="fakedev:0"), torch.zeros(8, device="fakedev:1")
    with held_until_we_wait(stream), stream:
        there.fill_(5)
        there.copy_(here, non_blocking=True)
        torch.accelerator.synchronize(0)
    stream.synchronize()
    assert there.tolist() == [1] * 8


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


@demonstrates("copy.never_overlaps")
def copy_that_need_not_wait_waits():
    stream, pinned = torch.Stream("fakedev:0"), torch.ones(8).pin_memory()
    x = torch.empty(8, device="fakedev:0")
    with held_until_we_wait(stream), stream:
        x.copy_(pinned, non_blocking=True)
        assert not stream.query()


@demonstrates("copy.one_buffer_for_all")
def batch_is_the_next_one():
    stream = torch.Stream("fakedev:0")
    batches = [torch.full((8,), float(i)).pin_memory() for i in range(2)]
    with gate(stream), stream:
        there = [one.to("fakedev:0", torch.float64, non_blocking=True) for one in batches]
    stream.synchronize()
    assert there[0].tolist() == [0] * 8


@demonstrates("copy.staging_is_kept")
def host_memory_does_not_grow():
    host, there, page = torch.ones(1 << 20), torch.empty(1 << 20, device="fakedev:0"), os.sysconf("SC_PAGESIZE")

    def resident():
        return int(Path("/proc/self/statm").read_text().split()[1]) * page

    there.copy_(host)
    before = resident()
    for _ in range(16):
        there.copy_(host)
        torch.accelerator.synchronize()
    assert resident() - before < 32 << 20


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


@demonstrates("copy.reads_pageable_memory_late")
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
