# SPDX-License-Identifier: BSD-3-Clause
"""Means that a backend must not refuse: what the musts of a check are about, where the contract knows no capability that
may be absent for it. The contract says so as "CLAUSE:MEANS", with spaces between (`owed` of struct assay_check).

A refusal without PyTorch's words has the refused call for its name, as the suite writes it: known here by its
last name or, where PyTorch has another name for the public function, by PUBLIC. Pure, and without torch.
"""

# Public functions of PyTorch, by their last names, and the method of the backend that each of them is a call of.
PUBLIC = {
    "set_device_index": "guard.setDevice",
    "device_index": "guard.exchangeDevice",
    "current_device_index": "guard.getDevice",
    "device_count": "guard.deviceCount",
}


def of(text, clause):
    """The means that this clause owes, or all of them while none is under way."""
    entries = (entry.split(":", 1) for entry in text.split())
    return [means for owner, means in entries if clause in (None, owner)]


def is_owed(text, clause, refused):
    """Whether `refused`, a means or the call that has its name, is owed."""
    call = refused.rpartition(".")[2]
    return any(_is_this(means, refused, call) for means in of(text, clause))


def _is_this(means, refused, call):
    if means == refused:
        return True
    operator = means.removeprefix("aten::").partition(".")[0] if means.startswith("aten::") else None
    return "." in refused and "::" not in refused and (
        PUBLIC.get(call) == means or means == f"module.{call}" or operator == call)
