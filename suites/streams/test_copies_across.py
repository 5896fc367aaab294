# SPDX-License-Identifier: BSD-3-Clause
"""Copies between two devices must be ordered on the streams of both. If the target has a gate, one of the streams is
held.

While the stream is held, the check waits for the other device. A copy that wrongly does not wait for the held
stream is done by then. If the copy waits correctly, the whole process sleeps, which opens the gate.
"""

import unittest

import torch
from assay.checks import Case
from assay.checks.memory_in_use import settle

accelerator = torch.accelerator
SIZE = 1000


class CopiesAcross(Case):
    def setUp(self):
        super().setUp()
        self.put_device_back()
        self.first, self.second = self.devices[0], self.devices[-1]
        self.from_there = self.on_device(torch.full((SIZE,), 1.0))
        self.to_there = torch.full((SIZE,), 2.0).to(self.second)
        for device in (self.first, self.second):
            settle(self, device)

    def copy(self):
        self.op("aten::_copy_from", self.to_there.copy_, self.from_there, non_blocking=True)

    def held_current(self, device):
        return self.held_if_offered(accelerator.current_stream(device))

    def expect_copied(self, value, what):
        settle(self, self.second)
        self.expect_tensor(self.to_there, torch.full((SIZE,), value), what)

    def test_source(self):
        """streams.copies_between_devices_wait_for_the_source_stream"""
        with self.held_current(self.first):
            self.from_there.fill_(5)
            self.copy()
            settle(self, self.second)
        self.expect_copied(5.0, "a copy to another device starts after the pending work on its source is done")

    def test_destination(self):
        """streams.copies_between_devices_wait_for_the_target_stream"""
        with self.held_current(self.second):
            self.to_there.fill_(6)
            self.copy()
            settle(self, self.first)
        self.expect_copied(1.0, "a copy from another device starts after the pending work on its destination is done")

    def test_behind(self):
        """streams.work_after_a_copy_waits_for_the_copy_on_both_devices"""
        with self.held_current(self.second):
            self.copy()
            self.from_there.fill_(7)
            self.to_there.add_(10)
            settle(self, self.first)
        settle(self, self.first)
        self.expect_copied(11.0, "work after a copy between devices, on either device, sees the result of the copy")


if __name__ == "__main__":
    unittest.main()
