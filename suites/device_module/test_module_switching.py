# SPDX-License-Identifier: BSD-3-Clause
"""The current device through the device module: current_device, set_device, device."""

import contextlib
import unittest

import torch
from assay.checks import Case

accelerator = torch.accelerator


class ModuleSwitching(Case):
    def setUp(self):
        super().setUp()
        self.put_device_back()

    def named(self, name):
        """Returns torch.<backend>.<name>. If the module lacks the name, the check fails if the name is its subject;
        otherwise the check is blocked."""
        function = getattr(self.device_module, name, None)
        if function is None:
            self.block(f"torch.{self.device_name} has no {name}", f"module.{name}")
        return function

    def ask(self, call, *arguments):
        """Returns the result of the call. If the call refuses its argument, reports a violation and returns None."""
        name = f"torch.{self.device_name}.{call.__name__}({', '.join(map(repr, arguments))})"
        try:
            return call(*arguments)
        except Exception as error:
            self.block_if_refused(str(error))
            self.expect(False, f"{name} accepts its argument", f"{type(error).__name__}: {error}")
            return None

    def expect_current(self, index, what):
        return self.expect_equal(accelerator.current_device_index(), index, what)

    def forms(self, device):
        """The forms of a device: an int, a string, a torch.device."""
        return device.index, str(device), device

    def test_current(self):
        """device_module.current_device_agrees_with_the_guard"""
        self.is_about("module.current_device")
        current_device = self.named("current_device")
        for device in (self.devices[-1], self.devices[0], self.devices[-1]):
            accelerator.set_device_index(device.index)
            seen = current_device()
            self.expect_true(type(seen) is int, "current_device() is an int", f"{seen!r}")
            self.expect_equal(
                seen, accelerator.current_device_index(), "current_device() is the guard's current device"
            )

    def test_device(self):
        """device_module.device_context_switches_and_restores"""
        self.is_about("module.device", "module.__enter__")
        context, (first, last) = self.named("device"), (self.devices[0], self.devices[-1])
        for form in (last.index, last):
            accelerator.set_device_index(first.index)
            with context(form):
                self.expect_current(last.index, f"with device({form!r}) switches to that device")
            self.expect_current(first.index, f"leaving device({form!r}) restores the previous device")

    def test_after_exception(self):
        """device_module.device_context_restores_after_an_exception"""
        first, second = self.devices[:2]
        accelerator.set_device_index(first.index)
        try:
            with self.named("device")(second.index):
                raise KeyError
        except KeyError:
            pass
        self.expect_current(first.index, "an exception in the block restores the previous device")

    def test_entered_later(self):
        """device_module.device_context_restores_the_device_of_its_entry"""
        first, second = self.devices[:2]
        accelerator.set_device_index(first.index)
        context = self.named("device")(first.index)
        accelerator.set_device_index(second.index)
        with context:
            self.expect_current(first.index, "a block of device() runs on that device")
        self.expect_current(second.index, "the end of the block restores the device that was current at its begin")

    def test_negative(self):
        """device_module.switching_to_a_negative_index_changes_nothing"""
        index = self.devices[1].index
        for name in ("set_device", "device"):
            accelerator.set_device_index(index)
            try:
                with self.entered(self.named(name)(-1)):
                    self.expect_current(index, f"{name}(-1) leaves the current device unchanged")
            except (RuntimeError, ValueError) as error:
                self.note(f"{name}(-1)", f"{type(error).__name__}: {error}")
            self.expect_current(index, f"{name}(-1) leaves the current device unchanged")

    def entered(self, result):
        """Enters the context that device() returns. set_device() returns no context."""
        return result if hasattr(result, "__enter__") else contextlib.nullcontext()

    def test_bad_index(self):
        """device_module.set_device_rejects_a_bad_index"""
        self.is_about("module.set_device")
        set_device, last = self.named("set_device"), self.devices[-1].index
        accelerator.set_device_index(last)
        count = accelerator.device_count()
        for index in {count, 127, 256, 2**32} - set(range(count)):
            what = f"set_device({index}) raises if there are {count} devices"
            self.expect_raises((RuntimeError, ValueError, AssertionError, OverflowError, TypeError), what, set_device, index)
            self.expect_current(last, "a refused set_device leaves the current device unchanged")

    def test_forms(self):
        """device_module.set_device_accepts_every_kind_of_device_argument"""
        self.is_about("module.set_device", "module.device")
        first, last = self.devices[0], self.devices[-1]
        for form in self.forms(last):
            accelerator.set_device_index(first.index)
            self.ask(self.named("set_device"), form)
            self.expect_current(last.index, f"set_device({form!r}) makes that device current")
        for form in (*self.forms(last), self.device_name, self.bare_device):
            accelerator.set_device_index(last.index)
            context = self.ask(self.named("device"), form)
            if context is not None:
                with context:
                    self.expect_current(last.index, f"device({form!r}) is the named device, or does not change")

    def test_waiting_forms(self):
        """device_module.synchronize_accepts_every_kind_of_device_argument"""
        synchronize = self.named("synchronize")
        self.op("aten::empty.memory_format", self.empty_sample, 1)
        last = self.devices[-1]
        accelerator.set_device_index(last.index)
        for form in (*self.forms(last), self.device_name, self.bare_device, None):
            self.ask(synchronize, form)
        self.ask(synchronize)
        current_stream = getattr(self.device_module, "current_stream", None)
        for form in (*self.forms(last), self.bare_device, None) if current_stream else ():
            stream = self.ask(current_stream, form)
            if isinstance(stream, torch.Stream):
                self.expect_equal(stream.device_index, last.index, f"current_stream({form!r}) is of that device")

    def test_cpu(self):
        """device_module.cpu_device_is_rejected"""
        last = self.devices[-1].index
        for name in ("set_device", "device"):
            accelerator.set_device_index(last)
            self.expect_raises(
                (RuntimeError, ValueError, TypeError, AssertionError),
                f"{name}(torch.device('cpu', 0)) is refused",
                self.used, self.named(name), torch.device("cpu", 0),
            )
            self.expect_current(last, f"a refused {name} leaves the current device unchanged")

    def used(self, function, device):
        with self.entered(function(device)):
            return f"a block in which device {accelerator.current_device_index()} is current"


if __name__ == "__main__":
    unittest.main()
