# SPDX-License-Identifier: BSD-3-Clause
"""Compares many calls on the device with the CPU: values, dtype, shape, device, and the arguments after the call.

Each call runs with several arguments, and each argument in several layouts. Once the backend has computed a call for a
dtype, the other calls of that dtype are special cases: an exception in them is a failure, not a refusal. A call that
the CPU refuses is not tested.

    ask_values(self, {"mm": (torch.mm, [(numbers(3, 4), numbers(4, 5))])})
"""

import contextlib
import warnings
import zlib

import torch
from assay.checks.asking import Many
from assay.refusals import behind_fallback
from assay.values.judge import Reference, compare
from assay.values.trees import copied, is_plain, leaves, map_leaves, spread, word


def numbers(*shape, dtype=torch.float32, low=-3, high=3, seed=0):
    """The same numbers on each call, different for different shapes. Integers include both ends of the range."""
    draw = torch.Generator().manual_seed(zlib.crc32(repr((shape, str(dtype), seed)).encode()))
    if dtype is torch.bool:
        return torch.randint(0, 2, shape, generator=draw).bool()
    if dtype.is_complex:
        parts = torch.rand((*shape, 2), generator=draw, dtype=torch.float64) * (high - low) + low
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # complex32 is experimental, and PyTorch warns about it
            return torch.view_as_complex(parts).to(dtype)
    if not dtype.is_floating_point:
        least = max(low, torch.iinfo(dtype).min)
        return torch.randint(least, high + 1, shape, generator=draw).to(dtype)
    return (torch.rand(shape, generator=draw, dtype=torch.float64) * (high - low) + low).to(dtype)


def by_columns(tensor):
    """The same values with the last two dimensions exchanged in memory."""
    if not is_plain(tensor) or tensor.dim() < 2:
        return tensor
    return tensor.detach().transpose(-1, -2).contiguous().transpose(-1, -2)


LAYOUTS = {"": lambda one: one, "every second element of a row": spread, "column-major": by_columns}


def with_gradients(call):
    """A function that returns the results of the call and the gradients of all arguments that can have a gradient."""

    def asked(*given):
        inputs = [one for one in leaves(given) if isinstance(one, torch.Tensor) and may_have_gradient(one)]
        for one in inputs:
            one.requires_grad_()
        results = [one for one in leaves(call(*given)) if isinstance(one, torch.Tensor)]
        ends = [one for one in results if one.requires_grad]
        gradients = torch.autograd.grad(ends, inputs, [slope_like(one) for one in ends], allow_unused=True)
        return [one.detach() for one in results], list(gradients), [one.requires_grad for one in results]

    return asked


def written_to(function, dtype=None):
    """Returns the function with an out= tensor that holds other numbers before the call."""

    def call(*given):
        made = function(*given)
        out = torch.full_like(made, 9, dtype=dtype or made.dtype)
        back = function(*given, out=out)
        return out, back is out

    return call


def may_have_gradient(tensor):
    return tensor.is_floating_point() or tensor.is_complex()


def slope_like(result):
    """The gradient with which backward starts. All elements of the gradient are different."""
    slope = numbers(*result.shape, dtype=torch.float32, low=0.5, high=2, seed=7)
    return slope.to(result.dtype).to(result.device)


def ask_values(case, calls, layouts=LAYOUTS, gradients=False, places=None, family=None, plain=None):
    """`calls` maps a name to (function, tuples of arguments). A failure in one case does not stop the others. If the
    backend computes one call of a `family(name)`, it must compute all calls of that family for the same dtypes. By
    default each name is its own family. `plain(arguments)` is True if every backend with a fallback must accept the
    arguments; default is_plain_call."""
    many, served = Many(case), set()
    for name, (function, samples) in calls.items():
        call = with_gradients(function) if gradients else function
        for number, given in enumerate(samples):
            for place in places or case.devices[: 1 if number else 2]:
                for layout, arrange in layouts.items():
                    arguments = map_leaves(tuple(given), lambda one, arrange=arrange: arranged(one, arrange))
                    if layout and same_layout(arguments, given):
                        continue
                    title = f"{name} of {word(arguments)}{', ' + layout if layout else ''}"
                    with many.one(title, (plain or is_plain_call)(arguments) and not layout):
                        kind = family(name) if family else name, dtypes_of(arguments)
                        ask_one(case, title, call, arguments, place, kind, served, is_long=gradients)
    many.conclude()


def arranged(leaf, arrange):
    return arrange(leaf) if isinstance(leaf, torch.Tensor) else leaf


def same_layout(some, others):
    return all(
        one.stride() == other.stride()
        for one, other in zip(leaves(some), leaves(tuple(others)), strict=True)
        if isinstance(one, torch.Tensor)
    )


def is_plain_call(arguments):
    """True if all arguments have few dimensions and common dtypes. Every backend with a fallback must accept such
    arguments."""
    tensors = [one for one in leaves(arguments) if isinstance(one, torch.Tensor)]
    return all(one.dtype in behind_fallback.PLAIN and one.dim() < 6 and one.is_contiguous() for one in tensors)


def dtypes_of(arguments):
    return tuple(str(one.dtype) for one in leaves(arguments) if isinstance(one, torch.Tensor))


def coarsest(arguments):
    """The dtype in which the backend may compute the call, even if out= has a wider dtype. None if the call has no
    floating-point numbers."""
    floats = [one.dtype for one in leaves(arguments) if isinstance(one, torch.Tensor) and may_have_gradient(one)]
    return max(floats, key=lambda dtype: torch.finfo(dtype).eps, default=None)


def moved_to(place, arguments):
    return map_leaves(arguments, lambda one: copied(one, place) if isinstance(one, torch.Tensor) else one)


def differences(result, reference, place):
    """The differences from the reference. Compares quickly first, because most results are within a few roundings of
    the CPU's result and the full reference is expensive."""
    near = Reference(reference.cpu, terms=reference.terms, precision=reference.precision)
    return compare(result, near, place) and compare(result, reference, place)


def ask_one(case, title, call, arguments, place, kind, served, is_long=False):
    def on_cpu(*given):
        mine = moved_to("cpu", given)
        return call(*mine), mine

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            reference = Reference.of(on_cpu, arguments)
            reference.is_long, reference.precision = is_long, coarsest(arguments)
        except Exception:
            return
        given = moved_to(place, arguments)
        with case.asks_a_special_case() if kind in served else contextlib.nullcontext():
            result = call(*given), given
        served.add(kind)
        found = differences(result, reference, place)
    for difference in found[:1]:
        case.expect(False, f"{title} on {place} equals the CPU's result", with_part(str(difference), *result, is_long))


def with_part(words, called, given, has_gradients):
    """Replaces "number 3" by the name of the compared part, such as "gradient of tensor 1"."""
    number, colon, rest = words.partition(": ")
    if not colon or not number.startswith("number "):
        return words
    kinds = [("result", called)]
    if has_gradients:
        kinds = zip(("result", "gradient of tensor", "requires_grad of result"), called, strict=True)
    names = [f"{kind} {each}" for kind, part in (*kinds, ("argument", given)) for each in range(len(leaves(part)))]
    return f"{names[int(number.removeprefix('number '))]}: {rest}"
