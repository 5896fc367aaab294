# SPDX-License-Identifier: BSD-3-Clause
"""The unguarded backend: somebody's first evening with a device of their own.

A simulated board whose numbers live in host tensors. The name, a device module and two factories are all that
PyTorch is told; no guard, no hooks, no allocator. What happens to a tensor comes by `__torch_dispatch__` and is
computed on the board, which gives each result a place of its own.
"""

import types

import torch
from torch.utils._pytree import tree_map

torch.utils.rename_privateuse1_backend("unguarded")
BOARD = torch.device("unguarded", 0)


class BoardTensor(torch.Tensor):
    """A tensor on the board; `numbers` are its values."""

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
    """A result gets a place of its own on the board, whose numbers have 32 bits each."""
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


def resize_(target, size, memory_format=None):
    raise NotImplementedError("unguarded: a tensor on the board keeps its size")


OWN = {"aten::copy_": copy_, "aten::_to_copy": to_copy, "aten::resize_": resize_}


def compute(operator, args, kwargs):
    schema = operator._schema
    if schema.name in OWN:
        return OWN[schema.name](*args, **kwargs)
    result = operator(*tree_map(numbers_of, args), **tree_map(numbers_of, kwargs))
    written = [given for argument, given in zip(schema.arguments, args)
               if argument.alias_info and argument.alias_info.is_write]
    written += [kwargs[argument.name] for argument in schema.arguments[len(args):]
                if argument.alias_info and argument.alias_info.is_write and argument.name in kwargs]
    if not written:
        return tree_map(placed, result)
    return tuple(written) if len(written) > 1 else written[0]


kernels = torch.library.Library("aten", "IMPL")


@torch.library.impl(kernels, "empty.memory_format", "PrivateUse1")
def empty(size, dtype=None, layout=None, device=None, pin_memory=None, memory_format=None):
    if pin_memory:
        raise RuntimeError("unguarded: the board is not pinned memory")
    return BoardTensor(torch.empty(size, dtype=dtype, device="cpu"))


@torch.library.impl(kernels, "empty_strided", "PrivateUse1")
def empty_strided(size, stride, dtype=None, layout=None, device=None, pin_memory=None):
    return empty(size, dtype, layout, device, pin_memory)


class Device:
    """`with torch.unguarded.device(0):`, of the only one."""

    def __init__(self, device):
        set_device(device)

    def __enter__(self):
        return self

    def __exit__(self, *_exception):
        return False


def set_device(device):
    index = device if isinstance(device, int) else torch.device(device).index or 0
    if index != 0:
        raise ValueError(f"unguarded: there is one board, and it is 0, not {index}")


torch._register_device_module("unguarded", types.SimpleNamespace(
    is_available=lambda: True,
    is_initialized=lambda: True,
    device_count=lambda: 1,
    current_device=lambda: 0,
    set_device=set_device,
    device=Device,
    synchronize=lambda device=None: None,
))
