# SPDX-License-Identifier: BSD-3-Clause
"""What a C++ program that links torch meets: the same few lines, behind a compiled helper."""

import ctypes

import torch

import demonstrate
from demonstrate import demonstrates


def helper():
    return ctypes.CDLL(str(demonstrate.BUILD / "tests" / "libload_from_c_helper.so"))


@demonstrates("allocator.raw_deleter_differs")
def raw_deleter_is_another():
    assert helper().helper_raw_deleter_is_the_blocks()


@demonstrates("hooks.is_available_raises", FAKEDEV_DEVICES="0")
def availability_raises():
    assert helper().helper_is_available() == 0


@demonstrates("hooks.pointer_is_on_current_device")
def pointer_is_elsewhere():
    x = torch.ones(4, device="fakedev:1")
    assert helper().helper_device_of(ctypes.c_void_p(x.data_ptr())) == 1


@demonstrates("allocator.copy_data_drops_last_byte")
def copy_on_write_loses_a_byte():
    x = torch.full((64,), 7, dtype=torch.uint8, device="fakedev")
    y = torch._lazy_clone(x)
    y[0] = 1
    assert y[63].item() == 7


@demonstrates("guard.count_one_too_many")
def guard_counts_otherwise():
    assert helper().helper_guard_count() == torch.fakedev.device_count()


@demonstrates("stream.exchange_returns_new")
def stream_guard_leaks():
    torch.fakedev.init()
    assert helper().helper_stream_guard_restores()


@demonstrates("stream.new_switches_device")
def making_a_stream_switches():
    assert helper().helper_device_after_new_stream(1) == 0
