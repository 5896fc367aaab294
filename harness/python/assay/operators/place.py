# SPDX-License-Identifier: BSD-3-Clause
"""Finds where an operator ran: the overloads to which a call dispatched, and the kernel of each overload."""

import torch
from assay.values.trees import tensors
from torch.utils._python_dispatch import TorchDispatchMode

BACKEND = "PrivateUse1"
STRUCTURED = "CompositeExplicitAutogradNonFunctional"
COMPOSITE = ("CompositeExplicitAutograd", STRUCTURED, "CompositeImplicitAutograd")
ORDER = ("native", "composite", "fallback")  # if the overloads of a call have several places, the last one in this order counts


class Seen(TorchDispatchMode):
    """Collects the overloads to which a call dispatches below autograd. With a device, only overloads that use it
    count."""

    def __init__(self, place=None):
        super().__init__()
        self.place, self.overloads = place, {}

    def _is_there(self, given):
        return any(one.device == self.place for one in tensors(given))

    def __torch_dispatch__(self, function, types, args=(), kwargs=None):
        result = function(*args, **(kwargs or {}))
        if self.place is None or self._is_there([list(args), kwargs or {}, result]):
            self.overloads[function.name()] = function
        return result

    @property
    def is_random(self):
        return any(torch.Tag.nondeterministic_seeded in one.tags for one in self.overloads.values())


def _has(overload, key):
    return torch._C._dispatch_has_kernel_for_dispatch_key(overload, key)


def _out_of(function):
    """The overload with the same arguments and out=, or None. For add_, it is the out= overload of add."""
    base = function._schema.name.split("::")[1].removesuffix("_")
    packet = getattr(getattr(torch.ops, function.namespace), base, function.overloadpacket)
    mine = [str(one.type) for one in function._schema.arguments]
    for name in packet.overloads():
        arguments = getattr(packet, name)._schema.arguments
        given = [str(one.type) for one in arguments if not one.is_out]
        if len(given) < len(arguments) and given == mine:
            return getattr(packet, name)
    return None


def place_of(function):
    """Returns "native" for a kernel of the backend, "composite" if PyTorch composes the operator from other operators,
    or "fallback" for the backend's fallback. If PyTorch builds an operator on its own out= form, the operator has the
    place of that form."""
    name = function.name()
    if _has(name, BACKEND):
        return "native"
    if _has(name, STRUCTURED):
        out = _out_of(function)
        return place_of(out) if out else "composite"
    return "composite" if any(_has(name, key) for key in COMPOSITE) else "fallback"


def places(overloads):
    return {name: place_of(function) for name, function in overloads.items()}


def worst(by_name):
    return max(by_name.values(), key=ORDER.index, default="composite")
