# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of the checks of the DataLoader: data sets, and a loader with the deadline of the check.

A spawned worker finds its data by name, so all data sets are defined here and not in a test file.
"""

import collections
import random
from multiprocessing.reduction import ForkingPickler

import torch
from assay.checks import Case, Ended, processes
from torch.utils.data import DataLoader, Dataset

SIZE = 1000
Pair = collections.namedtuple("Pair", "first second")


def row(number):
    return torch.full((SIZE,), float(number), device="cpu")


class Rows(Dataset):
    """CPU tensors. All elements of tensor number i are i."""

    def __init__(self, count=8):
        self.count = count

    def __len__(self):
        return self.count

    def __getitem__(self, number):
        return row(number)


class ComputedRows(Rows):
    """The same tensors, copied to the device and back. So every process that loads them uses the device."""

    def __init__(self, device, count=4):
        super().__init__(count)
        self.device = str(device)  # a spawned worker reads this before it has loaded the backend

    def __getitem__(self, number):
        return row(number).to(self.device).cpu()


class DeviceRows(ComputedRows):
    """The same tensors on the device."""

    def __getitem__(self, number):
        return row(number).to(self.device)


class SentRows(DeviceRows):
    """Each element is the result of an attempt to send a device tensor: "sent", or the text of the exception."""

    def __getitem__(self, number):
        try:
            ForkingPickler.dumps(super().__getitem__(number))
        except Exception as error:
            return f"{type(error).__name__}: {error}".splitlines()[0]
        return "sent"


class Starts(Rows):
    """Each element says whether the device has started in the loading process, as the device module reports it."""

    def __init__(self, name):
        super().__init__(4)
        self.name = name

    def __getitem__(self, number):
        return bool(getattr(torch, self.name).is_initialized())


class Seeds(Rows):
    """Each element has the seed of the worker and the numbers that the worker draws."""

    def __getitem__(self, number):
        return [torch.initial_seed(), torch.rand(2).tolist(), random.random()]


def seeds_of_two_workers(seconds):
    torch.manual_seed(7)
    loader = DataLoader(Seeds(4), batch_size=None, num_workers=2, timeout=seconds)
    return list(loader)


class Own:
    """A custom batch class. The pin_memory() of this class records the current device of the pinning thread."""

    def __init__(self, tensor):
        self.tensor, self.pinned_on = tensor, None

    def pin_memory(self):
        self.tensor, self.pinned_on = self.tensor.pin_memory(), torch.accelerator.current_device_index()
        return self


class Stubborn:
    def pin_memory(self):
        raise ValueError("this batch cannot be pinned")


class Loads:
    """Initializes a spawned worker: loads the target."""

    def __init__(self, steps):
        self.steps = steps

    def __call__(self, _worker):
        from assay.host import load_steps

        for step in self.steps:
            load_steps.run(*step)


def told(error):
    """Returns the text of the exception and its origin, without the traceback that PyTorch inserts."""
    lines = [line for line in str(error).splitlines() if line.strip()] or [""]
    words = lines[0] if len(lines) == 1 else f"{lines[0]} {lines[-1]}"
    return f"raised {type(error).__name__}: {words}"[:600]


class Loading(Case):
    def loader(self, data, workers=0, **options):
        """Creates a loader. By default each element is a batch of its own. The loader waits for a worker until shortly
        before the deadline of the check."""
        if workers:
            self.need_seeding()
        seconds = self.seconds_left * 0.6 if workers else 0
        options = {"batch_size": None, **options}
        return DataLoader(data, num_workers=workers, timeout=seconds, **options)

    def need_seeding(self):
        """A worker starts with torch.manual_seed. If the backend refuses that call, the worker dies, and the loader
        does not learn the reason."""
        try:
            answer = processes.in_forked_child(lambda: bool(torch.manual_seed(self.seed)), self.seconds_left / 4)
        except processes.Dead:
            return  # the loader itself reports this death
        means = self.refused_means(answer.get("text", ""))
        if means:
            self.block(answer["text"], means)

    def loaded(self, what, data, workers=0, means="aten::_copy_from", **options):
        """Returns all that a loader yields. `what` states that the loader works. The loader uses operator `means`."""
        try:
            # only a refused copy blocks the check; an exception of the loader itself is a failure
            with self.asks_a_special_case():
                return self.op(means, lambda: list(self.loader(data, workers, **options)))
        except Exception as error:
            self.expect(False, what, told(error))
            raise Ended from error

    def expect_rows(self, seen, count, what):
        self.require(self.expect_equal(len(seen), count, f"{what}: the number of elements"))
        wrong = [i for i, one in enumerate(seen) if not torch.equal(one, row(i))]
        self.expect_true(not wrong, what, f"element {wrong[:1]} differs, as do {len(wrong)} of {count} in all")

    def use_device(self):
        """Returns a tensor of the device, which starts the device."""
        return self.on_device(self.sample_of(1))
