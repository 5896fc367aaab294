# SPDX-License-Identifier: BSD-3-Clause
"""Finds, for a call with operands on several devices, which operand of which operator was on which device. Called by
test_operands.py."""

import contextlib

import torch
from torch.utils._python_dispatch import TorchDispatchMode

MOVES = ("copy", "to_copy", "_copy_from", "_to_copy")  # these operators use two devices by definition


class _Places(TorchDispatchMode):
    """Records the first operator that was called with tensors of several devices."""

    name = places = None

    def __torch_dispatch__(self, operator, kinds, given=(), named=None):
        places = dict(_places(operator, given, named or {}))
        if self.name is None and len(set(places.values())) > 1 and operator._schema.name.partition("::")[2].rstrip("_") not in MOVES:
            self.name, self.places = f"{operator._schema.name}.{operator._overloadname}".removesuffix(".default"), places
        return operator(*given, **(named or {}))


def _places(operator, given, named):
    """Yields the name of each tensor argument and its device. For a tensor in a list, the name is like "tensors[1]"."""
    arguments = [*zip((one.name for one in operator._schema.arguments), given, strict=False), *named.items()]
    for name, value in arguments:
        if isinstance(value, torch.Tensor):
            yield name, value.device
        elif isinstance(value, (list, tuple)):
            yield from ((f"{name}[{i}]", one.device) for i, one in enumerate(value) if isinstance(one, torch.Tensor))


def mixed_call(call, given):
    """Repeats the call and returns for example ("aten::where.self", "condition on foo:0, self on foo:0, other on
    cpu"). Returns (None, "") if no operator below the call had tensors of several devices."""
    with contextlib.suppress(Exception), _Places() as seen:
        call(*given)
    return seen.name, ", ".join(f"{name} on {device}" for name, device in (seen.places or {}).items())
