# SPDX-License-Identifier: BSD-3-Clause
"""Decides whether the backend has a fallback for operators without a kernel.

With a fallback, no plain call may be refused: the fallback computes operators without a kernel, and a kernel that does
not support some arguments passes such calls to the fallback (OPS-077). A clear RuntimeError then comes from a broken
kernel. Called by asking.py and by checks of the fallback.
"""

import contextlib
import functools

import torch
from assay.refusals import shape

# Operators for which few backends have a kernel.
RARE = {"aten::i0.out": torch.i0, "aten::lgamma.out": torch.lgamma, "aten::erfinv.out": torch.erfinv}
PLAIN = {torch.float32, torch.int64, torch.bool}
HELD = (torch.bool, torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64, torch.float16, torch.bfloat16, torch.float32,
        torch.float64, torch.complex64, torch.complex128)
MOST_DIMS = 5


def is_plain(tensor):
    """True if the tensor is one that every kernel accepts."""
    return tensor.dtype in PLAIN and tensor.dim() <= MOST_DIMS and tensor.layout is torch.strided and tensor.is_contiguous()


def has_kernel(operator):
    return torch._C._dispatch_has_kernel_for_dispatch_key(operator, "PrivateUse1")


def refusal(case):
    """The message with which the backend refuses an operator without a kernel, or None if the fallback computes the
    operator or if the backend has a kernel for every operator."""
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
    """True if a rare operator without a kernel gives the CPU's result. False for tensors of a subclass, because PyTorch
    itself refuses operations such as tolist() on them."""
    given = torch.tensor([0.25, 0.5])
    with contextlib.suppress(Exception):
        there = given.to(device)
        for operator, call in RARE.items():
            if not has_kernel(operator):
                return type(there) is torch.Tensor and torch.allclose(call(there).cpu(), call(given))
    return False


@functools.cache
def _words_for_dtypes(device):
    """The first lines with which the device refuses to hold tensors of some dtypes."""
    words = set()
    for dtype in HELD:
        try:
            torch.zeros(2, dtype=dtype).to(device)
        except Exception as error:
            words |= {first_line(error)} if shape.is_refusal(error) else set()
    return words


def first_line(error):
    return str(error).split("\n")[0]


def refuses_dtype(case, error):
    """True if the error says that the device does not hold tensors of a dtype. No fallback can compute such a call."""
    return first_line(error) in _words_for_dtypes(case.device)


def is_broken(case, error):
    """True if a plain call with this error is broken: the error is no clear refusal, and the fallback works."""
    return (not isinstance(error, NotImplementedError) and not case.refused_means(str(error)) and serves(case.device)
            and not refuses_dtype(case, error))
