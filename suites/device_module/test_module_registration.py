# SPDX-License-Identifier: BSD-3-Clause
"""How the device module is registered as `torch.<name>`, and how PyTorch finds it."""

import importlib
import sys
import unittest

import torch
from assay.checks import Case, stand_in

SPARE = "ve"  # a device type for which no release of PyTorch has a module


class ModuleRegistration(Case):
    @property
    def path(self):
        return f"torch.{self.device_name}"

    def test_imported(self):
        """device_module.can_be_imported"""
        module = self.device_module
        self.require(
            self.expect_true(module is not None, f"{self.path} is the device module", "there is no such attribute")
        )
        try:
            imported = importlib.import_module(self.path)
        except ImportError as error:
            imported = error
        self.expect_true(imported is module, f"import {self.path} gives the device module", f"{imported!r}")

    def test_first_factory(self):
        """device_module.is_loaded_before_the_first_tensor_is_created"""
        try:
            self.empty_sample(1)
        except ModuleNotFoundError as error:
            self.expect(False, "the first factory of a process finds the device module", str(error))

    def test_second(self):
        """device_module.second_registration_is_rejected"""
        module = self.device_module
        error = self.expect_raises(
            RuntimeError,
            "a second device module for the backend is refused",
            torch._register_device_module, self.device_name, object(),
        )
        self.expect_true("already" in str(error), "the error says that a device module is already registered", f"{error}")
        self.expect_true(self.device_module is module, f"{self.path} is still the first module", "the module was replaced")
        setattr(torch, self.device_name, module)

    def test_unknown(self):
        """device_module.unknown_device_type_is_rejected"""
        register, module = torch._register_device_module, object()
        error = self.expect_raises(
            RuntimeError, "a module for an unknown device type is refused", register, "nosuchdevice", module
        )
        self.expect_true("Expected one of cpu" in str(error), "the error for an unknown device type lists the known types", f"{error}")
        register(f"{SPARE}:1", module)
        try:
            self.expect_true(
                getattr(torch, SPARE, None) is module, "register_device_module ignores the index of the device",
                "there is no such module",
            )
        finally:
            delattr(torch, SPARE)
            del sys.modules[f"torch.{SPARE}"]

    def test_found(self):
        """device_module.is_found_by_device_and_by_name"""
        self.require(self.expect(self.device_module is not None, f"{self.path} exists", "torch has no such module"))
        self.ask_special_cases()
        named = {form: form for form in (self.device_name, str(self.device))}
        for form, device in {**named, "torch.device": self.device, "None": None}.items():
            self.expect_true(
                torch.get_device_module(device) is self.device_module,
                f"get_device_module({form}) is {self.path}", "it is another module",
            )
        self.expect_raises(RuntimeError, "a device type without a module is refused", torch.get_device_module, SPARE)

    def test_missing_function(self):
        """device_module.missing_function_is_named_in_the_error"""
        ask = torch.utils.backend_registration._get_custom_mod_func
        with stand_in.stand_in(self.device_name, present=len):
            self.expect_true(ask("present") is len, "a function of the device module is found", "it is another function")
            self.is_about("module.absent")
            error = self.expect_raises(
                RuntimeError, "a function that the device module lacks is refused", ask, "absent"
            )
        self.expect_true(
            f"torch.{self.device_name}.absent" in str(error), "the error names the missing function", f"{error}"
        )


if __name__ == "__main__":
    unittest.main()
