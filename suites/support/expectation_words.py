# SPDX-License-Identifier: BSD-3-Clause
"""Words of a Python expectation that was violated: values, the first difference, the line of the check. Used by assay.py."""

import os
import sys

import torch


def as_tuple(kinds):
    return kinds if isinstance(kinds, tuple) else (kinds,)


def short(value):
    """Words for a value. Never prints what is on the device: that runs operators of the backend."""
    if isinstance(value, torch.Tensor):
        return f"a {value.dtype} tensor of shape {tuple(value.shape)} on {value.device}"
    if isinstance(value, (torch.UntypedStorage, torch.TypedStorage)):
        return f"a storage of {value.nbytes()} bytes on {value.device}"
    if isinstance(value, (list, tuple)) and any(isinstance(one, torch.Tensor) for one in value):
        return f"{type(value).__name__} of {', '.join(map(short, value))}"
    text = " ".join(repr(value).split())
    return text if len(text) < 200 else text[:200] + "..."


def first_difference(seen, expected):
    unequal = (seen != expected) & ~((seen != seen) & (expected != expected))
    where = unequal.reshape(-1).nonzero().reshape(-1)
    if where.numel() == 0:
        return "values differ"
    index = int(where[0])
    left, right = seen.reshape(-1)[index].item(), expected.reshape(-1)[index].item()
    return (
        f"element {index} is {left!r}, expected {right!r}; "
        f"{where.numel()} of {seen.numel()} elements differ"
    )


def line_of_check():
    """File and line of the innermost frame in a test_*.py."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if os.path.basename(file).startswith("test_"):
            return "/".join(file.split(os.sep)[-3:]), frame.f_lineno
        frame = frame.f_back
    return None, 0
