# SPDX-License-Identifier: BSD-3-Clause
"""Compares a wait for a device with data that the device wrote. These checks are for targets without a gate: see
long_work.py."""

import unittest

import torch
from assay.checks import Case
from assay.checks.long_work import LongWork


class DeviceSeen(Case):
    def expect_synchronized(self, number, what):
        work = LongWork(self, number)
        device = self.devices[number]
        torch.accelerator.set_device_index(self.device.index)
        for _ in work.rounds():
            work.expect_waits(lambda: self.supported("device.sync", torch.accelerator.synchronize, device.index), what)

    def test_current(self):
        """guard.synchronize_returns_after_the_work_is_done"""
        self.expect_synchronized(0, "synchronize() returns when the work of the device is done")

    def test_other(self):
        """guard.synchronize_of_another_device_returns_after_its_work_is_done"""
        what = "synchronize(i) returns when the work of device i is done, also if another device is current"
        self.expect_synchronized(1, what)


if __name__ == "__main__":
    unittest.main()
