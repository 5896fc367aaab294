# SPDX-License-Identifier: BSD-3-Clause
"""Which operand of which operator was on which device, in a call of operands on several. Called by test_operands.py."""

import contextlib

import torch
from torch.utils._python_dispatch import TorchDispatchMode

MOVES = ("copy", "to_copy", "_copy_from", "_to_copy")  # take two devices by their nature


class _Places(TorchDispatchMode):
    """Remembers the first operator that was given tensors of several devices."""

    name = places = None

    def __torch_dispatch__(self, operator, kinds, given=(), named=None):
        places = dict(_places(operator, given, named or {}))
        if self.name is None and len(set(places.values())) > 1 and operator._schema.name.partition("::")[2].rstrip("_") not in MOVES:
            self.name, self.places = f"{operator._schema.name}.{operator._overloadname}".removesuffix(".default"), places
        return operator(*given, **(named or {}))


def _places(operator, given, named):
    """"condition", its device; "tensors[1]" of a list."""
    arguments = [*zip((one.name for one in operator._schema.arguments), given, strict=False), *named.items()]
    for name, value in arguments:
        if isinstance(value, torch.Tensor):
            yield name, value.device
        elif isinstance(value, (list, tuple)):
            yield from ((f"{name}[{i}]", one.device) for i, one in enumerate(value) if isinstance(one, torch.Tensor))


def mixed_call(call, given):
    """("aten::where.self", "condition on foo:0, self on foo:0, other on cpu") of the call, made once more; None, "" where
    no operator below it is given tensors of several devices."""
    with contextlib.suppress(Exception), _Places() as seen:
        call(*given)
    return seen.name, ", ".join(f"{name} on {device}" for name, device in (seen.places or {}).items())
