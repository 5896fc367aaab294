# SPDX-License-Identifier: BSD-3-Clause
"""Classifies one call of a watched program that raised an exception: whether the device refused it, and what the CPU
does with the same inputs.

Called by the watcher inside the program (assay/watcher/mode.py). A refusal is recognised as in the checks
(refusals.py). If a working fallback exists, an exception in a plain call is not a refusal (behind_fallback.py).
"""

import torch
from assay.refusals import behind_fallback, shape as refusals
from assay.watcher.comparison import inputs

# Exceptions that a call may raise, without alarms and exceptions that end a program.
OF_A_CALL = (RuntimeError, ValueError, TypeError, LookupError, AttributeError, AssertionError)


class _Case:
    """Provides the part of the interface of a check that behind_fallback.py needs."""

    def __init__(self, device):
        self.device, self.module = device, getattr(torch, device, None)

    def refused_means(self, text):
        return refusals.means_of(text, self.module)


def is_refusal(error, given, device, copies=False):
    """True if the device refused the call. `given` are its arguments, `device` is the name of the device, and `copies`
    is set if the call is a copy. False for a failed copy of plain numbers."""
    case = _Case(device)
    if refusals.means_of(error, case.module) is None:
        return False
    broken = copies and not isinstance(error, NotImplementedError) or behind_fallback.is_broken(case, error)
    return not (is_plain(given) and broken)


def is_plain(given):
    """True if any backend with the operator, or with a fallback, must accept the call."""
    return all(type(one) in (torch.Tensor, torch.nn.Parameter) and behind_fallback.is_plain(one) for one in inputs(given))


def why_unasked(error):
    """The reason why an exception does not concern the operator, or None."""
    if isinstance(error, torch.OutOfMemoryError):
        return "the device is out of memory"
    return None if isinstance(error, OF_A_CALL) else f"ended by {type(error).__name__}"


def cpu_error(one):
    """The exception that the same call raises on the CPU, or None. `one` is a ComparedView or Compared. The program's
    random state is not changed."""
    state = torch.get_rng_state()
    try:
        one.called_on_cpu()
    except Exception as error:
        return error
    finally:
        torch.set_rng_state(state)
    return None


def in_words(error, late, given=()):
    """`given` are the arguments if the call requires all of them on one device."""
    when = " while assay waited for its results" if late else ""
    words = f"raised {type(error).__name__}{when}, the CPU does not: {str(error).splitlines()[0] if str(error) else ''}"[:500]
    return words + (elsewhere(inputs(given)) if "device" in words else "")


def elsewhere(tensors):
    """The CPU tensors of a call that also has device tensors. Plain numbers may be on the CPU."""
    left = [str(number) for number, one in enumerate(tensors) if one.is_cpu and one.dim()]
    if not left or all(one.is_cpu for one in tensors):
        return ""
    return f"; its input {', '.join(left)} is on the CPU: the program or an earlier operator created it there"
