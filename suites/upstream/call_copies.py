# SPDX-License-Identifier: BSD-3-Clause
"""The arguments of one call, copied to the CPU as they were before it: values, strides, offsets, who
shares a storage with whom, conj and neg bits, who needs a gradient.

A copy is a `Stored` storage and, for each tensor, a `View` of it; both become tensors again on any
device, and lines of a script (call_script.py). Only as_strided and the copy to the CPU are asked of the
backend.
"""

from dataclasses import dataclass, field

import torch
from torch.utils._pytree import tree_flatten, tree_unflatten

LARGEST = 1 << 24  # elements of one storage


class NotCopied(Exception):
    """An argument of a kind that is not understood here: sparse, nested, a subclass."""


@dataclass(eq=False)
class Stored:
    values: torch.Tensor  # one dimension, on the CPU
    on_device: bool


@dataclass(eq=False)
class View:
    stored: Stored
    size: tuple
    stride: tuple
    offset: int
    dtype: torch.dtype
    requires_grad: bool
    is_leaf: bool
    conj: bool
    neg: bool

    def is_whole(self):
        """The storage itself in its natural order."""
        natural = torch.empty(self.size, device="meta").stride()
        count = 1
        for length in self.size:
            count *= length
        return not self.offset and self.stride == natural and count == len(self.stored.values)


@dataclass(eq=False)
class Place:
    """A device of the backend among the arguments, given as its name."""

    is_text: bool
    index: int | None


@dataclass(eq=False)
class Copies:
    """Arguments as leaves of a tree, each a View, a Place, or itself."""

    leaves: list
    tree: object
    stored: list = field(default_factory=list)

    def build(self, device):
        """(args, kwargs) on the device."""
        bases = {id(one): one.values.clone().to(device if one.on_device else "cpu")
                 for one in self.stored}
        leaves = [_build(leaf, bases, device) for leaf in self.leaves]
        return tree_unflatten(leaves, self.tree)

    def names_a_device(self):
        return any(isinstance(leaf, (Place, torch.device)) or leaf == "cpu" for leaf in self.leaves
                   if not isinstance(leaf, View))

    def tensors(self):
        return [leaf for leaf in self.leaves if isinstance(leaf, View)]


def _build(leaf, bases, device):
    if isinstance(leaf, Place):
        return str(device) if leaf.is_text else torch.device(device)
    if not isinstance(leaf, View):
        return leaf
    with torch.no_grad():
        tensor = bases[id(leaf.stored)].as_strided(leaf.size, leaf.stride, leaf.offset)
    if leaf.conj:
        tensor = tensor.conj()
    if leaf.neg:
        tensor = torch._neg_view(tensor)
    if leaf.requires_grad:
        tensor = tensor.detach().requires_grad_()
        if not leaf.is_leaf:
            tensor = tensor.view_as(tensor)
    return tensor


class _Copier:
    def __init__(self, device_type):
        self.device_type = device_type
        self.known = {}

    def leaf(self, value):
        if isinstance(value, torch.Tensor):
            return self.view(value)
        if isinstance(value, torch.device) and value.type == self.device_type:
            return Place(False, value.index)
        if isinstance(value, str) and value.split(":")[0] == self.device_type:
            return Place(True, None)
        if isinstance(value, (torch.Generator, torch.UntypedStorage, torch.TypedStorage)):
            raise NotCopied(type(value).__name__)
        return value

    def view(self, tensor):
        if tensor.layout != torch.strided or type(tensor) not in (torch.Tensor, torch.nn.Parameter):
            raise NotCopied(f"{type(tensor).__name__}, {tensor.layout}")
        if tensor.is_quantized or tensor.is_nested or tensor.device.type == "meta":
            raise NotCopied("quantized, nested or meta tensor")
        conj, neg = tensor.is_conj(), tensor.is_neg()
        plain = tensor.detach()
        plain = torch._neg_view(plain) if neg else plain
        plain = plain.conj() if conj else plain
        return View(self.stored(plain), tuple(plain.shape), plain.stride(), plain.storage_offset(),
                    plain.dtype, tensor.requires_grad, tensor.is_leaf, conj, neg)

    def stored(self, plain):
        key = (plain.untyped_storage()._cdata, plain.dtype)
        if key not in self.known:
            count = plain.untyped_storage().nbytes() // plain.element_size()
            if count > LARGEST:
                raise NotCopied(f"a storage of {count} elements")
            values = plain.as_strided((count,), (1,), 0)
            on_device = plain.device.type == self.device_type
            self.known[key] = Stored(values.cpu() if on_device else values.clone(), on_device)
        return self.known[key]


def copy(arguments, device_type):
    """Copies of (args, kwargs); None when none of them is on the device or names it."""
    leaves, tree = tree_flatten(arguments)
    if not any(_is_of(leaf, device_type) for leaf in leaves):
        return None
    copier = _Copier(device_type)
    copied = [copier.leaf(leaf) for leaf in leaves]
    return Copies(copied, tree, list(copier.known.values()))


def _is_of(leaf, device_type):
    if isinstance(leaf, torch.Tensor):
        return leaf.device.type == device_type
    if isinstance(leaf, torch.device):
        return leaf.type == device_type
    return isinstance(leaf, str) and leaf.split(":")[0] == device_type
