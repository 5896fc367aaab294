# SPDX-License-Identifier: BSD-3-Clause
"""Tests every place in PyTorch that returns a device's name: the places for the backend, and the places for other
devices."""

import re
import unittest

import torch
from assay.checks import Case

# Device types for which PyTorch has or had a flag.
OTHERS = ("cpu", "cuda", "hip", "hpu", "ipu", "lazy", "maia", "meta", "mps", "mtia", "ort", "ve", "vulkan", "xla", "xpu")
PRIVATEUSE1 = 20


class NamingPlaces(Case):
    def test_parses(self):
        """naming.backend_name_can_be_parsed"""
        name = self.device_name
        self.expect_true(
            re.fullmatch("[a-z_]+", name), "the backend's name has only lower-case letters and underscores", name
        )
        for text in (name, f"{name}:0"):
            try:
                self.expect_equal(torch.device(text).type, name, f"torch.device('{text}') is a device of the backend")
            except RuntimeError as error:
                self.expect(False, f"torch.device('{text}') is a device of the backend", str(error))

    def test_core(self):
        """naming.core_reports_the_backend_name"""
        name = self.device_name
        self.expect_equal(
            torch._C._get_privateuse1_backend_name(), name, "torch._C._get_privateuse1_backend_name() is the backend's name"
        )
        self.expect_equal(
            torch.accelerator.current_accelerator().type, name, "torch.accelerator.current_accelerator() has the backend's name"
        )
        made = self.op("aten::empty.memory_format", lambda: self.empty_sample(1))
        self.expect_equal(made.device.type, name, "the device of a tensor has the backend's name")

    def test_python(self):
        """naming.python_reports_the_backend_name"""
        seen = torch.utils.backend_registration._privateuse1_backend_name
        self.expect_equal(
            seen, self.device_name, "torch.utils.backend_registration has exactly the name that torch.device has"
        )

    def test_enums(self):
        """naming.enums_show_the_backend_name"""
        alias = self.device_name.upper()
        for kind in (torch._C._autograd.DeviceType, torch._C._profiler.ProfilerActivity):
            member, name = kind.PrivateUse1, kind.__name__
            self.expect_true(getattr(kind, alias, None) == member, f"{name}.{alias} is {name}.PrivateUse1", "it does not exist")
            shown = [str(member), repr(member), member.name]
            expected = [f"{name}.{alias}", f"<{name}.{alias}: {member.value}>", alias]
            self.expect_equal(shown, expected, f"str, repr and name of {name}.PrivateUse1 show {alias}")
        self.expect_equal(torch._C._autograd.DeviceType.PrivateUse1.value, PRIVATEUSE1, "DeviceType.PrivateUse1 is 20")
        self.expect_equal(torch._C._autograd.DeviceType.CPU.name, "CPU", "other device types keep their names")

    def test_flags(self):
        """naming.flags_of_other_devices_are_false"""
        made = self.op("aten::empty.memory_format", lambda: self.empty_sample(1))
        for other in OTHERS:
            flag = f"is_{other}"
            if hasattr(torch.Tensor, flag) and other != self.device_name:
                self.expect_equal(getattr(made, flag), False, f"{flag} of a tensor of {self.device_name} is False")


if __name__ == "__main__":
    unittest.main()
