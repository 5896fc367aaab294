# SPDX-License-Identifier: BSD-3-Clause
"""One call of a watched program that raised: whether the device has refused it, and what the CPU does with the same inputs.

Called by the watcher inside the program (assay/watcher/mode.py). A refusal is known as in the checks (refusals.py); behind
a fallback that serves, a plain call is none (behind_fallback.py).
"""

import torch
from assay.refusals import behind_fallback, shape as refusals
from assay.watcher.comparison import inputs

OF_A_CALL = (RuntimeError, ValueError, TypeError, LookupError, AttributeError, AssertionError)  # no alarm, no end of a program


class _Case:
    """Answers for a check what behind_fallback.py asks."""

    def __init__(self, device):
        self.device, self.module = device, getattr(torch, device, None)

    def refused_means(self, text):
        return refusals.means_of(text, self.module)


def is_refusal(error, given, device, copies=False):
    """Whether the device refused the call. `given`: its arguments; `device`: the name of the device; `copies`: the call is a
    copy, and a device that cannot copy plain numbers is none."""
    case = _Case(device)
    if refusals.means_of(error, case.module) is None:
        return False
    broken = copies and not isinstance(error, NotImplementedError) or behind_fallback.is_broken(case, error)
    return not (is_plain(given) and broken)


def is_plain(given):
    """A call that any backend takes that has the operator, or a fallback."""
    return all(type(one) in (torch.Tensor, torch.nn.Parameter) and behind_fallback.is_plain(one) for one in inputs(given))


def why_unasked(error):
    """Of an exception that says nothing of the operator, or None."""
    if isinstance(error, torch.OutOfMemoryError):
        return "the device is out of memory"
    return None if isinstance(error, OF_A_CALL) else f"ended by {type(error).__name__}"


def cpu_error(one):
    """The exception that the same call raises on the CPU, or None. `one`: a ComparedView or Compared; random numbers stay the
    program's."""
    state = torch.get_rng_state()
    try:
        one.called_on_cpu()
    except Exception as error:
        return error
    finally:
        torch.set_rng_state(state)
    return None


def in_words(error, late, given=()):
    """`given`: the arguments of a call that wants them in one place."""
    when = " when its results were waited for" if late else ""
    words = f"raised {type(error).__name__}{when}, the CPU does not: {str(error).splitlines()[0] if str(error) else ''}"[:500]
    return words + (elsewhere(inputs(given)) if "device" in words else "")


def elsewhere(tensors):
    """Which of them lie on the CPU beside others that do not; plain numbers may."""
    left = [str(number) for number, one in enumerate(tensors) if one.is_cpu and one.dim()]
    if not left or all(one.is_cpu for one in tensors):
        return ""
    return f"; its input {', '.join(left)} lies on the CPU: it is the program's, or an operator before it has left it there"
