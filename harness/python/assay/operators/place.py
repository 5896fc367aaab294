# SPDX-License-Identifier: BSD-3-Clause
"""Where an operator ran: which overloads a call dispatched to, and which kernel the dispatcher has for each of them."""

import torch
from assay.values.trees import tensors
from torch.utils._python_dispatch import TorchDispatchMode

BACKEND = "PrivateUse1"
STRUCTURED = "CompositeExplicitAutogradNonFunctional"
COMPOSITE = ("CompositeExplicitAutograd", STRUCTURED, "CompositeImplicitAutograd")
ORDER = ("native", "composite", "fallback")  # the place of a call is the last of these among its overloads


class Seen(TorchDispatchMode):
    """Collects the overloads that a call dispatches to below autograd. With a device, only those that use the device."""

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
    """The overload that takes the same arguments and writes the result into out=. None if there is none. For add_ it
    is the out= overload of add."""
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
    """"native": a kernel of the backend. "composite": PyTorch composes the operator from others. "fallback": the
    backend's fallback. An operator that PyTorch builds on its own out= form has the place of that form."""
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
