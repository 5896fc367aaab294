# SPDX-License-Identifier: BSD-3-Clause
"""Bounds the error of a sum in a 16-bit dtype by the size of its terms. Called by judge.py.

A kernel adds in float32 and rounds once. The judge's other tolerances grow with a rounding of the inputs. In 16 bits,
this rounding is far larger than the error of such a sum, so partial sums in 16 bits would pass.
"""

from assay.values.own_torch import torch
from torch.utils._python_dispatch import TorchDispatchMode

# The roundings of the 16-bit dtype that each sum may have. The half of one is due to the result. A mean may be rounded
# before and after its division. addmm and similar operators are left out, because a backend may round the product and
# the sum.
SUMS = {"sum": 0.75, "nansum": 0.75, "mm": 0.75, "bmm": 0.75, "mv": 0.75, "dot": 0.75, "mean": 1.25}
# Operators that change no number.
COPIES = {
    "alias", "as_strided", "clone", "copy_", "detach", "empty", "empty_like", "empty_strided", "expand", "full_like", "permute",
    "_reshape_alias", "select", "slice", "squeeze", "t", "_to_copy", "transpose", "_unsafe_view", "unsqueeze", "view",
}


class _Sizes(TorchDispatchMode):
    """Adds the absolute values of the terms in place of the terms."""

    def __init__(self):
        super().__init__()
        self.sums, self.others = [], set()

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        name = function._schema.name.removeprefix("aten::")
        if name not in SUMS:
            self.others.add(name)
            return function(*arguments, **named or {})
        self.sums.append(name)
        return function(*(one.abs() if isinstance(one, torch.Tensor) else one for one in arguments), **named or {})


def size(call):
    """Returns the sum of the absolute values of all terms, for each element of call(), and the roundings that this sum
    may have. call() computes in double. Returns None if call() is not one sum."""
    with _Sizes() as seen:
        result = call()
    return (result, SUMS[seen.sums[0]]) if len(seen.sums) == 1 and seen.others <= COPIES else None


def wrong(seen, cpu, double, sizes, roundings, error):
    """The elements of `seen` whose error is larger than the error of a sum in float32. None if the CPU's error is
    larger too. `seen`, `double` and `sizes` are in double. `error` is the error of a sum in float32, relative to
    `sizes`."""
    info = torch.finfo(cpu.dtype)
    allowed = roundings * info.eps * double.abs() + error * sizes + info.smallest_normal
    is_off = [((one.double() - double).abs() > allowed) & one.isfinite() & double.isfinite() for one in (seen, cpu)]
    return None if is_off[1].any() or not is_off[0].any() else is_off[0]
