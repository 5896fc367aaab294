# SPDX-License-Identifier: BSD-3-Clause
"""Helpers of the operator tests: run a function on the CPU and on each device, compare everything."""

import unittest

import torch

import torch_fakedev  # noqa: F401  registers the backend
from torch_fakedev import testing

DEVICES = [f"fakedev:{index}" for index in range(torch.fakedev.device_count())]


def moved(value, device):
    """The same arguments on `device`; layouts (stride 0, transposed, offset) are kept."""
    if isinstance(value, torch.Tensor):
        return moved_tensor(value, device)
    if isinstance(value, (list, tuple)):
        return type(value)(moved(item, device) for item in value)
    return value


def moved_tensor(tensor, device):
    if tensor.dtype.is_complex and tensor.is_conj():
        return moved_tensor(tensor.conj(), device).conj()
    storage = torch.empty(0, dtype=tensor.dtype).set_(tensor.detach().untyped_storage())
    copy = storage.to(device).as_strided(tensor.shape, tensor.stride(), tensor.storage_offset())
    return copy.requires_grad_(tensor.requires_grad) if tensor.requires_grad else copy


class OperatorCase(unittest.TestCase):
    def setUp(self):
        torch.manual_seed(3)

    def assert_same(self, actual, expected, message=None, **tolerance):
        if isinstance(expected, (list, tuple)):
            self.assertEqual(len(actual), len(expected), message)
            for one, other in zip(actual, expected):
                self.assert_same(one, other, message, **tolerance)
        elif isinstance(expected, torch.Tensor):
            torch.testing.assert_close(
                actual.cpu(), expected, equal_nan=True, check_stride=True,
                msg=lambda text: f"{message}: {text}", **tolerance)
        else:
            self.assertEqual(actual, expected, message)

    def check(self, function, *arguments, devices=DEVICES, falls_back=False, **tolerance):
        """function(*arguments) on each device equals the CPU's result, computed by the device."""
        expected = function(*moved(list(arguments), "cpu"))
        for device in devices:
            there = moved(list(arguments), device)
            testing.forget_fallbacks()
            actual = function(*there)
            used = testing.fallbacks()
            with self.subTest(device=device):
                self.assert_same(actual, expected, str(arguments)[:200], **tolerance)
                if not falls_back:
                    self.assertEqual(used, {})

    def layouts(self, dtype, low=-4, high=5):
        """Tensors of one dtype in every layout that kernels get wrong."""
        def make(*shape):
            if dtype.is_floating_point or dtype.is_complex:
                return torch.randn(*shape, dtype=torch.complex64).mul(2).to(dtype) \
                    if dtype.is_complex else torch.randn(*shape).mul(2).to(dtype)
            if dtype == torch.bool:
                return torch.randint(0, 2, shape).bool()
            bounds = (max(low, torch.iinfo(dtype).min), high)
            return torch.randint(*bounds, shape).to(dtype)
        return {
            "contiguous": make(3, 4), "transposed": make(4, 3).t(), "offset": make(5, 4)[2:],
            "column": make(4, 6)[:, 2:4], "stepped": make(7)[::2], "expanded": make(3, 1).expand(3, 4),
            "scalar": make(1)[0], "empty": make(0, 3), "deep": make(1, 2, 1, 2, 1, 2, 1, 2, 1, 2),
            "channels_last": make(2, 3, 2, 2).to(memory_format=torch.channels_last),
        }
