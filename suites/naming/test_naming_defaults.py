# SPDX-License-Identifier: BSD-3-Clause
"""The backend's name in process-wide settings: the default device, and tensor types by name."""

import contextlib
import unittest
import warnings

import torch
from assay.checks import Case

TYPES = {torch.float32: "Float", torch.int64: "Long", torch.bool: "Bool", torch.bfloat16: "BFloat16"}


class Plain(torch.nn.Linear):
    def reset_parameters(self):
        """A module without random initialization: how parameters are drawn is the subject of other checks."""


@contextlib.contextmanager
def default_device(device):
    torch.set_default_device(device)
    try:
        yield
    finally:
        torch.set_default_device(None)


class NamingDefaults(Case):
    def made(self):
        return self.op("aten::empty.memory_format", torch.empty, 2)

    def routes(self, region, how):
        """Within `region`, factories and modules must create their tensors on the last device."""
        last = self.devices[-1]
        with region:
            self.expect_device(self.made(), last, f"a factory without a device uses the device of {how}")
            self.expect_equal(torch.get_default_device(), last, f"get_default_device() after {how} has its index")
            explicit = torch.empty(2, device="cpu")
            self.expect_equal(explicit.device.type, "cpu", f"{how} does not change a factory that names its own device")
            self.expect_device(Plain(2, 2).weight, last, f"a module creates its parameters on the device of {how}")
        self.expect_equal(torch.empty(2).device.type, "cpu", f"after the end of {how} factories use the CPU again")

    def test_default(self):
        """naming.default_device_applies_to_factories"""
        last = self.devices[-1]
        self.routes(default_device(str(last)), f"set_default_device('{last}')")

    def test_context(self):
        """naming.device_context_applies_to_factories"""
        last = self.devices[-1]
        self.routes(torch.device(str(last)), f"with torch.device('{last}')")

    def test_bare_default(self):
        """naming.default_device_without_index_is_the_current_device"""
        name = self.device_name
        with default_device(name):
            made = self.made()
            seen = self.op("aten::empty.memory_format", torch.get_default_device)
        self.expect_equal(made.device.type, name, f"a factory uses the device of set_default_device('{name}')")
        self.expect_equal(
            seen, made.device, f"get_default_device() after set_default_device('{name}') is the device with its index"
        )

    def test_type(self):
        """naming.tensor_type_names_the_device"""
        for dtype, word in TYPES.items():
            try:
                x = torch.empty(2, dtype=dtype, device=self.device)
            except (RuntimeError, NotImplementedError, TypeError):
                self.note(f"{dtype}", "the device does not support this dtype")
                continue
            expected = f"torch.{self.device_name}.{word}Tensor"
            self.expect_equal(x.type(), expected, f"type() of a {dtype} tensor of {self.device_name}")
            try:
                self.expect_true(x.type(expected) is x, f"type('{expected}') of a tensor of this type returns the tensor itself", "it is another tensor")
            except (TypeError, ValueError) as error:
                self.expect(False, f"type('{expected}') of a tensor of this type returns the tensor itself", str(error))

    def test_type_moves(self):
        """naming.type_string_moves_a_tensor"""
        self.need_any_kind()  # the string below names float32
        values = torch.tensor([1.0, -2.0, 3.0])
        words = f"torch.{self.device_name}.FloatTensor"
        self.on_device(values)  # the copy is a means, so it is tried first
        try:
            moved = values.type(words)
        except (TypeError, ValueError) as error:
            self.expect(False, f"tensor.type('{words}') moves the tensor to the device", str(error))
            return
        self.expect_equal(moved.device.type, self.device_name, f"tensor.type('{words}') moves the tensor to the device")
        self.expect_tensor(moved, values, f"tensor.type('{words}') keeps the values")

    def test_storage_type(self):
        """naming.storage_type_is_typed_storage"""
        self.need_storage()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # storage() is deprecated, but programs still call it
            storage = self.empty_sample(2).storage()
            legacy = getattr(self.device_module, "FloatStorage", None)
            expected = f"{legacy.__module__}.{legacy.__name__}" if legacy else "torch.storage.TypedStorage"
            self.expect_equal(storage.type(), expected, "storage().type() of a device tensor")


if __name__ == "__main__":
    unittest.main()
