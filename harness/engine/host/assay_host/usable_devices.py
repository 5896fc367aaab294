# SPDX-License-Identifier: BSD-3-Clause
"""A device is usable when a tensor goes there and comes back: some backends count more than there are.

Asked once, by target.py in a warm-up and by probe.py; what it answers is what a run uses. Whether the
values are right, and whether another device must be current for it, is for checks to say.
"""

import contextlib


def find(torch, name, counted):
    """Which indices are usable, and what the first that was refused says; "" if none was."""
    usable, refusal = [], "" if counted else "no device is counted"
    for index in counted:
        said = _refusal(torch, torch.device(name, index))
        if not said:
            usable.append(index)
        refusal = refusal or said
    return usable, refusal


def _refusal(torch, device):
    """Why no tensor goes there and back, not with the device current either; "" if one does."""
    said = ""
    for current in (contextlib.nullcontext(), torch.accelerator.device_index(device.index)):
        try:
            with current:
                torch.ones(4).to(device).cpu()
            return ""
        except Exception as error:
            said = said or f"a tensor to {device} and back: {_first_sentence(error)}"
    return said


def _first_sentence(error):
    words = str(error).strip() or type(error).__name__
    return words.splitlines()[0].split(". ")[0][:200]
