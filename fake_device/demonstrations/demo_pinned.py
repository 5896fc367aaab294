# SPDX-License-Identifier: BSD-3-Clause
"""Pinned memory of the host, and who calls what pinned."""

import ctypes
import mmap
import threading

import torch

from demo_native import helper
from demonstrate import CRASH, ERROR, demonstrates

accelerator = torch.accelerator
LARGE = 64 << 20


def resident():
    """Bytes of this process that are in memory."""
    with open("/proc/self/statm", encoding="ascii") as file:
        return int(file.read().split()[1]) * mmap.PAGESIZE


@demonstrates("host.allocator_needs_a_start", shows=ERROR)
def pinning_first_is_refused():
    torch.ones(4).pin_memory()


@demonstrates("host.block_is_on_the_device", shows=ERROR)
def pinned_tensor_is_not_on_the_cpu():
    assert torch.ones(4).pin_memory().tolist() == [1] * 4


@demonstrates("host.empty_cache_keeps_everything")
def pinned_memory_is_never_given_back():
    torch.fakedev.init()
    large = torch.ones(LARGE, dtype=torch.uint8).pin_memory()
    held = resident()
    del large
    accelerator.empty_host_cache()
    assert resident() < held - LARGE // 2


@demonstrates("host.empty_cache_needs_a_block", shows=ERROR)
def emptying_nothing_raises():
    torch.fakedev.init()
    accelerator.empty_host_cache()


@demonstrates("host.everything_is_pinned")
def plain_tensor_is_pinned():
    torch.ones(4).pin_memory()
    assert not torch.ones(4).is_pinned()


@demonstrates("host.freed_only_on_its_thread", shows=CRASH)
def batch_is_dropped_by_the_main_thread():
    batches = []
    thread = threading.Thread(target=lambda: batches.append(torch.ones(4).pin_memory()))
    thread.start()
    thread.join()
    batches.clear()


@demonstrates("host.nothing_is_pinned")
def pinned_tensor_is_copied_again():
    pinned = torch.ones(4).pin_memory()
    assert pinned.pin_memory().data_ptr() == pinned.data_ptr()


@demonstrates("python.pin_memory_always_copies")
def each_library_pins_once_more():
    pinned = torch.ones(4).pin_memory()
    assert pinned.pin_memory() is pinned


@demonstrates("host.foreign_blocks_recorded")
def plain_memory_is_recorded():
    torch.fakedev.init()
    x = torch.ones(4)
    assert not helper().helper_record_host_event(ctypes.c_void_p(x.data_ptr()))


@demonstrates("host.pinned_for_ever")
def memory_that_was_given_back_is_pinned():
    pinned = torch.ones(8, dtype=torch.uint8).pin_memory()
    address = pinned.data_ptr()
    assert pinned.is_pinned()
    del pinned
    accelerator.empty_host_cache()
    there = (ctypes.c_uint8 * 8).from_address(address)  # nobody reads it
    assert not torch.frombuffer(there, dtype=torch.uint8).is_pinned()


@demonstrates("host.history_stays_empty", since=(2, 14))
def history_of_pinned_memory_is_empty():
    torch.fakedev.init()
    helper().helper_begin_host_history()
    pinned = torch.ones(8).pin_memory()
    assert helper().helper_host_history_of(ctypes.c_void_p(pinned.data_ptr()))


@demonstrates("host.snapshot_is_empty", since=(2, 14))
def pinned_memory_is_in_no_snapshot():
    torch.fakedev.init()
    pinned = torch.ones(8).pin_memory()
    assert pinned.is_pinned() and helper().helper_host_segments()


@demonstrates("host.unknown_address_raises", shows=ERROR)
def asking_of_a_plain_tensor_raises():
    torch.ones(4).pin_memory()
    torch.ones(4).is_pinned()


@demonstrates("host.zero_bytes_refused", shows=ERROR)
def empty_batch_cannot_be_pinned():
    torch.empty(0).pin_memory()
