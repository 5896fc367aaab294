# SPDX-License-Identifier: BSD-3-Clause
"""Compares the strides of results with the strides that PyTorch predicts for a backend."""

import torch
from assay.operators.aspects import given_on
from assay.values.trees import tensors
from torch._subclasses.fake_tensor import FakeTensorMode


def _strides(tensor):
    """The strides of dimensions with more than one element. Other strides have no effect."""
    if tensor.layout is not torch.strided or tensor.is_nested or tensor.numel() < 2:
        return None
    return [stride for size, stride in zip(tensor.shape, tensor.stride()) if size > 1]


def difference(seen, expected):
    """The first difference in words, or None."""
    for one, other in zip(tensors(seen), tensors(expected)):
        if one.shape == other.shape and _strides(one) != _strides(other):
            return f"strides {list(one.stride())}, expected {list(other.stride())} of {list(one.shape)}"
    return None


def predicted(operator, sample, place):
    """Results without memory that PyTorch's fake tensors give for that device, or None if they give no result."""
    if place is None:
        return None
    try:
        mode = FakeTensorMode()
        given = given_on(operator, sample, place).with_tensors(mode.from_tensor)
        with mode:
            return given.call(operator.op)
    except Exception:
        return None
