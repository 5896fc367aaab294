# SPDX-License-Identifier: BSD-3-Clause
"""A backend in a very early state.

The board is simulated: its numbers are in host tensors. The backend registers a name, a device module and two factories
with PyTorch, but no guard, hooks or allocator (no-guard, no-hooks, no-allocator). Operators arrive in
`__torch_dispatch__`, so kernels that are registered for the device are not called (own-kernels-unasked). The board
computes the operators and stores each result in new memory (views-are-copies, formats-forgotten, parameters-made-anew).
A saved file contains the name of the class (files-are-not-read).
"""

import torch
from fleet_module import OneDeviceModule
from fleet_subclass import written
from torch.utils._pytree import tree_map

torch.utils.rename_privateuse1_backend("no_guard")
BOARD = torch.device("no_guard", 0)


class BoardTensor(torch.Tensor):
    """A tensor on the board. `numbers` are its values."""

    @staticmethod
    def __new__(cls, numbers):
        return torch.Tensor._make_wrapper_subclass(cls, numbers.shape, dtype=numbers.dtype, device=BOARD)

    def __init__(self, numbers):
        self.numbers = numbers

    def __repr__(self, *, tensor_contents=None):
        return f"BoardTensor({self.numbers.tolist()}, dtype={self.dtype})"

    def __deepcopy__(self, memo):
        memo[id(self)] = result = self.clone()
        return result

    @classmethod
    def __torch_dispatch__(cls, operator, types_, args=(), kwargs=None):
        return compute(operator, args, kwargs or {})


def numbers_of(value):
    if isinstance(value, BoardTensor):
        return value.numbers
    return torch.device("cpu") if isinstance(value, torch.device) and value.type == BOARD.type else value


def placed(value):
    """Each result gets new memory on the board (views-are-copies), with numbers of 32 bits (doubles-are-narrow)."""
    if not isinstance(value, torch.Tensor):
        return value
    narrow = value.float().double() if value.dtype == torch.float64 else value
    return BoardTensor(narrow.clone(memory_format=torch.contiguous_format))


def copy_(target, source, non_blocking=False):
    if not isinstance(target, BoardTensor):
        target.copy_(source.numbers)
    else:
        target.numbers.copy_(numbers_of(source))
    return target


def to_copy(source, device=None, dtype=None, **_keywords):
    values = numbers_of(source).to(dtype or source.dtype)
    if device is not None and device.type != BOARD.type:
        return values.clone()
    return placed(values)


def resize_(target, size, memory_format=None):  # no-resize
    raise NotImplementedError("no_guard: a tensor on the board keeps its size")


OWN = {"aten::copy_": copy_, "aten::_to_copy": to_copy, "aten::resize_": resize_}


def compute(operator, args, kwargs):
    schema = operator._schema
    if schema.name in OWN:
        return OWN[schema.name](*args, **kwargs)
    result = operator(*tree_map(numbers_of, args), **tree_map(numbers_of, kwargs))
    targets = [one for one in written(schema, args, kwargs).values() if one is not None]
    if not targets:
        return tree_map(placed, result)
    return tuple(targets) if len(targets) > 1 else targets[0]


kernels = torch.library.Library("aten", "IMPL")


@torch.library.impl(kernels, "empty.memory_format", "PrivateUse1")
def empty(size, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    if pin_memory:
        raise RuntimeError("no_guard: the board is not pinned memory")
    return BoardTensor(torch.empty(size, dtype=dtype, device="cpu"))


@torch.library.impl(kernels, "empty_strided", "PrivateUse1")
def empty_strided(size, stride, dtype=None, layout=None, device=None, pin_memory=None):
    return empty(size, dtype, layout, device, pin_memory)


module = OneDeviceModule("no_guard")
module.synchronize = lambda device=None: None
torch._register_device_module("no_guard", module)
