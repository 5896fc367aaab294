# SPDX-License-Identifier: BSD-3-Clause
"""Faults of PyTorch's DataLoader (see core.py). Backends replace the DataLoader's iterators and pinning function."""

import torch
from torch.utils.data import DataLoader
from torch.utils.data._utils import pin_memory as pinning
from torch.utils.data.dataloader import _BaseDataLoaderIter


def _batches_pinned_at_the_top():
    def pin_memory(data, device=None):
        return data.pin_memory() if isinstance(data, torch.Tensor) else data

    pinning.pin_memory = pin_memory


def _failed_pinning_goes_unsaid():
    pin = pinning.pin_memory

    def pin_memory(data, device=None):
        try:
            return pin(data, device)
        except Exception:
            return data

    pinning.pin_memory = pin_memory


def _before_it_iterates(change):
    """Calls `change` with the loader before PyTorch's iterator reads it."""

    def place():
        begin = _BaseDataLoaderIter.__init__

        def __init__(self, loader):
            change(loader)
            begin(self, loader)

        _BaseDataLoaderIter.__init__ = __init__

    return place


def _pin_nothing_if_unavailable(loader):
    loader.pin_memory = loader.pin_memory and torch.accelerator.is_available()


def _refuse_other_pin_device(loader):
    if loader.pin_memory_device not in ("", "fakedev"):
        raise RuntimeError(f"memory cannot be pinned for {loader.pin_memory_device}")


def _samplers_take_any_generator():
    construct = DataLoader.__init__

    def __init__(self, *arguments, generator=None, **options):
        taken = generator is not None and generator.device.type == "cpu"
        construct(self, *arguments, generator=generator if taken else None, **options)

    DataLoader.__init__ = __init__


PLACES = {
    "core.batches_pinned_at_the_top": _batches_pinned_at_the_top,
    "core.failed_pinning_goes_unsaid": _failed_pinning_goes_unsaid,
    "core.missing_accelerator_goes_unsaid": _before_it_iterates(_pin_nothing_if_unavailable),
    "core.named_pin_device_is_meant": _before_it_iterates(_refuse_other_pin_device),
    "core.samplers_take_any_generator": _samplers_take_any_generator,
}
