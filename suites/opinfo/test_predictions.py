# SPDX-License-Identifier: BSD-3-Clause
"""Results have the device, dtype, shape and strides of PyTorch's fake tensors, on which compilers, exporters and
memory planners rely."""

import torch
from assay.checks import Case
from assay.checks.asking import each
from torch._subclasses.fake_tensor import FakeTensorMode

PRELOAD = ("torch._dynamo",)  # fake tensors import this module on first use
SHAPE = (4, 3, 5)


def channels(tensor):
    return tensor.reshape(1, 3, 4, 5).contiguous(memory_format=torch.channels_last)


CALLS = {
    "add": lambda x: x + x,
    "add of a transposed tensor": lambda x: x.transpose(0, 2) + 1,
    "mul of two layouts": lambda x: x.transpose(0, 1).contiguous().transpose(0, 1) * x,
    "add of channels last": lambda x: channels(x) + 1,
    "clone": lambda x: x.transpose(0, 2).clone(),
    "contiguous": lambda x: x.transpose(0, 2).contiguous(),
    "zeros_like": lambda x: torch.zeros_like(x.transpose(0, 1)),
    "empty_like of channels last": lambda x: torch.empty_like(channels(x)),
    "to another dtype": lambda x: x.transpose(0, 2).to(torch.float64),
    "comparison": lambda x: x > 0,
    "sum": lambda x: x.sum(1),
    "sum of all elements": lambda x: x.sum(),
    "max": lambda x: x.max(2),
    "argmax": lambda x: x.argmax(0),
    "cat": lambda x: torch.cat([x, x], 2),
    "mm": lambda x: x[0] @ x[1].t(),
    "where": lambda x: torch.where(x > 0, x, 0.0),
    "view": lambda x: x.view(12, 5),
    "a part": lambda x: x[1:3, ::2],
    "expand": lambda x: x[:1].expand(4, 3, 5),
    "index": lambda x: x[:, 1],
    "softmax": lambda x: x.softmax(-1),
    "relu": lambda x: x.relu(),
    "division of integers": lambda x: x.to(torch.int32) / 2,
}


def described(result):
    """Device, dtype, shape and strides."""
    tensors = [result] if isinstance(result, torch.Tensor) else list(result)
    return [{"device": str(one.device), "dtype": str(one.dtype), "shape": list(one.shape), "strides": strides_of(one),
             "offset": one.storage_offset()} for one in tensors]


def strides_of(tensor):
    """The strides that matter: the strides of dimensions with more than one element."""
    return [stride for size, stride in zip(tensor.shape, tensor.stride()) if size > 1] if tensor.numel() > 1 else []


class Predictions(Case):
    def test_results(self):
        """opinfo.results_match_fake_tensors"""
        self.need_any_kind()
        there = self.on_device(torch.arange(60.0).reshape(SHAPE) - 20)
        for name, call, one in each(self, CALLS):
            with one:
                seen = described(call(there))
                with FakeTensorMode() as mode:
                    predicted = described(call(mode.from_tensor(there)))
                self.expect_equal(seen, predicted, f"{name}: device, dtype, shape and strides of a fake tensor")
