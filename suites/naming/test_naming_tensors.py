# SPDX-License-Identifier: BSD-3-Clause
"""Tensor.<name>() and Tensor.is_<name>, which PyTorch generates if the backend requests them."""

import unittest

import torch
from assay.checks import Case
from suites.naming.generated_methods import mark_of, method_of
from torch.utils._python_dispatch import TorchDispatchMode

VALUES = [1.0, -2.0, 3.5]


class Heard(TorchDispatchMode):
    """Records whether any operator in the block was called with non_blocking=True."""

    def __init__(self):
        super().__init__()
        self.non_blocking = False

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        named = dict(zip((argument.name for argument in function._schema.arguments), args))
        named.update(kwargs or {})
        self.non_blocking |= bool(named.get("non_blocking"))
        return function(*args, **(kwargs or {}))


def overriding():
    """A subclass, and the list of keyword arguments with which its __torch_function__ was called."""
    seen = []

    class Overriding(torch.Tensor):
        @classmethod
        def __torch_function__(cls, function, types, args=(), kwargs=None):
            seen.append(dict(kwargs or {}))
            with torch._C.DisableTorchFunctionSubclass():
                return function(*args, **(kwargs or {}))

    return Overriding, seen


class NamingTensors(Case):
    @property
    def method(self):
        return f"Tensor.{self.device_name}"

    def test_absent(self):
        """naming.missing_tensor_methods_raise_attribute_error"""
        name, x = self.device_name, torch.ones(1)
        for word in (name, f"is_{name}"):
            if hasattr(torch.Tensor, word):
                self.has_all_the_same("methods", f"Tensor.{word} exists")
            self.expect_raises(AttributeError, f"x.{word} raises an AttributeError if it was not generated", getattr, x, word)

    def test_mark(self):
        """naming.backend_flag_is_true_only_for_device_tensors"""
        there = self.on_device(self.sample(3))
        mark = f"Tensor.is_{self.device_name}"
        self.expect_equal(mark_of(self, there), True, f"{mark} of a tensor of the device is True")
        self.expect_equal(mark_of(self, torch.ones(1)), False, f"{mark} of a CPU tensor is False")
        self.expect_equal(mark_of(self, torch.empty(1, device="meta")), False, f"{mark} of a tensor of another device is False")

    def test_moves(self):
        """naming.tensor_device_method_moves_to_the_device"""
        values = self.sample(3)
        moved = method_of(self, values)()
        self.expect_equal(moved.device.type, self.device_name, f"{self.method}() of a CPU tensor is on the device")
        self.expect_tensor(moved, values, f"{self.method}() keeps the values")
        self.expect_equal(values.device.type, "cpu", f"{self.method}() does not change the tensor that it is called on")

    def test_forms(self):
        """naming.tensor_device_method_accepts_every_kind_of_device_argument"""
        values, name = self.sample(3), self.device_name
        method_of(self, values)()
        self.ask_special_cases()
        for device in self.devices[:2]:
            forms = {f"{device.index}": device.index, f"'{device}'": str(device), f"torch.device('{device}')": device}
            for words, form in forms.items():
                moved = method_of(self, values)(form)
                self.expect_device(moved, device, f"{self.method}({words}) is on the named device")
        for words, form in {"None": None, f"'{name}'": name, f"torch.device('{name}')": torch.device(name)}.items():
            moved = method_of(self, values)(form)
            self.expect_equal(moved.device.type, name, f"{self.method}({words}) is on the device")

    def test_current(self):
        """naming.tensor_device_method_uses_the_current_device"""
        if not hasattr(self.device_module, "current_device"):
            self.block("the device module has no current_device", "module.current_device")
        move, before = method_of(self, self.sample(3)), torch.accelerator.current_device_index()
        for device in self.devices[:2]:
            torch.accelerator.set_device_index(device.index)
            try:
                moved = [move(), move(self.device_name)]
            finally:
                torch.accelerator.set_device_index(before)
            for one in moved:
                self.expect_device(one, device, f"{self.method}() without an index moves to the current device")

    def test_refuses(self):
        """naming.tensor_device_method_rejects_other_device_types"""
        move, name = method_of(self, self.sample(3)), self.device_name
        for words, form in {"'cpu'": "cpu", "torch.device('cpu')": torch.device("cpu"), "'meta:0'": "meta:0"}.items():
            error = self.expect_raises(RuntimeError, f"{self.method}({words}) raises a RuntimeError", move, form)
            self.expect_true(error is None or name in str(error), "the error for another device names the needed one", f"{error}")
        for form in ([], 1.5, {}):
            self.expect_raises(RuntimeError, f"{self.method}({form!r}) raises a RuntimeError", move, form)

    def test_there(self):
        """naming.tensor_device_method_does_not_copy_a_tensor_on_that_device"""
        device = self.devices[-1]
        there = self.on_device(self.sample(3), -1)
        for form in (device.index, str(device), device):
            moved = method_of(self, there)(form)
            self.expect_true(moved is there, f"{self.method}({form!r}) of a tensor on that device returns the tensor itself", "it is another tensor")

    def test_options(self):
        """naming.tensor_device_method_passes_on_its_options"""
        values = torch.arange(24.0).reshape(1, 2, 3, 4)
        plain = values.to(self.device, memory_format=torch.channels_last)
        moved = method_of(self, values)(self.device.index, memory_format=torch.channels_last)
        self.expect_equal(moved.stride(), plain.stride(), f"{self.method} passes memory_format to Tensor.to")
        with Heard() as plain:
            values.to(self.device, non_blocking=True)
        with Heard() as heard:
            method_of(self, values)(self.device.index, non_blocking=True)
        self.expect_equal(
            heard.non_blocking, plain.non_blocking, f"{self.method} passes non_blocking on as Tensor.to does"
        )

    def test_overridden(self):
        """naming.subclasses_intercept_the_device_methods"""
        kind, seen = overriding()
        x = self.sample(3).as_subclass(kind)
        method_of(self, x)(self.device.index, non_blocking=True)
        self.clause("NAME-020")
        told = [one for one in seen if "non_blocking" in one]
        self.expect_true(told, f"__torch_function__ of a subclass is called for {self.method}()", f"it saw {len(seen)} other calls")
        count = len(seen)
        self.expect_equal(mark_of(self, x), False, f"is_{self.device_name} of a subclass on the CPU is False")
        self.expect_true(
            len(seen) > count, f"__torch_function__ of a subclass is called for is_{self.device_name}", "it was not called"
        )

    def test_twice(self):
        """naming.tensor_methods_cannot_be_generated_twice"""
        generate, name = torch.utils.generate_methods_for_privateuse1_backend, self.device_name
        mark_of(self, torch.ones(1))
        before = vars(torch.Tensor)[f"is_{name}"]
        error = self.expect_raises(
            RuntimeError, "generate_methods_for_privateuse1_backend() raises when it is called again", generate
        )
        self.expect_true(
            error is None or f"is_{name}" in str(error), "the error of a second generation names the existing method", f"{error}"
        )
        self.expect_true(
            vars(torch.Tensor)[f"is_{name}"] is before, "a refused second generation does not change the methods", "the methods were replaced"
        )


if __name__ == "__main__":
    unittest.main()
