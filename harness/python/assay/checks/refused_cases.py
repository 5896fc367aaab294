# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a device refuses each call that PyTorch refuses on the CPU, and that a refused call changes nothing.

The CPU runs each case first. A case that the CPU accepts is not tested. If the CPU only lacks the operation, the device
may compute the result or raise an exception, but the process must not die. An asynchronous device may raise at the next
synchronisation.

    ask_refused(self, {"mm of a vector": lambda to, kept: torch.mm(to(torch.ones(3, 4)), to(torch.ones(4)))})

`to` copies a tensor to the device. `kept` marks a tensor that the call must not change.
"""

from assay.checks import late
from assay.checks.asking import each


class Kept:
    """Holds the tensors that a call could write into, and their values before the call."""

    def __init__(self):
        self.there = []

    def __call__(self, tensor):
        self.there.append((tensor, tensor.cpu().clone()))
        return tensor


def refused_by_cpu(call, *arguments):
    """The CPU's exception, or None if the CPU accepts the call."""
    try:
        call(*arguments)
    except Exception as error:
        return error
    return None


def expect_refused(case, name, seen, wanted):
    what = f"{name} is refused, as on the CPU with {type(wanted).__name__}"
    if seen is None and isinstance(wanted, NotImplementedError):
        return
    if case.expect_true(seen is not None, what, "the call was accepted"):
        told = f"raised {type(seen).__name__}: {str(seen).splitlines()[:1]}"
        case.expect_true("INTERNAL ASSERT" not in str(seen), what, told)


def ask_refused(case, table):
    for name, call, one in each(case, table):
        wanted = refused_by_cpu(call, lambda tensor: tensor, lambda tensor: tensor)
        if wanted is None:
            continue
        with one:
            kept = Kept()
            seen = late.raised(case.device, call, case.on_device, kept)
            expect_refused(case, name, seen, wanted)
            if seen is None and isinstance(wanted, NotImplementedError):
                continue  # the device may support an operation that the CPU lacks
            for tensor, before in kept.there:
                case.expect_tensor(tensor, before, f"{name} changes nothing when the call is refused")
