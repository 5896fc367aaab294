# SPDX-License-Identifier: BSD-3-Clause
"""Data loaders and their workers as a training meets them."""

import threading
import warnings

import torch
from torch.utils.data import DataLoader

from demonstrate import ERROR, demonstrates

DEADLINE = 60


class Stubborn:
    def pin_memory(self):
        raise ValueError("cannot be pinned")


class Starts:
    """A worker's answer: has the device started here?"""

    def __len__(self):
        return 1

    def __getitem__(self, number):
        return torch.fakedev.is_initialized()


class OnDevice(Starts):
    """Loaded by way of the device."""

    def __getitem__(self, number):
        return torch.ones(2).to("fakedev").cpu()


def loaded(data, **options):
    return list(DataLoader(data, batch_size=None, num_workers=1, timeout=DEADLINE, **options))


def raises(error, function):
    try:
        function()
    except error:
        return True
    return False


@demonstrates("core.batches_pinned_at_the_top")
def batch_of_two_is_not_pinned():
    ((first, _),) = DataLoader([(torch.ones(2), 1)], batch_size=None, pin_memory=True)
    assert first.is_pinned()


@demonstrates("core.failed_pinning_goes_unsaid")
def nobody_hears_of_it():
    assert raises(ValueError, lambda: loaded([Stubborn()], pin_memory=True))


@demonstrates("core.missing_accelerator_goes_unsaid", FAKEDEV_DEVICES="0")
def machine_without_device_is_not_mentioned():
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        list(DataLoader([0, 1], pin_memory=True))
    assert any("no accelerator" in str(one.message) for one in said)


@demonstrates("core.named_pin_device_is_meant", shows=ERROR)
def older_program_is_refused():
    list(DataLoader([0, 1], pin_memory=True, pin_memory_device="cuda"))


@demonstrates("core.samplers_take_any_generator")
def generator_is_dropped():
    generator = torch.Generator("fakedev")
    assert raises(RuntimeError, lambda: list(DataLoader([0, 1], shuffle=True, generator=generator)))


@demonstrates("host.pinned_on_one_thread_only")
def second_thread_cannot_pin():
    torch.ones(2).pin_memory()
    pinned = []
    thread = threading.Thread(target=lambda: pinned.append(torch.ones(2).pin_memory()))
    thread.start()
    thread.join()
    assert pinned


@demonstrates("python.children_are_refused", shows=ERROR)
def worker_cannot_use_the_device():
    loaded(OnDevice())


@demonstrates("python.seeding_draws_from_cpu")
def numbers_are_not_those_of_the_cpu():
    generator = torch.Generator().manual_seed(5)
    torch.manual_seed(5)
    assert torch.equal(torch.rand(4), torch.rand(4, generator=generator))


@demonstrates("python.seeding_fails_in_children", shows=ERROR)
def worker_dies():
    torch.ones(1, device="fakedev")
    loaded([torch.ones(2)])


@demonstrates("python.seeding_starts_the_device")
def worker_starts_the_device():
    assert loaded(Starts()) == [False]


@demonstrates("random.numbers_need_a_dimension", shows=ERROR)
def nothing_loads_by_default():
    torch.set_default_device("fakedev")
    list(DataLoader([0, 1]))
