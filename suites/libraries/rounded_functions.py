# SPDX-License-Identifier: BSD-3-Clause
"""A CPU run in which functions such as exp and sin round differently. No implementation rounds these functions exactly.

The run shows how much a model amplifies such errors: a sine of a thousand can turn one rounding into an error of a
ten-thousandth. Used in CPU runs with changed inputs, see assay/programs/run.py.
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
    """A context manager for the program. Does nothing if `place` does not change inputs."""
    return Rounded(place) if place.moves is not None else contextlib.nullcontext()
