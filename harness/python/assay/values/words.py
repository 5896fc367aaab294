# SPDX-License-Identifier: BSD-3-Clause
"""Makes the text of a violated Python expectation: values, the first difference, the line of the check."""

import os
import re
import sys

from assay import places
from assay.values.own_torch import torch

OURS = (str(places.data() / "suites") + os.sep, os.path.dirname(os.path.abspath(places.__file__)) + os.sep)
FEW = 8  # in a smaller tensor, the last elements may be the wrong ones by chance
LONGEST = 400  # a longer text is cut in the middle, because the end of a chain of errors states its cause


def as_tuple(kinds):
    return kinds if isinstance(kinds, tuple) else (kinds,)


def short(value):
    """A short text for a value. Device tensors are never printed, because printing runs operators of the backend."""
    if isinstance(value, torch.Tensor):
        return f"a {value.dtype} tensor of shape {tuple(value.shape)} on {value.device}"
    if isinstance(value, (torch.UntypedStorage, torch.TypedStorage)):
        return f"a storage of {value.nbytes()} bytes on {value.device}"
    if isinstance(value, (list, tuple)) and any(isinstance(one, torch.Tensor) for one in value):
        return f"{type(value).__name__} of {', '.join(map(short, value))}"
    text = " ".join(repr(value).split())
    return text if len(text) < LONGEST else f"{text[:LONGEST // 2]} ... {text[-LONGEST // 2:]}"


def without_dump(text):
    """PyTorch's error for a missing operator without the list of all kernels, because this list is two screens long."""
    return re.sub(r"(Could not run '[^']*' with arguments from the '\w+' backend)\. This could be because.*", r"\1", text, flags=re.DOTALL)


def error_words(error):
    """Type and text of an exception. If the exception hides another exception, as Python's SystemError does, the hidden
    exception is added as the reason. Addresses are removed."""
    text = re.sub(r" at 0x[0-9a-f]{6,}", "", str(error))
    hidden = error.__cause__
    return f"{type(error).__name__}: {text}" + (f", from {error_words(hidden)}" if hidden is not None else "")


def raised_by(error):
    """Returns for example " (raised by to, torch/storage.py:412)": the innermost Python line, or "" if that line
    belongs to the check."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    code = trace.tb_frame.f_code if trace else None
    if code is None or code.co_filename.startswith(OURS):
        return ""
    return f" (raised by {code.co_name}, {'/'.join(code.co_filename.split(os.sep)[-2:])}:{trace.tb_lineno})"


def first_difference(seen, expected):
    unequal = (seen != expected) & ~((seen != seen) & (expected != expected))
    where = unequal.reshape(-1).nonzero().reshape(-1)
    if where.numel() == 0:
        return "values differ"
    index = int(where[0])
    left, right = seen.reshape(-1)[index].item(), expected.reshape(-1)[index].item()
    return (
        f"element {index} is {left!r}, expected {right!r}; "
        f"{differing(where, seen.numel())}{all_zero(seen, expected)}"
    )


def differing(where, total):
    """`where` are the positions of the wrong elements, in order. If only the last elements are wrong, a loop over whole
    blocks may have skipped the last, incomplete block."""
    count = len(where)
    is_the_end = count < total > FEW and int(where[0]) == total - count
    return f"the last {count} of {total} elements differ" if is_the_end and count > 1 else f"{count} of {total} elements differ"


def all_zero(seen, expected):
    """Returns a remark if all results are 0, because a kernel that writes nothing may cause this."""
    is_it = seen.numel() > 1 and seen.dtype is not torch.bool and not seen.any() and bool(expected.any())
    return ", and all of it is 0" if is_it else ""


def line_of_check():
    """File and line of the innermost frame in a test_*.py."""
    frame = sys._getframe(1)
    while frame is not None:
        file = frame.f_code.co_filename
        if os.path.basename(file).startswith("test_"):
            return "/".join(file.split(os.sep)[-3:]), frame.f_lineno
        frame = frame.f_back
    return None, 0
