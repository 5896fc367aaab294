# SPDX-License-Identifier: BSD-3-Clause
"""Where Python's tensors land, and operators with another device current."""

import unittest

import assay
import torch

accelerator = torch.accelerator


class GuardPlacement(assay.Case):
    def ways(self):
        """Ways to make a tensor that any backend needs: (operator, call that takes the device)."""
        return (
            ("aten::empty.memory_format", lambda where: torch.empty(3, 4, device=where)),
            ("aten::empty_strided", lambda where: torch.empty_strided((3,), (2,), device=where)),
            ("aten::empty.memory_format", lambda where: torch.empty(0, device=where)),
            ("aten::_copy_from", lambda where: torch.ones(3).to(where)),
            ("aten::_copy_from", lambda where: torch.tensor([1.0, 2.0], device=where)),
            ("aten::fill_.Scalar", lambda where: torch.zeros(3, device=where)),
            ("aten::fill_.Scalar", lambda where: torch.full((3,), 2.0, device=where)),
        )

    def expect_on(self, tensor, device, what):
        self.expect_device(tensor, device, what)
        self.expect_equal(tensor.untyped_storage().device, device, f"{what}; so is its storage")

    def test_bare_device_is_the_current_one(self):
        """guard.bare_device_is_the_current_one"""
        for device in self.devices[:2]:
            accelerator.set_device_index(device.index)
            for operator, make in self.ways():
                tensor = self.op(operator, make, self.bare_device)
                self.expect_on(
                    tensor, device, "a tensor for the device without index is on the current one"
                )

    def test_index_is_honoured(self):
        """guard.factories_honour_the_index"""
        first, second = self.devices[:2]
        accelerator.set_device_index(first.index)
        for operator, make in self.ways():
            tensor = self.op(operator, make, second)
            self.expect_on(tensor, second, "a tensor for a device is on it")
            self.expect_equal(
                accelerator.current_device_index(), first.index, "and the current device stays"
            )

    def test_bad_index_raises(self):
        """guard.factories_refuse_bad_indices"""
        last = self.devices[-1]
        accelerator.set_device_index(last.index)
        count = accelerator.device_count()
        for index in {count, 127} - set(range(count)):
            self.expect_raises(
                (RuntimeError, ValueError),
                f"torch.empty on index {index} of {count} raises",
                torch.empty,
                4,
                device=f"{self.device_name}:{index}",
            )
        self._wrapped_index(count)
        self.expect_equal(accelerator.current_device_index(), last.index, "the device stays")
        tensor = self.op("aten::empty.memory_format", torch.empty, 4, device=last)
        self.expect_device(tensor, last, "after that the device still works")

    def _wrapped_index(self, count):
        """Core cuts indices to int8: what is left of 128 is negative, of 256 is 0."""
        for index in (128, 255, 256):
            try:
                tensor = torch.empty(4, device=torch.device(self.device_name, index))
            except (RuntimeError, ValueError, TypeError):
                continue
            seen = tensor.device.index
            self.expect_true(
                seen is not None and 0 <= seen < count,
                f"index {index} is refused, or what core makes of it is a real device",
                f"the tensor is on {tensor.device}",
            )

    def test_operators_elsewhere(self):
        """guard.python_operators_on_another_device"""
        first, second = self.devices[:2]
        accelerator.set_device_index(first.index)
        values = torch.arange(24, dtype=torch.uint8)
        tensor = self.on_device(values, 1)
        self.expect_tensor(tensor, values, "copies work with another device current")
        self.op("aten::fill_.Scalar", tensor.fill_, 7)
        self.expect_tensor(tensor, torch.full_like(values, 7), "fill_ works as well")
        self.op("aten::resize_", tensor.resize_, 4000)
        self.expect_on(tensor, second, "resize_ leaves a tensor on its device")
        self.expect_tensor(tensor[:24], torch.full_like(values, 7), "and keeps its contents")
        self.expect_equal(
            accelerator.current_device_index(), first.index, "and all leave the current device"
        )

    def failing(self, device):
        tensor = self.op("aten::empty.memory_format", torch.empty, 6, device=device)
        return (
            lambda: torch.empty(1 << 50, device=device),
            lambda: tensor.view(4, 4),
            lambda: tensor.copy_(torch.ones(5)),
        )

    def test_error_leaves_all_as_it_was(self):
        """guard.errors_leave_device_and_stream"""
        first, other = self.devices[0], self.devices[-1]
        accelerator.set_device_index(first.index)
        stream = accelerator.current_stream()
        for number, call in enumerate(self.failing(other)):
            self.expect_raises(
                (RuntimeError, NotImplementedError), f"wrong call {number} raises", call
            )
            self.expect_equal(
                accelerator.current_device_index(),
                first.index,
                "an operator that raises leaves the current device",
            )
            self.expect_equal(
                accelerator.current_stream(), stream, "an operator that raises leaves the stream"
            )
        values = torch.arange(6.0)
        self.expect_tensor(self.on_device(values), values, "the next operator works")


if __name__ == "__main__":
    unittest.main()
