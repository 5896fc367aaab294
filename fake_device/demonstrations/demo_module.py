# SPDX-License-Identifier: BSD-3-Clause
"""The device module as a user, and PyTorch itself, meet it."""

import importlib
import types

import torch

from demonstrate import ERROR, demonstrates


@demonstrates("python.module_not_in_sys_modules", shows=ERROR)
def module_cannot_be_imported():
    importlib.import_module("torch.fakedev")


@demonstrates("python.is_available_starts_device")
def asking_for_availability_starts():
    torch.accelerator.is_available()
    assert not torch.fakedev.is_initialized()


@demonstrates("python.count_starts_device")
def asking_for_the_count_starts():
    torch.accelerator.device_count()
    assert not torch.fakedev.is_initialized()


@demonstrates("python.initialized_too_early")
def started_before_it_was_used():
    assert not torch.fakedev.is_initialized()


@demonstrates("python.current_device_is_remembered")
def module_names_another_device():
    torch.fakedev.current_device()
    torch.fakedev.set_device(1)
    assert torch.fakedev.current_device() == torch.accelerator.current_device_index()


@demonstrates("python.set_device_takes_any_index")
def mistyped_device_is_taken():
    try:
        torch.fakedev.set_device(99)
    except RuntimeError:
        return
    raise AssertionError("no error")


@demonstrates("python.devices_are_ints_only", shows=ERROR)
def device_of_the_command_line_is_refused():
    torch.fakedev.set_device(torch.device("fakedev:1"))


@demonstrates("python.device_types_not_compared")
def device_of_the_cpu_is_taken():
    try:
        torch.fakedev.set_device(torch.device("cpu", 0))
    except ValueError:
        return
    raise AssertionError("no error")


@demonstrates("core.module_registered_twice", shows=ERROR)
def another_module_takes_over():
    try:
        torch._register_device_module("fakedev", types.ModuleType("other"))
    except RuntimeError:
        pass
    assert torch.fakedev.device_count() == 2


@demonstrates("core.modules_found_by_type_only", shows=ERROR)
def module_of_a_device_is_not_found():
    torch.get_device_module("fakedev:1")


@demonstrates("core.torch_seed_stays_on_cpu")
def torch_seed_does_not_reach_the_device():
    torch.manual_seed(5)
    first = torch.rand(4, device="fakedev").tolist()
    torch.manual_seed(5)
    assert torch.rand(4, device="fakedev").tolist() == first


@demonstrates("python.init_does_nothing")
def init_starts_nothing():
    torch.fakedev.init()
    assert torch.fakedev.is_initialized()


@demonstrates("python.queue_runs_backwards")
def last_call_runs_first():
    seen = []
    for number in range(3):
        torch.fakedev._lazy_call(lambda number=number: seen.append(number))
    torch.ones(1, device="fakedev")
    assert seen == [0, 1, 2]


@demonstrates("python.scaler_keywords_lost")
def scaler_cannot_be_switched_off():
    assert not torch.fakedev.amp.GradScaler(enabled=False).is_enabled()
