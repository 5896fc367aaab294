# SPDX-License-Identifier: BSD-3-Clause
"""Tests that end their process, never end, or leave the process in a state that breaks later tests."""

import ctypes
import os
import sys
import threading

import torch
from torch.testing._internal.common_device_type import dtypes, instantiate_device_type_tests
from torch.testing._internal.common_utils import TestCase, parametrize, run_tests


def on_backend(device):
    return torch.device(device).type != "cpu"


class TestEndings(TestCase):
    def test_aborts(self, device):
        if on_backend(device):
            os.abort()

    def test_reads_address_zero(self, device):
        if on_backend(device):
            ctypes.string_at(0)

    def test_raises_a_signal(self, device):
        if on_backend(device):
            ctypes.CDLL(None)["raise"](11)

    def test_is_killed(self, device):
        if on_backend(device):
            os.kill(os.getpid(), 9)

    def test_aborts_everywhere(self, device):
        os.abort()

    def test_leaves_with_0(self, device):
        if on_backend(device):
            os._exit(0)

    def test_leaves_with_3(self, device):
        if on_backend(device):
            os._exit(3)

    def test_calls_exit(self, device):
        if on_backend(device):
            sys.exit(0)

    def test_hangs(self, device):
        if on_backend(device):
            threading.Event().wait()

    def test_hangs_everywhere(self, device):
        threading.Event().wait()

    def test_leaks_a_thread(self, device):
        threading.Thread(target=threading.Event().wait).start()

    def test_leaks_a_process(self, device):
        if os.fork() == 0:
            threading.Event().wait()

    def test_closes_its_output(self, device):
        os.close(1)
        os.close(2)

    @parametrize("number", range(4))
    def test_aborts_after_work_on_the_device(self, device, number):
        torch.ones(number + 1, device=device).sum().item()
        if on_backend(device):
            os.abort()


class TestPoison(TestCase):
    """Each test changes the process and passes. It must not break another test."""

    def untouched(self, device):
        self.assertEqual(torch.get_default_dtype(), torch.float32)
        self.assertEqual(torch.tensor([1.0]).device.type, "cpu")
        self.assertEqual((torch.ones(2, device=device) + 1).sum().item(), 4)
        self.assertFalse(hasattr(torch, "poisoned_by_a_test"))

    @parametrize("number", range(8))
    def test_replaces_an_operator(self, device, number):
        self.untouched(device)
        torch.Tensor.__add__ = lambda self, other: self
        torch.poisoned_by_a_test = True

    @parametrize("number", range(8))
    def test_changes_the_default_dtype(self, device, number):
        self.untouched(device)
        torch.set_default_dtype(torch.float64)

    @parametrize("number", range(8))
    def test_changes_the_environment(self, device, number):
        self.untouched(device)
        os.environ.clear()
        torch.set_num_threads(3)

    @parametrize("number", range(8))
    def test_removes_the_device_module(self, device, number):
        self.untouched(device)
        name = torch.device(device).type
        if on_backend(device):
            delattr(torch, name)

    @dtypes(torch.float32, torch.int64)
    @parametrize("number", range(8))
    def test_fills_the_memory(self, device, dtype, number):
        """Keeps all memory, so that every later allocation fails."""
        self.untouched(device)
        kept = []
        if on_backend(device):
            try:
                while True:
                    kept.append(torch.empty(1 << 26, dtype=dtype, device=device))
            except RuntimeError:
                torch.kept_by_a_test = kept


instantiate_device_type_tests(TestEndings, globals())
instantiate_device_type_tests(TestPoison, globals())

if __name__ == "__main__":
    run_tests()
