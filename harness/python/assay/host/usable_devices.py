# SPDX-License-Identifier: BSD-3-Clause
"""Finds usable devices. A device is usable if a tensor of some kind can be copied to the device and back. The copy is
tested because some backends report a wrong count and some support only one dtype or size.

Called once, by target.py in a warm-up and by probe.py. The run uses the result. Only checks test the values, and
whether a device works while another device is current.
"""

import contextlib

COMMON = "float32 any"


def candidates(library, counted):
    """The indices to try. If neither the guard nor the hooks report a count, only the first device is tried."""
    if counted or any(library.count_of(who) is not None for who in ("guard", "hooks")):
        return counted
    return [0]


def find(torch, library, name, indices):
    """Returns the usable indices, the kind of tensor that the first device accepts ("" for the common kind), and the
    message of the first refusal ("" if there was none)."""
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
    """Returns the kind of tensor that can be copied to the device and back, and the reason why the common kind fails.
    If necessary, makes the device current first."""
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
