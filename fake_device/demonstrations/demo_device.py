# SPDX-License-Identifier: BSD-3-Clause
"""Devices: count, current device, synchronising, fork."""

import os
import signal
import threading

import torch

from demonstrate import CRASH, ERROR, demonstrates
from instruments import driver, held_until_we_wait, raises

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


def told():
    """The exception that a wait for the device raises; None: it raises none."""
    try:
        accelerator.synchronize()
    except RuntimeError as error:
        return error
    return None


def fail(index):
    torch.ones(4, device="fakedev").index_select(0, torch.tensor([index], device="fakedev"))


@demonstrates("error.failure_is_out_of_memory")
def smaller_batch_is_tried_for_a_wrong_index():
    fail(99)
    assert not isinstance(told(), torch.OutOfMemoryError)


@demonstrates("error.newest_failure_is_told")
def second_mistake_is_looked_for_first():
    x, beyond = torch.ones(4, device="fakedev"), torch.tensor([99, 77], device="fakedev")
    x.index_select(0, beyond[:1]), x.index_select(0, beyond[1:])
    assert "index 99" in str(told())


@demonstrates("error.told_twice")
def next_step_is_blamed():
    fail(99)
    told()
    assert told() is None


@demonstrates("device.lost_is_idle")
def lost_device_has_done_its_work():
    x = torch.ones(4, device="fakedev") + 1
    driver().fd_device_lose(x.device.index)
    assert told() is not None


@demonstrates("device.lost_takes_all_along", shows=ERROR)
def nothing_is_saved_from_the_other_device():
    x = torch.ones(4, device="fakedev:1")
    driver().fd_device_lose(0)
    x.cpu()


@demonstrates("allocator.free_asks_the_driver", shows=CRASH)
def tensor_of_a_lost_device_ends_the_process():
    x = torch.ones(4, device="fakedev")
    driver().fd_device_lose(0)
    del x


@demonstrates("event.destroy_asks_the_driver", shows=CRASH)
def event_of_a_lost_device_ends_the_process():
    event = torch.Event(device="fakedev")
    event.record()
    driver().fd_device_lose(0)
    del event
