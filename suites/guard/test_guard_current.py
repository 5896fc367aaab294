# SPDX-License-Identifier: BSD-3-Clause
"""The current device through torch.accelerator, as portable programs use it."""

import unittest

import torch
from assay.checks import Case

accelerator = torch.accelerator


class GuardCurrent(Case):
    def setUp(self):
        super().setUp()
        self.put_device_back()

    def expect_current(self, index, what):
        return self.expect_equal(accelerator.current_device_index(), index, what)

    def test_set_is_seen(self):
        """guard.set_device_index_changes_the_current_device"""
        first, second = (device.index for device in self.devices[:2])
        for index in (second, first, second):
            accelerator.set_device_index(index)
            self.expect_current(index, "set_device_index makes its argument current")
        tensor = self.on_device(self.sample_of(1), 0)
        self.on_cpu(tensor)
        self.expect_current(second, "an operator on another device does not change the current device")
        accelerator.set_device_index(torch.device(self.device_name, first))
        self.expect_current(first, "set_device_index accepts a torch.device")

    def test_bad_index_is_refused(self):
        """guard.set_device_index_rejects_an_index_past_the_count"""
        last = self.devices[-1].index
        accelerator.set_device_index(last)
        count = accelerator.device_count()
        self.clause("DEV-009")
        for index in {count, 127} - set(range(count)):
            self.expect_raises((RuntimeError, ValueError), f"set_device_index({index}) raises", accelerator.set_device_index, index)
            self.expect_current(last, "a refused set_device_index leaves the current device unchanged")
        self.clause("DEV-010")
        accelerator.set_device_index(last)
        try:
            accelerator.set_device_index(-1)
        except (RuntimeError, ValueError) as error:
            self.note("set_device_index(-1)", f"{type(error).__name__}: {error}")
        self.expect_current(last, "set_device_index(-1) leaves the current device unchanged")

    def test_context_restores(self):
        """guard.device_index_context_restores_the_device"""
        first, second = (device.index for device in self.devices[:2])
        accelerator.set_device_index(second)
        self.clause("DEV-037")
        with accelerator.device_index(first):
            self.expect_current(first, "device_index switches the current device")
            with accelerator.device_index(second):
                self.expect_current(second, "a nested device_index switches the current device")
            self.clause("DEV-012")
            self.expect_current(first, "leaving the inner device_index restores the device of the outer one")
            self.clause("DEV-037")
            with accelerator.device_index(None):
                self.expect_current(first, "device_index(None) stays")
        self.clause("DEV-012")
        self.expect_current(second, "leaving device_index restores the previous device")
        try:
            with accelerator.device_index(first):
                raise KeyError
        except KeyError:
            pass
        self.expect_current(second, "an exception in the block restores the previous device")

    def test_context_refuses(self):
        """guard.device_index_context_rejects_a_bad_index"""
        last = self.devices[-1].index
        accelerator.set_device_index(last)
        context = accelerator.device_index(accelerator.device_count())
        self.expect_raises((RuntimeError, ValueError), "entering device_index(count) raises", context.__enter__)
        self.expect_current(last, "a refused device_index leaves the current device unchanged")

    def test_per_thread(self):
        """guard.current_device_is_per_python_thread"""
        first, second = (device.index for device in self.devices[:2])
        accelerator.set_device_index(second)

        def elsewhere():
            fresh = accelerator.current_device_index()
            accelerator.set_device_index(first)
            return fresh

        self.clause("DEV-015")
        fresh = self.on_thread(elsewhere, "set_device_index on another thread returns")
        self.note("the current device of a new thread", fresh)
        self.clause("DEV-016")
        indices = range(accelerator.device_count())
        self.expect_true(fresh in indices, "a new thread starts with a device that exists", f"the current device is {fresh}")
        self.clause("DEV-015")
        self.expect_current(second, "a switch in one thread does not change the current device of another")

    def test_synchronize_keeps_current(self):
        """guard.accelerator_synchronize_keeps_the_current_device"""
        first, last = self.devices[0].index, self.devices[-1].index
        tensor = self.on_device(self.sample_of(1), -1)
        accelerator.set_device_index(first)
        self.clause("DEV-024")
        self.supported("device.sync", accelerator.synchronize, last)
        self.clause("DEV-025")
        self.expect_current(first, "synchronize(i) leaves the current device unchanged")
        self.clause("DEV-024")
        self.expect_tensor(tensor, self.sample_of(1), "the work is done after synchronize")

    def test_arguments(self):
        """guard.set_device_index_rejects_invalid_arguments"""
        last = self.devices[-1].index
        accelerator.set_device_index(last)
        for wrong, kind in (
            (self.bare_device, ValueError),
            (torch.device("cpu", 0), ValueError),
            (128, TypeError),
        ):
            self.expect_raises(
                (kind, RuntimeError),
                f"set_device_index({wrong}) raises",
                accelerator.set_device_index,
                wrong,
            )
            self.expect_current(last, "a wrong argument leaves the current device unchanged")


if __name__ == "__main__":
    unittest.main()
