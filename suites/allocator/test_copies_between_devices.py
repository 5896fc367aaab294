# SPDX-License-Identifier: BSD-3-Clause
"""Allocator::copy_data between blocks of two devices."""

import ctypes
import unittest

import torch
from assay.checks import Case
from assay.checks.memory_in_use import settle

accelerator = torch.accelerator
SIZE = 256


class CopiesBetweenDevices(Case):
    def setUp(self):
        super().setUp()
        self.need_any_kind()
        self.need_storage()
        self.bridge = self.bridge_of_target()
        if self.bridge is None:
            self.cannot_observe("the bridge", "Python has no way to call copy_data")
        self.put_device_back()
        self.first, self.second = self.devices[:2]
        self.from_there, self.to_here = self.filled(2.0, 1), self.filled(0.0, 0)
        accelerator.set_device_index(self.first.index)

    def filled(self, value, number):
        return self.on_device(torch.full((SIZE,), value), number)

    def copy(self, back=False):
        ends = (self.from_there, self.to_here) if back else (self.to_here, self.from_there)
        to, source = (ctypes.c_void_p(one.data_ptr()) for one in ends)
        if self.bridge.bridge_copy_data(to, source, ctypes.c_uint64(self.to_here.nbytes)) != 0:
            raise RuntimeError(self.bridge.bridge_error_text().decode())

    def expect_copied(self, value, what, back=False):
        for device in self.first, self.second:
            settle(self, device)
        self.expect_tensor(self.from_there if back else self.to_here, torch.full((SIZE,), value), what)

    def test_ordered(self):
        """allocator.copy_data_between_devices_follows_stream_order"""
        self.op("aten::fill_.Scalar", self.from_there.fill_, 1)
        self.op("allocator.copy_data", self.copy)
        self.expect_copied(1.0, "copy_data copies from a block of another device")
        with self.asks_a_special_case():
            accelerator.set_device_index(self.second.index)
            self.from_there.fill_(3)
            self.copy()
            self.expect_copied(3.0, "copy_data copies to a block of a device that is not current")
            accelerator.set_device_index(self.first.index)
            with self.held(accelerator.current_stream(self.second)):
                self.from_there.fill_(5)
                self.copy()
            self.expect_copied(5.0, "copy_data runs after the work that is pending on its source")
            with self.held(accelerator.current_stream(self.first)):
                self.to_here.fill_(6)
                self.copy()
            self.expect_copied(5.0, "copy_data runs after the work that is pending on its destination")
            accelerator.set_device_index(self.second.index)
            with self.held(accelerator.current_stream(self.first)):
                self.to_here.fill_(7)
                self.copy(back=True)
            self.expect_copied(7.0, "copy_data from the first device runs after the pending work of that device", back=True)


if __name__ == "__main__":
    unittest.main()
