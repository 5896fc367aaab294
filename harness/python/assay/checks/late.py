# SPDX-License-Identifier: BSD-3-Clause
"""Handles errors that a device reports late. If a call returns before its work is done, the next synchronisation may
raise the error of that work. So a check that expects an exception synchronises before it reports that the device
accepted the call.

Called by case.py and by checks. A device reports each error once. If a device repeats an error without new work, the
call is not the cause of the error.
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
    """Restores the current device after the block. The wait is only a means: if it changes the current device, the
    result of the check must not change."""
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
    """Returns the exception of a call, raised immediately or at the next wait, or None if the device accepts the
    call."""
    settle(device)
    try:
        call(*arguments)
    except Exception as error:
        return error
    error = waited(device)
    return error if error is not None and is_of_the_call(error, device) else None


def settle(device):
    """Raises an error of earlier work, so that it is not attributed to the next call. Also starts an unused device."""
    error = waited(device)
    if error is not None:
        raise error


def is_of_the_call(error, device):
    """True if the late error belongs to the call. If the device itself has failed, the error has another type, or the
    next copy from the device also fails."""
    if isinstance(error, refusals.TROUBLE) or "INTERNAL ASSERT" in str(error):
        return False
    try:
        _by_a_copy(device)
    except Exception:
        return False
    return True


def _may_be_in_vain(wait, device):
    """True if this wait may do nothing: the device module may have an empty synchronize(). Before 2.12, PyTorch itself
    did not wait for a device whose module has no `_lazy_init`."""
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
    """Reads a number back. The copy comes after all work that was enqueued before it."""
    sample.known_kind().numbers(1, 0).to(device).cpu()
