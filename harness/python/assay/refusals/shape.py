# SPDX-License-Identifier: BSD-3-Clause
"""Recognizes a refusal by its shape and not by its words. The shape is the type of the exception and the code that
raised it. PyTorch and Python raise some types for something absent or not allowed. Called by case.py and by checks;
native checks have refusal.c.

If the words name the means, that name is used (words.py). Otherwise the means is named after the refused call.
"""

import ast
import dis
import functools
import linecache
import re
import sysconfig
import unittest
from pathlib import Path

import torch
from assay import places
from assay.refusals import absences, words as refused_words

SUITES = str(places.data() / "suites")
PACKAGE = str(Path(places.__file__).resolve().parent)
TORCH = str(Path(torch.__file__).resolve().parent)
STANDARD = sysconfig.get_paths()["stdlib"]
RAISES = frozenset(dis.opmap[name] for name in ("RAISE_VARARGS", "RERAISE"))
LONGEST_NAME = 80
OPERATOR = re.compile(r"(\baten::\w+)(?:\.(\w+))?")
KEYS = ("PrivateUse1", "CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")

# If an operator complains about the size of its own result, the operator computed a wrong size: PyTorch resizes every
# output, or gives it the size of the result. "expected out.sizes() == [3], but got [2]" is therefore a wrong answer.
WRONG_RESULT = re.compile(
    r"\bexpected\b[^\n]{0,40}\b(?:out|outputs?|results?)\b[^\n]{0,20}\b(?:sizes?|shapes?|numel|strides?|dims?)\b[^\n]*\bbut\b", re.IGNORECASE)
# C++ code that refuses a dtype may raise a TypeError that names the dtype, as MPS does for float64. If the message begins
# with a call, such as "add(): argument", PyTorch's argument parser or Python raised the TypeError.
REFUSED_DTYPE = re.compile(
    r"(?!\w+\(\))[^\n]*\b(?:dtype|(?:b?float|complex|u?int)\d+|U?Int\d*|Byte|Char|Short|Long|Bool|Half|BFloat16|Float|Double"
    r"|Complex(?:Half|Float|Double))\b")
# Subclasses of RuntimeError that are not refusals: they report a failed device or program.
TROUBLE = (RecursionError, torch.OutOfMemoryError, getattr(torch, "AcceleratorError", RecursionError))


def is_refusal(error):
    """True if the exception reports that something is absent or not allowed, and is not an accidental error."""
    if not isinstance(error, Exception) or isinstance(error, (unittest.SkipTest, *TROUBLE)):
        return False
    if "INTERNAL ASSERT FAILED" in str(error):
        return absences.means_of(str(error)) is not None
    if isinstance(error, NotImplementedError):
        return True
    if WRONG_RESULT.search(str(error)):
        return False
    frame = _innermost(error)
    if frame is None:
        return isinstance(error, RuntimeError)
    if isinstance(error, RuntimeError):
        return not _is_by(frame, STANDARD) and not (_is_raised(frame) and _is_ours(frame))
    if isinstance(error, (ValueError, TypeError, AttributeError)):
        return _is_said(error, frame)
    return False


def _is_said(error, frame):
    """True if a `raise` statement of the backend or of PyTorch raised the error, or if C++ code that a suite or PyTorch
    called raised a ValueError or refused a dtype."""
    if _is_by(frame, STANDARD):
        return False
    if _is_raised(frame):
        return not _is_ours(frame)
    is_said = type(error) is ValueError or type(error) is TypeError and REFUSED_DTYPE.match(str(error)) is not None
    return is_said and (_is_ours(frame) or _is_by(frame, TORCH))


def means_of(error, device_module):
    """The means that the exception or text refuses, or None if it is not a refusal.

    A text has no shape. So only its words decide: they must name a means, or an operator without a kernel.
    """
    text = str(error)
    named = refused_words.refused_means(text) or refused_words.missing_in_module(text, device_module)
    named = named or lacking_operator(text)
    if named or isinstance(error, str):
        return named
    return (operator_in(text) or call_of(error)) if is_refusal(error) else None


def operator_in(text):
    """The operator that the first line of a refusal names. The operator in the text is preferred to the call in the
    stack, because a later call may raise the refusal."""
    found = OPERATOR.search(text.partition("\n")[0])
    return found[1] if found else None


def lacking_operator(text):
    """The operator that the first line names, if it has neither a kernel of the backend nor a composite form."""
    found = OPERATOR.search(text.partition("\n")[0])
    if not found or "INTERNAL ASSERT" in text:
        return None
    form = ".".join(filter(None, found.groups()))
    forms = [form] if form in operators() else [name for name in operators() if name.startswith(f"{found[1]}.")]
    return None if not forms or any(map(is_served, forms)) else found[1]


@functools.cache
def operators():
    return frozenset(torch._C._dispatch_get_all_op_names())


def is_served(operator):
    return any(torch._C._dispatch_has_kernel_for_dispatch_key(operator, key) for key in KEYS)


def call_of(error):
    """The refused call as the suite writes it, such as `torch.pinverse`."""
    frames = [one for one in _frames(error) if _is_ours(one)]
    checks = [one for one in frames if Path(one.tb_frame.f_code.co_filename).name.startswith("test_")]
    return _source_of((checks or frames)[-1])[:LONGEST_NAME] if frames else "a call of the check"


# ---- frames ----------------------------------------------------------------------------------------


def _frames(error):
    trace, frames = error.__traceback__, []
    while trace is not None:
        frames.append(trace)
        trace = trace.tb_next
    return frames


def _innermost(error):
    return (_frames(error) or [None])[-1]


def _is_by(frame, folder):
    file = frame.tb_frame.f_code.co_filename
    if folder is STANDARD and (file.startswith("<frozen") or "site-packages" in file):
        return file.startswith("<frozen")
    return file.startswith(folder)


def _is_ours(frame):
    """True if the code belongs to these suites or a vendor's suites. The host gives their modules such names."""
    name = frame.tb_frame.f_globals.get("__name__") or ""
    return _is_by(frame, SUITES) or _is_by(frame, PACKAGE) or name.startswith("assay_suite_")


def _is_raised(frame):
    return frame.tb_frame.f_code.co_code[frame.tb_lasti] in RAISES


def _source_of(frame):
    """The source of the call on that line, or the whole line if Python does not record columns (before 3.11)."""
    code, line = frame.tb_frame.f_code, frame.tb_lineno
    whole = linecache.getline(code.co_filename, line).strip()
    if not hasattr(code, "co_positions"):
        return whole
    first, last, begin, end = list(code.co_positions())[frame.tb_lasti // 2]
    if None in (first, last, begin, end):
        return whole
    lines = [linecache.getline(code.co_filename, number).encode() for number in range(first, last + 1)]
    lines[-1] = lines[-1][:end]
    lines[0] = lines[0][begin:]
    try:
        tree = ast.parse(b"".join(lines).decode().strip(), mode="eval").body
    except SyntaxError:
        return whole
    return ast.unparse(tree.func if isinstance(tree, ast.Call) else tree)
