# SPDX-License-Identifier: BSD-3-Clause
"""Errors that come late: where a call returns before its work is done, the next synchronisation raises what is wrong
with it, rightly. A check that wants an exception waits for one before it says that the call was taken.

Called by assay.py and by checks. An error is told once: a device that says the same again, without any new work, cannot be
waited for, and says nothing of the call.
"""

import contextlib

import torch


def waited(device):
    """The exception that waiting for the device raises, or None."""
    for wait in (_by_core, _by_module, _by_a_copy):
        try:
            wait(device)
        except Exception as error:
            if _said_again(wait, device, error):
                continue
            return error
        else:
            if wait is not _by_module:  # which may be there and wait for nothing
                return None
    return None


def raised(device, call, *arguments):
    """The exception of a call, also one that comes when the device is waited for; None: it was taken."""
    try:
        call(*arguments)
    except Exception as error:
        return error
    return waited(device)


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
    torch.zeros(1).to(device).cpu()
