# SPDX-License-Identifier: BSD-3-Clause
"""Devices: count, current device, synchronising, fork."""

import os
import signal
import threading

import torch

from demonstrate import demonstrates
from instruments import held_until_we_wait, raises

accelerator = torch.accelerator


@demonstrates("device.count_changes")
def devices_come_and_go():
    assert torch.fakedev.device_count() == torch.fakedev.device_count()


@demonstrates("device.current_ignores_set")
def device_stays_as_it_was():
    accelerator.set_device_index(1)
    assert accelerator.current_device_index() == 1


@demonstrates("device.current_shared_by_threads")
def thread_switches_the_others():
    thread = threading.Thread(target=accelerator.set_device_index, args=(1,))
    thread.start()
    thread.join()
    assert accelerator.current_device_index() == 0


@demonstrates("device.set_accepts_out_of_range")
def device_99_is_set():
    assert raises(RuntimeError, accelerator.set_device_index, 99)


@demonstrates("device.synchronize_returns_at_once")
def synchronize_does_not_wait():
    x, stream = torch.zeros(3, device="fakedev:0"), torch.Stream("fakedev:0")
    with held_until_we_wait(stream):
        with stream:
            x.add_(1)
        accelerator.synchronize(0)
        assert stream.query()


@demonstrates("device.synchronize_waits_for_current")
def synchronize_waits_for_another_device():
    x, stream = torch.zeros(3, device="fakedev:1"), torch.Stream("fakedev:1")
    with held_until_we_wait(stream):
        with stream:
            x.add_(1)
        accelerator.synchronize(1)
        assert stream.query()


@demonstrates("device.fork_goes_unnoticed")
def forked_child_dies():
    torch.ones(1, device="fakedev").item()
    child = os.fork()
    if child == 0:
        signal.alarm(2)
        os._exit(0 if raises(RuntimeError, lambda: torch.ones(1, device="fakedev").item()) else 1)
    assert os.waitpid(child, 0)[1] == 0


@demonstrates("error.asynchronous_error_lost")
def kernel_error_is_never_told():
    x = torch.ones(4, device="fakedev")
    beyond = torch.tensor([99], device="fakedev")
    assert raises(RuntimeError, lambda: (x.index_select(0, beyond), accelerator.synchronize()))
