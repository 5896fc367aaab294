# SPDX-License-Identifier: BSD-3-Clause
"""The device interface for torch._dynamo and Inductor is registered late and is complete."""

import os
import sys
import unittest

import torch
import torch._dynamo
from torch._dynamo.device_interface import DeviceGuard, get_interface_for_device, get_registered_device_interfaces

from in_child import output

fakedev = torch.fakedev


class Registration(unittest.TestCase):
    def test_interface_is_found_by_type_and_by_string(self):
        interface = get_interface_for_device("fakedev")
        self.assertIs(interface, get_interface_for_device(torch.device("fakedev:1")))
        self.assertIs(interface, get_interface_for_device("fakedev:1"))
        self.assertIn("fakedev", dict(get_registered_device_interfaces()))
        with self.assertRaisesRegex(NotImplementedError, "No interface for device nosuch"):
            get_interface_for_device("nosuch")

    def test_finder_is_gone_and_the_module_is_as_if_never_awaited(self):
        self.assertEqual([], [f for f in sys.meta_path if "fakedev" in type(f).__module__])
        module = sys.modules["torch._dynamo.device_interface"]
        self.assertIs(type(torch._dynamo.__loader__), type(module.__loader__))

    def test_dynamo_before_the_package(self):
        self.assertEqual("FakedevInterface", output("""
            import torch._dynamo.device_interface as core
            import torch_fakedev
            print(core.get_interface_for_device("fakedev").__name__)
        """, TORCH_DEVICE_BACKEND_AUTOLOAD="0"))


class Interface(unittest.TestCase):
    def setUp(self):
        fakedev.set_device(0)
        self.interface = get_interface_for_device("fakedev")

    def test_exchange_returns_the_previous_index(self):
        self.assertEqual(0, self.interface.exchange_device(1))
        self.assertEqual(1, self.interface.maybe_exchange_device(-1))
        self.assertEqual(1, self.interface.current_device())
        self.assertEqual(1, self.interface.maybe_exchange_device(0))
        self.assertEqual(0, self.interface.current_device())

    def test_guard_restores(self):
        with self.assertRaises(KeyError), DeviceGuard(self.interface, 1):
            self.assertEqual(1, fakedev.current_device())
            raise KeyError
        self.assertEqual(0, fakedev.current_device())

    def test_counts_and_waits(self):
        self.assertEqual(fakedev.device_count(), self.interface.device_count())
        self.assertTrue(self.interface.is_available())
        self.interface.synchronize(1)
        with self.interface.device(1):
            self.assertEqual(1, self.interface.current_device())

    def test_streams_are_those_of_the_device(self):
        for index in (0, 1):
            stream = self.interface.Stream(index)
            self.assertIsInstance(stream, torch.Stream)
            before = self.interface.current_stream(index)
            with self.interface.stream(stream):
                self.assertEqual(stream, self.interface.current_stream(index))
                self.assertEqual(stream.native_handle, self.interface.get_raw_stream(index))
            self.assertEqual(before, self.interface.current_stream(index))
        self.interface._set_stream_by_id(0, 0, int(stream.device_type))
        self.assertIsInstance(self.interface.Event(), torch.Event)

    def test_dtypes(self):
        self.assertTrue(self.interface.is_dtype_supported(torch.bfloat16))
        self.assertTrue(self.interface.is_dtype_supported(torch.float32))
        self.assertFalse(self.interface.is_triton_capable())
        with self.assertRaisesRegex(RuntimeError, "not capable of supporting Triton"):
            self.interface.raise_if_triton_unavailable()

    def test_worker_answers_in_a_forked_child(self):
        worker = self.interface.Worker
        expected = worker.get_device_properties("fakedev:1")
        self.assertEqual(fakedev.get_device_properties(1), expected)
        pid = os.fork()
        if pid == 0:
            worker.set_device(1)
            os._exit(0 if worker.get_device_properties() == expected and worker.current_device() == 1 else 1)
        self.assertEqual(0, os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]))


class Compiled(unittest.TestCase):
    def test_stream_and_event_inside(self):
        def function(x):
            stream, event = torch.Stream(x.device), torch.Event(x.device)
            with stream:
                y = x + 1
                event.record(stream)
            event.synchronize()
            return y

        for device in ("fakedev:0", "fakedev:1"):
            x = torch.ones(2, device=device)
            torch.accelerator.synchronize(x.device)
            y = torch.compile(function, backend="eager")(x)
            self.assertEqual((device, [2, 2]), (str(y.device), y.tolist()))


if __name__ == "__main__":
    unittest.main()
