# SPDX-License-Identifier: BSD-3-Clause
"""Pinned memory for checks that lean on it. A backend may have none, and says so by an exception. One that gives an
ordinary tensor where a pinned one is asked for has told nobody: that breaks HOST-009, and blocks what leans on it."""

import torch


def pinned(case, tensor, is_subject=False):
    """A pinned copy of a CPU tensor; ends the check where the backend has no pinned memory."""
    needed(case, lambda: torch.empty(1, pin_memory=True), is_subject, "torch.empty(1, pin_memory=True)")
    with case.asks_a_special_case():
        return needed(case, tensor.pin_memory, is_subject, "Tensor.pin_memory()")


def needed(case, make, is_subject=False, name="the call"):
    """The result of `make()`, which is in pinned memory; ends the check likewise. `is_subject`: that it is pinned is
    what the check asks. `name`: of the call, for a reader."""
    try:
        tensor = make()
    except RuntimeError as error:
        if not case.refused_means(error):
            raise
        case.lacks("memory.pinned", error)
    is_pinned = tensor.is_pinned()
    if is_subject:
        what = "a tensor that is asked for in pinned memory is pinned, or refused"
        seen = f"is_pinned() is False of what {name} gave, and nothing was raised"
        case.require(case.expect_true(is_pinned, what, seen))
    if not is_pinned:
        case.block("an ordinary tensor was given where a pinned one was asked for", "hooks.isPinnedPtr")
    return tensor
