# SPDX-License-Identifier: BSD-3-Clause
"""A device is usable when a tensor of some kind goes there and comes back: some backends count more than there are,
some count none, some take one dtype or one size.

Asked once, by target.py in a warm-up and by probe.py; what it answers is what a run uses. Whether the
values are right, and whether another device must be current for it, is for checks to say.
"""

import contextlib

COMMON = "float32 any"


def candidates(library, counted):
    """The indices to try: where neither guard nor hooks count, there may be a device all the same, the first."""
    if counted or any(library.count_of(who) is not None for who in ("guard", "hooks")):
        return counted
    return [0]


def find(torch, library, name, indices):
    """Which indices are usable, which kind of tensor the first one takes ("" if the common one), and what the first that
    was refused says; "" if none was."""
    usable, takes, refusal = [], "", "" if indices else "no device is counted"
    for index in indices:
        kind, said = _kind(torch, library, torch.device(name, index))
        if kind:
            takes = takes if usable or kind == COMMON else kind
            usable.append(index)
        else:
            refusal = refusal or said
    return usable, takes, refusal


def _kind(torch, library, device):
    """Which kind of tensor goes there and back, with the device current if need be, and why the common one does not."""
    said = ""
    for current in (contextlib.nullcontext(), torch.accelerator.device_index(device.index)):
        try:
            with current:
                said = said or _refusal(torch, device)
                kind = library.kind_of_tensor(device.index)
            if kind:
                return kind, said
        except Exception as error:
            said = said or _told(device, error)
    return "", said


def _refusal(torch, device):
    try:
        torch.ones(4).to(device).cpu()
        return ""
    except Exception as error:
        return _told(device, error)


def _told(device, error):
    return f"a tensor to {device} and back: {_first_sentence(error)}"


def _first_sentence(error):
    words = str(error).strip() or type(error).__name__
    return words.splitlines()[0].split(". ")[0][:200]
