# SPDX-License-Identifier: BSD-3-Clause
"""The current device and the current stream, in every form in which a program may name a device."""

import unittest

import torch
from assay.checks import Case

accelerator = torch.accelerator


class AcceleratorCurrent(Case):
    def setUp(self):
        super().setUp()
        self.put_device_back()
        self.first, self.last = self.devices[0], self.devices[-1]
        accelerator.set_device_index(self.first.index)

    def expect_current(self, index, what):
        return self.expect_equal(accelerator.current_device_index(), index, what)

    def forms(self, device):
        return device.index, str(device), device

    def test_set(self):
        """accelerator.set_device_index_accepts_every_kind_of_device_argument"""
        for form in self.forms(self.last):
            accelerator.set_device_index(self.first.index)
            accelerator.set_device_index(form)
            self.expect_current(self.last.index, f"set_device_index({form!r}) makes that device current")
        for wrong in (self.device_name, self.bare_device, torch.device("cpu", 0), "cpu:0"):
            self.expect_raises(ValueError, f"set_device_index({wrong!r}) raises", accelerator.set_device_index, wrong)
            self.expect_current(self.last.index, "a refused set_device_index leaves the current device unchanged")

    def test_streams(self):
        """accelerator.current_stream_accepts_every_kind_of_device_argument"""
        for form in self.forms(self.last):
            self.clause("ACC-009" if isinstance(form, str) else "ACC-022")
            self.expect_equal(
                accelerator.current_stream(form).device, self.last, f"current_stream({form!r}) is of that device"
            )
        for form in (None, self.device_name, self.bare_device):
            self.clause("ACC-022" if form else "ACC-009")
            self.expect_equal(
                accelerator.current_stream(form).device, self.first,
                f"current_stream({form!r}) is of the current device",
            )
        self.clause("ACC-022")
        what = "current_stream of a device of another type raises"
        self.expect_raises(ValueError, what, accelerator.current_stream, torch.device("cpu", 0))

    def test_context(self):
        """accelerator.device_index_context_restores_the_device"""
        first, last = self.first.index, self.last.index
        accelerator.set_device_index(last)
        with accelerator.device_index(first):
            self.expect_current(first, "device_index switches")
            with accelerator.device_index(last):
                self.expect_current(last, "a nested device_index switches")
            self.expect_current(first, "leaving the inner device_index restores the device of the outer one")
            with accelerator.device_index(None):
                self.expect_current(first, "device_index(None) changes nothing")
        self.expect_current(last, "leaving device_index restores the previous device")
        try:
            with accelerator.device_index(first):
                raise KeyError
        except KeyError:
            pass
        self.expect_current(last, "an exception in the block restores the previous device")
        self.expect_raises(TypeError, "device_index accepts only an int", accelerator.device_index(self.last).__enter__)

    def test_negative(self):
        """accelerator.context_with_a_negative_index_changes_nothing"""
        index = self.devices[1].index
        accelerator.set_device_index(index)
        try:
            with accelerator.device_index(-1):
                self.expect_current(index, "inside device_index(-1) the previous device is current")
        except (RuntimeError, ValueError) as error:
            self.note("device_index(-1)", f"{type(error).__name__}: {error}")
        self.expect_current(index, "after device_index(-1) the previous device is current")

    def test_leaving(self):
        """accelerator.leaving_device_index_context_never_raises"""
        context = accelerator.device_index(self.last.index)
        context.__enter__()
        accelerator.set_device_index(self.first.index)
        try:
            accelerator.set_device_index(accelerator.device_count())
        except (RuntimeError, ValueError):
            pass
        try:
            context.__exit__(None, None, None)
        except Exception as error:
            self.expect(
                False, "leaving device_index raises nothing after any change in the block", f"{type(error).__name__}: {error}"
            )
        self.expect_current(self.first.index, "leaving device_index restores the previous device")

    def stream(self, device):
        return self.supported("streams", torch.Stream, device)

    def test_set_stream(self):
        """accelerator.set_stream_switches_the_device"""
        stream, before = self.stream(self.last), accelerator.current_stream(self.last)
        accelerator.set_stream(stream)
        self.expect_current(self.last.index, "set_stream makes the stream's device current")
        self.expect_equal(accelerator.current_stream(), stream, "set_stream makes the stream current")
        accelerator.set_stream(before)

    def test_foreign_stream(self):
        """accelerator.set_stream_rejects_another_device_type"""
        stream = accelerator.current_stream(self.last)
        accelerator.set_device_index(self.last.index)
        self.clause("ACC-011")
        what = "set_stream with a stream of the CPU raises"
        self.expect_raises(RuntimeError, what, accelerator.set_stream, torch.Stream("cpu"))
        self.clause("ACC-025")
        self.note("the current device after the refused set_stream", accelerator.current_device_index())
        self.clause("ACC-011")
        accelerator.set_device_index(self.last.index)
        self.expect_equal(accelerator.current_stream(), stream, "a refused set_stream leaves the current stream unchanged")


if __name__ == "__main__":
    unittest.main()
