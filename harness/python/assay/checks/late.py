# SPDX-License-Identifier: BSD-3-Clause
"""Errors that come late: where a call returns before its work is done, the next synchronisation raises what is wrong
with it, rightly. A check that wants an exception waits for one before it says that the call was taken.

Called by assay.py and by checks. An error is told once: a device that says the same again, without any new work, cannot be
waited for, and says nothing of the call.
"""

import contextlib

import torch
from assay.checks import sample
from assay.refusals import shape as refusals


def waited(device):
    """The exception that waiting for the device raises, or None."""
    with _current_device_kept():
        return _told_by_waiting(device)


@contextlib.contextmanager
def _current_device_kept():
    """To wait is a means: what goes to the device that is waited for, and stays there, must not change the answer."""
    before = _current_index()
    try:
        yield
    finally:
        if before not in (None, _current_index()):
            with contextlib.suppress(Exception):
                torch.accelerator.set_device_index(before)


def _current_index():
    try:
        return torch.accelerator.current_device_index()
    except Exception:
        return None


def _told_by_waiting(device):
    for wait in (_by_core, _by_module, _by_a_copy):
        try:
            wait(device)
        except Exception as error:
            if _said_again(wait, device, error):
                continue
            return error
        else:
            if not _may_be_in_vain(wait, device):
                return None
    return None


def raised(device, call, *arguments):
    """The exception of a call, also one that comes when the device is waited for; None: it was taken."""
    settle(device)
    try:
        call(*arguments)
    except Exception as error:
        return error
    error = waited(device)
    return error if error is not None and is_of_the_call(error, device) else None


def settle(device):
    """Raises what went wrong before: it is not of the call that comes. It starts a device that nobody has used."""
    error = waited(device)
    if error is not None:
        raise error


def is_of_the_call(error, device):
    """Whether a late error says that what was ordered is not allowed: one of a device that failed over it is told in
    another way, or the device fails on."""
    if isinstance(error, refusals.TROUBLE) or "INTERNAL ASSERT" in str(error):
        return False
    try:
        _by_a_copy(device)
    except Exception:
        return False
    return True


def _may_be_in_vain(wait, device):
    """A function of the device module may be there and wait for nothing. Core waited, before 2.12, for no device whose module has no
    `_lazy_init`, and said nothing."""
    return wait is _by_module or (wait is _by_core and not hasattr(getattr(torch, device.type, None), "_lazy_init"))


def _said_again(wait, device, error):
    with contextlib.suppress(Exception):
        wait(device)
        return False
    return True


def _by_core(device):
    torch.accelerator.synchronize(device)


def _by_module(device):
    getattr(torch, device.type).synchronize()


def _by_a_copy(device):
    """Reads a number back, which comes after all that was ordered before it."""
    sample.known_kind().numbers(1, 0).to(device).cpu()
