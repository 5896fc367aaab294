# SPDX-License-Identifier: BSD-3-Clause
"""torch.accelerator and the hooks behind it, as a portable program meets them."""

import os

import torch

from demonstrate import ERROR, demonstrates

hooks = torch._C


def raises(function, *arguments):
    try:
        function(*arguments)
    except Exception:
        return True
    return False


@demonstrates("hooks.never_available")
def portable_program_runs_on_the_cpu():
    assert torch.get_device_module() is torch.fakedev


@demonstrates("hooks.is_available_starts_device")
def workers_are_forked_too_late():
    torch.get_device_module()
    if os.fork() == 0:
        os._exit(1 if torch.fakedev._is_in_bad_fork() else 0)
    assert os.waitstatus_to_exitcode(os.wait()[1]) == 0


@demonstrates("hooks.init_wants_to_be_first", shows=ERROR)
def pinning_comes_too_late():
    torch.ones(1, device="fakedev").cpu()
    torch.ones(1).pin_memory()


@demonstrates("hooks.set_ignores_argument")
def hooks_do_not_switch():
    hooks._accelerator_hooks_set_current_device(1)
    assert torch.accelerator.current_device_index() == 1


@demonstrates("hooks.exchange_returns_new")
def hooks_do_not_restore():
    before = hooks._accelerator_hooks_exchange_device(1)
    hooks._accelerator_hooks_set_current_device(before)
    assert torch.accelerator.current_device_index() == 0


@demonstrates("hooks.maybe_exchange_is_zero")
def nothing_to_restore_is_device_zero():
    torch.accelerator.set_device_index(1)
    hooks._accelerator_hooks_maybe_exchange_device(-1)
    assert torch.accelerator.current_device_index() == 1


@demonstrates("guard.synchronize_takes_any_index")
def mistyped_device_is_waited_for():
    torch.fakedev.init()
    assert raises(torch.accelerator.synchronize, 99)


@demonstrates("core.accelerator_has_an_index")
def accelerator_is_one_device():
    torch.fakedev.set_device(1)
    assert torch.ones(1, device=torch.accelerator.current_accelerator()).get_device() == 1


@demonstrates("core.accelerator_is_always_there", FAKEDEV_DEVICES="0")
def accelerator_is_there_without_devices():
    assert not torch.accelerator.is_available()


@demonstrates("core.contexts_mind_changes", shows=ERROR)
def leaving_raises():
    with torch.accelerator.device_index(1):
        torch.fakedev.set_device(0)


@demonstrates("core.streams_of_any_type")
def stream_of_the_cpu_is_taken():
    assert raises(torch.accelerator.set_stream, torch.Stream("cpu"))
