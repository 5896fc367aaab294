# SPDX-License-Identifier: BSD-3-Clause
"""Whether the backend has a fallback that computes what it has no kernel for.

Behind one no plain call is refused: an operator without a kernel is computed, and a kernel that takes less passes the rest
on (OPS-077). A clear RuntimeError there is a kernel's that broke. Called by asking.py and by checks of the fallback.
"""

import contextlib
import functools

import torch

# Operators that few have a kernel for.
RARE = {"aten::i0.out": torch.i0, "aten::lgamma.out": torch.lgamma, "aten::erfinv.out": torch.erfinv}
PLAIN = {torch.float32, torch.int64, torch.bool}
MOST_DIMS = 5


def is_plain(tensor):
    """Such as every kernel takes."""
    return tensor.dtype in PLAIN and tensor.dim() <= MOST_DIMS and tensor.layout is torch.strided and tensor.is_contiguous()


def has_kernel(operator):
    return torch._C._dispatch_has_kernel_for_dispatch_key(operator, "PrivateUse1")


def refusal(case):
    """The words of the backend where it has no kernel; None where its fallback serves, or it has a kernel for everything."""
    said = None
    for call in (call for operator, call in RARE.items() if not has_kernel(operator)):
        try:
            call(case.on_device(torch.zeros(2)))
            return None
        except (RuntimeError, NotImplementedError) as error:
            said = str(error).split("\n")[0]
    return said


@functools.cache
def serves(device):
    """A rare operator that has no kernel comes out as on the CPU. Tensors of a class of their own are left out: of these core
    itself refuses what it knows only of plain ones, such as tolist()."""
    given = torch.tensor([0.25, 0.5])
    with contextlib.suppress(Exception):
        there = given.to(device)
        for operator, call in RARE.items():
            if not has_kernel(operator):
                return type(there) is torch.Tensor and torch.allclose(call(there).cpu(), call(given))
    return False


def is_broken(case, error):
    """Whether a plain call that raised this has not refused: nothing in its words says so, and the fallback was there."""
    return not isinstance(error, NotImplementedError) and not case.refused_means(str(error)) and serves(case.device)
