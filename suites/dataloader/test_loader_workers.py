# SPDX-License-Identifier: BSD-3-Clause
"""Tests forked and spawned workers of a loader: they do not change their parent, use the device, and draw random numbers."""

import contextlib
import unittest

import torch
from assay.checks.lent_interpreters import lent_interpreters
from suites.dataloader import data_loading
from suites.dataloader.data_loading import ComputedRows, DeviceRows, Loads, Rows, SentRows, Starts, row, told

accelerator = torch.accelerator
PRELOAD = ["torch.utils.data"]
SEEDS = "from suites.dataloader import data_loading\nanswer = data_loading.seeds_of_two_workers(60)"
NO_ANSWER = ("DataLoader timed out", "exited unexpectedly", "is killed by signal", "INTERNAL ASSERT")


class LoaderWorkers(data_loading.Loading):
    def test_starts_nothing(self):
        """dataloader.forked_workers_do_not_start_the_device"""
        if not hasattr(self.device_module, "is_initialized"):
            self.cannot_observe("is_initialized()", "the device module does not say whether the device has started")
        if self.device_module.is_initialized():
            self.cannot_observe("is_initialized()", "is_initialized() is True before the first use")
        seen = self.loaded("forked workers load CPU data", Starts(self.device_name), 2)
        self.expect_equal(
            seen, [False] * 4, "a forked worker with CPU data does not start the device: is_initialized()"
        )

    def test_beside(self):
        """dataloader.forked_workers_load_while_the_device_is_in_use"""
        there = self.use_device()
        what = "forked workers load CPU data while the program uses the device"
        self.expect_rows(self.loaded(what, Rows(), 2), 8, what)
        self.expect_tensor(there, self.sample_of(1), "the program's tensors are unchanged")
        self.expect_tensor(self.use_device(), self.sample_of(1), "the program can still use the device")

    def test_told(self):
        """dataloader.loader_raises_the_error_of_a_failed_worker"""
        self.use_device()
        what = "a forked worker that uses its parent's device either loads, or its loader raises the reason"
        try:
            seen = list(self.loader(ComputedRows(self.device), 1))
        except Exception as error:
            self.note("the loader", told(error))
            clear = str(error).strip() and not any(words in str(error) for words in NO_ANSWER)
            self.expect_true(clear, what, told(error))
        else:
            self.expect_rows(seen, 4, what)
        self.expect_tensor(self.use_device(), self.sample_of(1), "the program can still use the device")

    def test_device_tensors(self):
        """dataloader.device_tensors_of_workers_stay_on_the_device"""
        what = "a forked worker that creates device tensors does not hang"
        said = set(self.loaded(what, SentRows(self.device), 1))
        self.note("a device tensor in a worker", "; ".join(sorted(said)))
        if said != {"sent"}:
            return
        what = "device tensors that a worker sends arrive on the device"
        for number, tensor in enumerate(self.loaded(what, DeviceRows(self.device), 1)):
            self.expect_device(tensor, self.device, what)
            self.expect_tensor(tensor, row(number), f"{what}, with their values")

    def test_spawned(self):
        """dataloader.spawned_workers_can_use_the_device"""
        self.need_any_kind()
        there = self.use_device()
        what = "a spawned worker that has loaded the backend uses the device"
        options = {"multiprocessing_context": "spawn", "worker_init_fn": Loads(self.steps())}
        with lent_interpreters():
            seen = self.loaded(what, ComputedRows(self.device), 1, **options)
        self.expect_rows(seen, 4, what)
        self.expect_tensor(there, self.sample_of(1), "the program's tensors are unchanged")

    def test_seeds(self):
        """dataloader.worker_seeds_do_not_depend_on_the_backend"""
        seen = data_loading.seeds_of_two_workers(self.seconds_left * 0.4)
        expected = self.fresh_torch(SEEDS, "two workers load with PyTorch and no backend")
        self.expect_equal(
            seen, expected, "workers have the same seeds and draw the same numbers as without the backend"
        )

    def test_default_device(self):
        """dataloader.loader_loads_while_a_default_device_is_set"""
        self.need_any_kind()  # a loader draws random numbers
        with default_device(self.device):
            for workers in (0, 1):
                what = f"a loader with {workers} workers loads while the device is the default device"
                self.clause("DL-009")
                seen = self.loaded(what, Rows(), workers, means="aten::random_")
                self.clause("DL-014")
                self.expect_rows(seen, 8, f"{what}, and CPU data stays on the CPU")
            (numbers,) = self.loaded("a loader collates Python numbers", range(5), batch_size=5, means="aten::random_")
        self.expect_device(numbers, self.device, "a batch of numbers is on the default device")
        self.expect_tensor(numbers, torch.arange(5), "a batch of numbers has its values")

    def test_shuffled(self):
        """dataloader.shuffling_accepts_a_default_device_generator"""
        orders = []
        with default_device(self.device):
            for _ in range(2):
                options = {"shuffle": True, "generator": self.generator()}
                what = "a loader shuffles with a generator of the default device"
                orders.append([int(one[0]) for one in self.loaded(what, Rows(), means="aten::randperm", **options)])
        self.expect_equal(sorted(orders[0]), list(range(8)), "a shuffled loader gives each element once")
        self.expect_equal(orders[1], orders[0], "the same seed gives the same order")

    def generator(self):
        try:
            return torch.Generator(device=self.device).manual_seed(self.seed)
        except NotImplementedError as error:
            self.lacks("rng", error)

    def test_generator(self):
        """dataloader.device_generator_is_used_or_rejected"""
        orders = []
        try:
            for _ in range(2):
                batches = list(self.loader(Rows(), shuffle=True, generator=self.generator()))
                orders.append([int(one[0]) for one in batches])
        except RuntimeError as error:
            self.note("a generator of the device", told(error))
            self.expect_true(
                "INTERNAL ASSERT" not in str(error), "a loader refuses a generator of the device with a clear message", told(error)
            )
            return
        self.expect_equal(
            orders[1], orders[0], "a loader that accepts a device generator draws from it: the same seed gives the same order"
        )

    def test_questions(self):
        """dataloader.device_queries_keep_forked_workers_usable"""
        if self.in_child(lambda: row(3).to(self.device).cpu().tolist()) != row(3).tolist():
            self.lacks("fork", "a forked child can never use the device")
        accelerator.current_accelerator()
        accelerator.is_available()
        accelerator.device_count()
        what = "a forked worker can use the device after its parent has called is_available() and device_count()"
        self.expect_rows(self.loaded(what, ComputedRows(self.device), 1), 4, what)


@contextlib.contextmanager
def default_device(device):
    torch.set_default_device(device)
    try:
        yield
    finally:
        torch.set_default_device(None)


if __name__ == "__main__":
    unittest.main()
