# SPDX-License-Identifier: BSD-3-Clause
"""The current device and the current stream of a C program."""

import ctypes
import unittest

import torch
from suites.stable_abi.shim import CORE, Handle, Int32, Int64, ShimCase


class Devices(ShimCase):
    def setUp(self):
        super().setUp()
        self.put_device_back()
        self.on_device(self.sample())
        self.op("guard.setDevice", torch.accelerator.set_device_index, self.device.index)

    def current(self):
        return self.value(Int32, "aoti_torch_get_current_device_index")

    def test_guard(self):
        """stable_abi.device_guard_switches_and_restores"""
        first, second = (device.index for device in self.devices[:2])
        self.expect_equal(self.current(), first, "the current device of C is that of Python")
        guard = Handle()
        self.call("aoti_torch_create_device_guard", second, ctypes.byref(guard))
        self.expect_equal(self.current(), second, "a device guard switches the device")
        self.expect_equal(torch.accelerator.current_device_index(), second, "Python sees the device of the guard")
        for index in (first, second):
            self.call("aoti_torch_device_guard_set_index", guard, index)
            self.expect_equal(self.current(), index, "set_index switches the device")
        self.call("aoti_torch_delete_device_guard", guard)
        self.expect_equal(self.current(), first, "deleting the guard restores the device")
        self.call("aoti_torch_create_device_guard", -1, ctypes.byref(guard))
        self.expect_equal(self.current(), first, "a guard with the index -1 switches nothing")
        self.call("aoti_torch_delete_device_guard", guard)
        self.expect_equal(self.current(), first, "deleting that guard switches nothing")

    def test_stream(self):
        """stable_abi.current_stream_is_that_of_python"""
        for device in {self.devices[0], self.devices[-1]}:
            stream = self.supported("streams", torch.Stream, device)
            with stream:
                self.expect_stream(device.index, stream, "inside a block, C and Python have the same current stream")
                if device == self.device:
                    self.expect_stream(-1, stream, "for the index -1, C returns the current stream of Python")
            self.expect_stream(device.index, torch.accelerator.current_stream(device.index), "after the block, C and Python have the same current stream")

    def expect_stream(self, index, stream, what):
        """Expects the id of a stream, and its native handle if Python reads one."""
        handle = Handle()
        self.call("aoti_torch_get_current_stream", index, ctypes.byref(handle))
        self.expect_equal(self.value(Int64, "aoti_torch_stream_id", handle), stream.stream_id, what)
        if hasattr(CORE, "torch_stream_native_handle"):
            self.expect_native(handle, stream)
        self.call("aoti_torch_delete_stream", handle)

    def expect_native(self, handle, stream):
        seen = Handle()
        try:
            native = stream.native_handle
        except (RuntimeError, NotImplementedError):
            status = CORE.torch_stream_native_handle(handle, ctypes.byref(seen))
            self.expect_different(status, 0, "a native handle that Python refuses is an error in C")
            return
        self.call("torch_stream_native_handle", handle, ctypes.byref(seen))
        self.expect_equal(seen.value or 0, native, "C and Python read the same native handle of a stream")


if __name__ == "__main__":
    unittest.main()
