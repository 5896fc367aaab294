# SPDX-License-Identifier: BSD-3-Clause
"""Pinned memory as a means. A backend without pinned memory must raise an exception. A backend that silently returns an
ordinary tensor violates HOST-009, and checks that need pinned memory are blocked."""

import torch


def pinned(case, tensor, is_subject=False):
    """Returns a pinned copy of a CPU tensor. Ends the check if the backend has no pinned memory."""
    needed(case, lambda: torch.empty(1, pin_memory=True), is_subject, "torch.empty(1, pin_memory=True)")
    with case.asks_a_special_case():
        return needed(case, tensor.pin_memory, is_subject, "Tensor.pin_memory()")


def needed(case, make, is_subject=False, name="the call"):
    """Returns the result of `make()`. Ends the check if the result is not in pinned memory. `is_subject` is set if the
    check itself tests that the tensor is pinned. `name` is the name of the call in the report."""
    tensor = case.supported("memory.pinned", make)
    is_pinned = tensor.is_pinned()
    if is_subject:
        what = "a request for a pinned tensor gives a pinned tensor or raises"
        seen = f"{name} raised nothing, and is_pinned() of its result is False"
        case.require(case.expect_true(is_pinned, what, seen))
    if not is_pinned:
        case.block("a request for a pinned tensor returned an ordinary tensor", "hooks.isPinnedPtr")
    return tensor
