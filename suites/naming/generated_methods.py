# SPDX-License-Identifier: BSD-3-Clause
"""Finds which of the generated methods a backend has: Tensor.<name>, Tensor.is_<name> and similar ones."""

import torch
from torch.nn.utils.rnn import PackedSequence

OWNERS = (torch.Tensor, torch.nn.Module, PackedSequence)


def need(case, owner, attribute):
    """Ends the check if no methods were generated. If any method was generated, `attribute` must exist."""
    name = case.device_name
    present = [f"{one.__name__}.{word}" for one in OWNERS for word in (name, f"is_{name}") if hasattr(one, word)]
    if not present:
        case.lacks("methods", f"there is neither Tensor.{name} nor Tensor.is_{name}, nor Module.{name}")
    case.require(
        case.expect_true(
            hasattr(owner, attribute), f"{owner.__name__}.{attribute} exists because {present[0]} exists", "it is missing"
        )
    )


def method_of(case, thing, owner=torch.Tensor):
    """The bound method thing.<name>."""
    need(case, owner, case.device_name)
    return getattr(thing, case.device_name)


def mark_of(case, thing, owner=torch.Tensor):
    """The value of thing.is_<name>."""
    need(case, owner, f"is_{case.device_name}")
    return getattr(thing, f"is_{case.device_name}")
