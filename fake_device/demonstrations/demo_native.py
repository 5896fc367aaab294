# SPDX-License-Identifier: BSD-3-Clause
"""Faults that a C++ program that links torch meets: the same few lines, behind a compiled helper."""

import ctypes
import subprocess
import sys

import torch

import demonstrate
from demonstrate import demonstrates
from instruments import held_until_we_wait


def helper():
    return ctypes.CDLL(str(demonstrate.BUILD / "tests" / "libload_from_c_helper.so"))


@demonstrates("allocator.raw_deleter_differs")
def raw_deleter_is_another():
    assert helper().helper_raw_deleter_is_the_blocks()


@demonstrates("hooks.is_available_raises", FAKEDEV_DEVICES="0")
def availability_raises():
    assert helper().helper_is_available() == 0


@demonstrates("hooks.is_built_missing")
def built_or_not_raises():
    assert helper().helper_is_built() == 1


@demonstrates("hooks.context_never_made")
def backward_waits_for_no_device():
    torch.ones(1, device="fakedev:1").cpu()
    assert helper().helper_has_context(1) == 1


@demonstrates("hooks.context_of_any_device")
def device_that_is_not_there_was_used():
    assert helper().helper_has_context(7) == 0


@demonstrates("hooks.pointer_of_the_host")
def memory_of_the_host_is_the_devices():
    assert helper().helper_device_of(ctypes.c_void_p(torch.ones(4).data_ptr())) == -1


@demonstrates("hooks.pointer_has_no_index")
def pointer_is_nowhere():
    x = torch.ones(4, device="fakedev:0")
    assert helper().helper_device_of(ctypes.c_void_p(x.data_ptr())) == 0


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


@demonstrates("allocator.copy_data_overtakes_other_devices")
def copy_on_write_of_another_device_is_old():
    x = torch.zeros(64, device="fakedev:1")
    torch.accelerator.synchronize(1)
    with held_until_we_wait(torch.accelerator.current_stream("fakedev:1")):
        x.fill_(7)
        y = torch._lazy_clone(x)
        y.data_ptr()
    assert y.tolist() == [7] * 64


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


@demonstrates("guard.type_is_cuda")
def guard_is_of_another_type():
    assert helper().helper_guard_type() == 20  # c10::DeviceType::PrivateUse1


def ends_well(last_words):
    """A program that loads the helper before the backend, and leaves work for its end."""
    lines = (
        "import ctypes, torch",
        f"helper = ctypes.CDLL({str(demonstrate.BUILD / 'tests' / 'libload_from_c_helper.so')!r})",
        "import torch_fakedev",
        "torch.ones(4, device='fakedev').cpu()",
        f"helper.{last_words}()",
    )
    return subprocess.run([sys.executable, "-c", "\n".join(lines)]).returncode == 0


@demonstrates("guard.unusable_at_exit")
def guard_fails_at_exit():
    assert ends_well("helper_ask_guard_at_end")


@demonstrates("allocator.free_crashes_at_exit")
def freeing_at_exit_crashes():
    assert ends_well("helper_free_at_end")


@demonstrates("allocator.replaced_at_first_use")
def allocator_is_replaced():
    before = helper().helper_allocator()
    torch.ones(4, device="fakedev")
    assert helper().helper_allocator() == before


@demonstrates("allocator.context_is_not_pointer")
def raw_allocation_asserts():
    assert helper().helper_raw_round_trip()


@demonstrates("allocator.raw_deleter_does_nothing")
def raw_deallocation_leaks():
    before = torch.accelerator.memory_allocated(0)
    helper().helper_raw_round_trip()
    assert torch.accelerator.memory_allocated(0) == before


@demonstrates("allocator.deleter_rejects_null")
def deleting_nothing_raises():
    assert helper().helper_delete_nothing()


@demonstrates("allocator.everything_is_simple")
def foreign_memory_is_taken_for_its_own():
    assert helper().helper_foreign_memory_is_not_simple()


@demonstrates("event.null_refused")
def moved_event_asks():
    torch.fakedev.init()
    assert helper().helper_moved_event_is_complete()


@demonstrates("stream.new_on_any_index")
def stream_of_no_device_is_made():
    torch.fakedev.init()
    assert helper().helper_new_stream_is_refused(torch.fakedev.device_count())
