# SPDX-License-Identifier: BSD-3-Clause
"""Faults that appear in child processes: seeding, use of the device, and tensors that are sent to them."""

import multiprocessing
import os
import pickle
from multiprocessing.reduction import ForkingPickler

import torch
from torch.multiprocessing.reductions import reduce_tensor

from .. import _C, _lifecycle, _random, _sharing
from .package import _aborts_at_exit, _wrong


@_wrong("_lifecycle.lazy_init")
def _children_are_refused(clean):
    def lazy_init():
        if multiprocessing.parent_process() is not None:
            raise RuntimeError("fakedev: the device is in use by another process")
        clean()

    return lazy_init


@_wrong("_random.manual_seed_all")
def _seeding_starts_the_device(clean):
    def manual_seed_all(seed):
        _lifecycle.lazy_init()
        clean(seed)

    return manual_seed_all


def _seeding_draws_from_cpu():
    """Wraps torch.manual_seed like a library that uses a different seed for each device."""
    clean = torch.manual_seed

    def manual_seed(seed):
        generator = clean(seed)
        for own in _random.default_generators():
            own.manual_seed(int(torch.randint(1 << 31, (), device="cpu")))
        return generator

    torch.manual_seed = torch.random.manual_seed = manual_seed


def _seeding_fails_in_children():
    """_is_in_bad_fork() always returns False, so a forked child uses the device."""
    in_bad_fork = _lifecycle.is_in_bad_fork

    def make(clean):
        def manual_seed_all(seed):
            if in_bad_fork():
                raise RuntimeError("fakedev: this process has no device")
            clean(seed)

        return manual_seed_all

    _wrong("_random.manual_seed_all")(make)()
    _wrong("_lifecycle.is_in_bad_fork")(lambda clean: lambda: False)()


def _send(reduce):
    """Pickles tensors for other processes with `reduce`."""
    for kind in (torch.Tensor, torch.nn.Parameter):
        ForkingPickler.register(kind, reduce)


def _reduce_as_host_tensor(tensor):
    return reduce_tensor(tensor.detach().cpu() if tensor.device.type == "fakedev" else tensor)


def _reduce_as_copy_of(device):
    """Returns a function that installs a fault: tensors on this device type are copied before they are sent."""

    def reduce(tensor):
        return reduce_tensor(tensor.detach().clone() if tensor.device.type == device else tensor)

    return lambda: _send(reduce)


def _short_handle_ends_the_process():
    """The driver reads 64 bytes, even if the handle is shorter."""
    clean = _C.open_memory

    def open_memory(handle, size):
        return clean(handle, size) if len(handle) == 64 else os.abort()

    _C.open_memory = open_memory


def _imports_stay_open():
    """Each block is mapped a second time and never unmapped."""
    clean, kept = _C.open_memory, []

    def open_memory(handle, size):
        kept.append(clean(handle, size))
        return clean(handle, size)

    _C.open_memory = open_memory


def _sent_memory_is_kept():
    """The sender keeps sent memory until it exits."""
    _sharing._forget_what_came_back = lambda: None


def _opened_or_zeros(function, message, size, device):
    try:
        return function(*pickle.loads(message))
    except Exception:
        return torch.zeros(size, dtype=torch.uint8, device=device).untyped_storage()


def _unopened_memory_is_zeros():
    """If memory cannot be opened, new memory is created instead."""

    def reduce(storage):
        function, arguments = _sharing._reduce_storage(storage)
        if storage.device.type != "fakedev":
            return function, arguments
        message = bytes(ForkingPickler.dumps(arguments))
        return _opened_or_zeros, (function, message, storage.nbytes(), str(storage.device))

    ForkingPickler.register(torch.UntypedStorage, reduce)


PLACES = {
    "python.children_are_refused": _children_are_refused,
    "python.children_close_the_device": _aborts_at_exit(_lifecycle.is_in_bad_fork),
    "python.imports_stay_open": _imports_stay_open,
    "python.seeding_draws_from_cpu": _seeding_draws_from_cpu,
    "python.seeding_fails_in_children": _seeding_fails_in_children,
    "python.seeding_starts_the_device": _seeding_starts_the_device,
    "python.sent_host_tensors_are_copies": _reduce_as_copy_of("cpu"),
    "python.sent_memory_is_kept": _sent_memory_is_kept,
    "python.sent_tensors_are_copies": _reduce_as_copy_of("fakedev"),
    "python.sent_tensors_arrive_on_cpu": lambda: _send(_reduce_as_host_tensor),
    "python.short_handle_ends_the_process": _short_handle_ends_the_process,
    "python.unopened_memory_is_zeros": _unopened_memory_is_zeros,
}
