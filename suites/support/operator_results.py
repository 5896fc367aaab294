# SPDX-License-Identifier: BSD-3-Clause
"""What an operator gave on the device beside what it gave on the CPU: the first difference in words.

Results are trees of tensors and plain values. Values are compared on the CPU.
"""

import copy

import torch
from judge_results import resolved_on_cpu
from operator_samples import leaves, word
from torch.testing._comparison import default_tolerances

ROUNDINGS = 8  # times the tolerance that torch.testing has for one rounding


class Tolerance:
    """How near is near enough for this operator: torch's own, or what its OpInfo allows, if that is more."""

    def __init__(self, operator):
        self.allowed, self.of_largest = {}, False
        for entry in operator.decorators:
            for decorator in getattr(entry, "decorators", [entry]):
                for dtype, bound in getattr(decorator, "d", {}).items():
                    self.allow(dtype, *((bound.rtol, bound.atol) if hasattr(bound, "rtol") else (0, bound)))

    def allow(self, dtype, relative, absolute):
        before = self.allowed.get(dtype, (0, 0))
        self.allowed[dtype] = (max(before[0], relative), max(before[1], absolute))

    def by_largest(self):
        """For long computations: relative to the largest element instead of each."""
        wide = copy.copy(self)
        wide.of_largest = True
        return wide

    def of(self, dtype):
        relative, absolute = default_tolerances(dtype)
        mine = self.allowed.get(dtype, (0, 0))
        return max(relative * ROUNDINGS, mine[0]), max(absolute * ROUNDINGS, mine[1])


def _values(seen, expected, tolerance):
    if expected.dtype is torch.complex32:  # the CPU cannot compare them
        seen, expected = seen.to(torch.complex64), expected.to(torch.complex64)
    if expected.is_quantized:
        seen, expected = seen.int_repr(), expected.int_repr()
    if torch.equal(seen, expected):
        return None
    if expected.is_floating_point() or expected.is_complex():
        relative, absolute = tolerance.of(expected.dtype)
        if tolerance.of_largest:
            absolute += relative * expected.abs().nan_to_num(0, 0, 0).max().item()
        near = torch.isclose(seen, expected, rtol=relative, atol=absolute, equal_nan=True)
    else:
        near = seen == expected
    if near.all():
        return None
    wrong = (~near).reshape(-1).nonzero().reshape(-1)
    at = int(wrong[0])
    left, right = seen.reshape(-1)[at].item(), expected.reshape(-1)[at].item()
    return f"element {at} is {left!r}, expected {right!r}; {len(wrong)} of {near.numel()} elements differ"


def _tensor(seen, expected, place, tolerance, by_value):
    if place is not None and seen.device != place and not (expected.device.type == seen.device.type == "meta"):
        return f"the result is on {seen.device}, expected {place}"
    if seen.dtype != expected.dtype or seen.shape != expected.shape:
        return (f"got {str(seen.dtype)[6:]}{list(seen.shape)}, "
                f"expected {str(expected.dtype)[6:]}{list(expected.shape)}")
    return _values(resolved_on_cpu(seen), resolved_on_cpu(expected), tolerance) if by_value else None


def _leaf(seen, expected, place, tolerance, by_value):
    if isinstance(expected, torch.Tensor) and isinstance(seen, torch.Tensor):
        return _tensor(seen, expected, place, tolerance, by_value)
    if isinstance(expected, torch.Tensor) or isinstance(seen, torch.Tensor):
        return f"got {word(seen)}, expected {word(expected)}"
    if isinstance(expected, (torch.device, torch.Generator)) or not by_value:
        return None
    if isinstance(expected, float) and isinstance(seen, float):
        pair = torch.tensor(seen), torch.tensor(expected)
        return _values(*pair, tolerance)
    return None if seen == expected else f"got {word(seen)}, expected {word(expected)}"


class Named(dict):
    """What is compared part by part; a difference is told with the name of the part."""


def difference(seen, expected, place, tolerance, by_value=True):
    """The first difference in words; None when they agree. `place`: where results must be, or None."""
    if isinstance(expected, Named):
        for name, part in expected.items():
            said = difference(seen[name], part, place, tolerance, by_value)
            if said:
                return f"{name}: {said}"
        return None
    left, right = leaves(seen), leaves(expected)
    if len(left) != len(right):
        return f"got {len(left)} results, expected {len(right)}"
    for number, pair in enumerate(zip(left, right)):
        said = _leaf(*pair, place, tolerance, by_value)
        if said:
            return said if len(left) == 1 else f"number {number}: {said}"
    return None
