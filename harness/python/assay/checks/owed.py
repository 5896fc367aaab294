# SPDX-License-Identifier: BSD-3-Clause
"""The means that a backend must not refuse in a check: the subjects of the check's musts that no capability makes
optional. The contract lists these means as "CLAUSE:MEANS", separated by spaces (`owed` of struct assay_check).

A refusal without PyTorch's words is named after the refused call, as the suite writes that call. Such a refusal matches
by the last name of the call. If PyTorch's public function has another name than the method, PUBLIC maps that name to
the method. This file does not import torch.
"""

# Last names of public functions of PyTorch, each with the method of the backend that the function calls.
PUBLIC = {
    "set_device_index": "guard.setDevice",
    "device_index": "guard.exchangeDevice",
    "current_device_index": "guard.getDevice",
    "device_count": "guard.deviceCount",
}


def of(text, clause):
    """Returns the means that a backend must not refuse under this clause, or under any clause if none is current."""
    entries = (entry.split(":", 1) for entry in text.split())
    return [means for owner, means in entries if clause in (None, owner)]


def is_owed(text, clause, refused):
    """True if `refused` is owed. `refused` is a means or the name of a refused call."""
    call = refused.rpartition(".")[2]
    return any(_is_this(means, refused, call) for means in of(text, clause))


def _is_this(means, refused, call):
    if means == refused:
        return True
    operator = means.removeprefix("aten::").partition(".")[0] if means.startswith("aten::") else None
    return "." in refused and "::" not in refused and (
        PUBLIC.get(call) == means or means == f"module.{call}" or operator == call)
