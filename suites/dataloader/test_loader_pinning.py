# SPDX-License-Identifier: BSD-3-Clause
"""Batches in pinned memory: which thread pins them, which parts are pinned, and whether copies of them are right."""

import contextlib
import unittest
import warnings

import torch
from assay.checks import memory_in_use, stand_in
from assay.checks.pinned_memory import pinned
from suites.dataloader import data_loading
from suites.dataloader.data_loading import Own, Pair, Rows, Stubborn, row, told

accelerator = torch.accelerator
PRELOAD = ["torch.utils.data"]
NO_ACCELERATOR = "no accelerator is found"

ABSENT = """
import warnings
import torch
from torch.utils.data import DataLoader

with warnings.catch_warnings(record=True) as said:
    warnings.simplefilter("always")
    try:
        loaded = [batch.tolist() for batch in DataLoader([0, 1], batch_size=2, pin_memory=True)]
    except Exception as error:
        loaded = f"{type(error).__name__}: {error}"
answer = {"loaded": loaded, "warned": any("no accelerator is found" in str(one.message) for one in said)}
"""

NO_MODULE = 'import torch\ntorch.utils.rename_privateuse1_backend("assayed")\n' + ABSENT


class LoaderPinning(data_loading.Loading):
    def need_pinning(self):
        pinned(self, torch.ones(1))

    def test_batches(self):
        """dataloader.batches_are_pinned"""
        self.need_pinning()
        for workers in (0, 2):
            who = f"a loader with pin_memory=True and {workers} workers"
            batches = self.loaded(f"{who} loads", Rows(), workers, pin_memory=True)
            self.expect_rows(batches, 8, f"{who} gives the values of its data")
            plain = sum(not batch.is_pinned() for batch in batches)
            self.expect_equal(plain, 0, f"{who} gives only pinned tensors")

    def test_device(self):
        """dataloader.pinning_thread_uses_the_device_of_the_program"""
        self.need_pinning()
        first, last = self.devices[0], self.devices[-1]
        accelerator.set_device_index(last.index)
        batches = iter(self.loader([Own(row(i)) for i in range(8)], 1, pin_memory=True))
        seen = [next(batches)]
        accelerator.set_device_index(first.index)
        seen += batches
        self.expect_equal(
            {batch.pinned_on for batch in seen}, {last.index},
            "the pinning thread uses the device that was current when the loader started",
        )
        self.expect_equal(
            accelerator.current_device_index(), first.index, "pinning does not change the current device of the program"
        )

    def test_unavailable(self):
        """dataloader.pinning_without_an_accelerator_warns"""
        what = "a loader with pin_memory=True loads if is_available() is False"
        with stand_in.stand_in(self.device_name, is_available=lambda: False), recorded() as said:
            batches = self.loaded(what, Rows(2), pin_memory=True)
        self.expect_true(
            any(NO_ACCELERATOR in words for words in said),
            "a loader with pin_memory=True warns if no accelerator is found", f"{said}",
        )
        self.expect_rows(batches, 2, what)
        seen = sum(one.is_pinned() for one in batches)
        self.expect_equal(seen, 0, "a loader pins nothing if is_available() is False")
        seen = self.fresh_torch(NO_MODULE, "a loader of a backend without a device module runs")
        self.expect_true(
            "does not have a corresponding module" in str(seen["loaded"]),
            "pin_memory=True with a backend that has no device module raises and names the reason", f"{seen['loaded']}",
        )

    def test_absent(self):
        """dataloader.loader_loads_without_devices"""
        seen = self.fresh(ABSENT, "a process without a device can load the backend", **self.without_devices())
        self.expect_equal(
            seen["loaded"], [[0, 1]], "a loader with pin_memory=True loads on a machine without the device"
        )
        self.expect_equal(seen["warned"], True, "a loader with pin_memory=True warns on a machine without the device")

    def test_containers(self):
        """dataloader.nested_batches_are_pinned_recursively"""
        self.need_pinning()
        batch = {
            "list": [row(1), "words"], "tuple": (row(2), 5), "pair": Pair(row(3), b"bytes"), "own": Own(row(4)),
            "deep": [{"deeper": (row(5),)}],
        }
        for workers in (0, 1):
            who = f"in a batch of a loader with pin_memory=True and {workers} workers"
            (seen,) = self.loaded("a loader pins the tensors in its batches", [batch], workers, pin_memory=True)
            found = {
                "a list": seen["list"][0], "a tuple": seen["tuple"][0], "a named tuple": seen["pair"].first,
                "an object with pin_memory()": seen["own"].tensor, "a list of dicts": seen["deep"][0]["deeper"][0],
            }
            for number, (holder, tensor) in enumerate(found.items(), 1):
                self.expect_true(
                    tensor.is_pinned() and torch.equal(tensor, row(number)),
                    f"a tensor of {holder} {who} is pinned and has its values",
                    f"is_pinned() is {tensor.is_pinned()}, its first value is {tensor[0].item()}",
                )
            others = seen["list"][1], seen["tuple"][1], seen["pair"].second
            self.expect_equal(others, ("words", 5, b"bytes"), f"everything else {who} is unchanged")

    def test_failure(self):
        """dataloader.loader_raises_the_error_of_failed_pinning"""
        self.need_pinning()
        for workers in (0, 1):
            what = f"a loader with {workers} workers raises the exception of a batch's pin_memory()"
            error = self.expect_raises(
                ValueError, what, lambda: list(self.loader([Stubborn()], workers, pin_memory=True))
            )
            if error is not None:
                self.expect_true("this batch cannot be pinned" in str(error), f"{what}, with its text", told(error))

    def test_copies(self):
        """dataloader.batches_can_be_dropped_during_their_copy"""
        self.need_pinning()
        for workers in (0, 2):
            self.use_device()
            memory_in_use.settle(self)
            with self.held_here():
                there = [
                    self.op("aten::_copy_from", batch.to, self.device, non_blocking=True)
                    for batch in self.loader(Rows(), workers, pin_memory=True)
                ]
            memory_in_use.settle(self)
            for number, copy in enumerate(there):
                self.expect_tensor(
                    copy, row(number),
                    "a pinned batch that is copied without waiting is intact, although its memory is reused for another "
                    f"batch; {workers} workers",
                )

    def held_here(self):
        """Holds the current stream. A backend without streams waits in each copy."""
        try:
            return self.held_if_offered(accelerator.current_stream(self.device))
        except (RuntimeError, NotImplementedError) as error:
            if not self.refused_means(error):
                raise
            return contextlib.nullcontext()

    def test_named_device(self):
        """dataloader.pin_memory_device_argument_is_ignored"""
        self.need_pinning()
        for name in (self.device_name, "meta"):
            what = f'a loader with pin_memory_device="{name}" loads'
            with recorded() as said:
                batches = self.loaded(what, Rows(2), pin_memory=True, pin_memory_device=name)
            self.expect_true(
                any("pin_memory_device is deprecated" in words for words in said),
                "pin_memory_device warns that it is deprecated", f"{said}",
            )
            self.expect_rows(batches, 2, what)
            self.expect_equal(all(one.is_pinned() for one in batches), True, f"{what} pinned tensors")


@contextlib.contextmanager
def recorded():
    """The texts of all warnings in the block."""
    words = []
    with warnings.catch_warnings(record=True) as said:
        warnings.simplefilter("always")
        yield words
    words += [str(one.message) for one in said]


if __name__ == "__main__":
    unittest.main()
