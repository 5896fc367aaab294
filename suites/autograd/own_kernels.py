# SPDX-License-Identifier: BSD-3-Clause
"""Composite operators for which the backend has its own kernel, and calls of them.

Such a kernel replaces the decomposition and also the gradient of the decomposition. A sample is used only if the CPU
can compute it without random numbers and can differentiate the result.
"""

import torch

NUMBERS = {"int": 1, "SymInt": 1, "float": 0.5, "number": 2, "bool": False, "int[]": [4], "List[int]": [4]}


def own_composite_operators():
    """Names and overloads of operators with a kernel of the backend, a decomposition in PyTorch, and no
    AutogradPrivateUse1 formula."""
    has = torch._C._dispatch_has_kernel_for_dispatch_key
    for name in sorted(torch._C._dispatch_get_registrations_for_dispatch_key("PrivateUse1")):
        if name.startswith("aten::") and has(name, "CompositeImplicitAutograd") and not has(
            name, "AutogradPrivateUse1"
        ):
            packet, _, overload = name.removeprefix("aten::").partition(".")
            yield name, getattr(getattr(torch.ops.aten, packet), overload or "default")


def sample_of(operator):
    """Returns a function of two 4 x 4 matrices that calls `operator`, or None if the arguments of `operator` are of
    unknown types."""
    places = []
    for argument in operator._schema.arguments:
        kind = str(argument.type)
        if kind == "Tensor" and sum(place is None for place in places) < 2:
            places.append(None)
        elif argument.has_default_value():
            break
        elif kind in NUMBERS:
            places.append(NUMBERS[kind])
        else:
            return None

    def call(*matrices):
        given = iter(matrices)
        return operator(*(next(given) if place is None else place for place in places))

    usable = None in places and not operator._schema.is_mutable
    return call if usable and _is_clear_on_cpu(call) else None


def _is_clear_on_cpu(call):
    def attempt():
        x = torch.linspace(-1, 1, 16).reshape(4, 4).requires_grad_()
        result = call(x, (x.detach() + 2).requires_grad_())
        result.square().sum().backward()
        return x.grad

    try:
        first, second = attempt(), attempt()
        return first is not None and torch.equal(first, second)
    except Exception:  # any exception: the operator has no usable sample
        return False
