# SPDX-License-Identifier: BSD-3-Clause
"""A run whose functions round as another device's may: exp, sin and their like are right to a rounding nowhere but by chance.

How far that carries a model says itself: a sine of a thousand makes a ten-thousandth of it. For runs of the CPU that are moved, see
program_run.Run.
"""

import contextlib

from torch import Tensor
from torch.utils._python_dispatch import TorchDispatchMode

FUNCTIONS = {
    "_log_softmax", "_softmax", "cos", "erf", "exp", "exp2", "expm1", "gelu", "log", "log10", "log1p", "log2", "logsumexp", "pow", "rsqrt",
    "sigmoid", "silu", "sin", "softplus", "tan", "tanh",
}  # fmt: skip


class Rounded(TorchDispatchMode):
    def __init__(self, place):
        super().__init__()
        self.place = place

    def __torch_dispatch__(self, function, types, arguments=(), named=None):
        result = function(*arguments, **(named or {}))
        if function.overloadpacket.__name__.rstrip("_") in FUNCTIONS and isinstance(result, Tensor):
            result.copy_(self.place.moved(result))
        return result


def rounded(place):
    """Entered around the program; nothing where `place` moves nothing."""
    return Rounded(place) if place.moves is not None else contextlib.nullcontext()
