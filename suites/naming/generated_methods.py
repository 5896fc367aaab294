# SPDX-License-Identifier: BSD-3-Clause
"""Tensor.<name>, Tensor.is_<name> and their like: which of them a backend has."""

import torch
from torch.nn.utils.rnn import PackedSequence

OWNERS = (torch.Tensor, torch.nn.Module, PackedSequence)


def need(case, owner, attribute):
    """Ends the check where no methods were generated; where others were, the one that is asked has to be there."""
    name = case.device_name
    present = [f"{one.__name__}.{word}" for one in OWNERS for word in (name, f"is_{name}") if hasattr(one, word)]
    if not present:
        case.lacks("methods", f"there is neither Tensor.{name} nor Tensor.is_{name}, nor Module.{name}")
    case.require(
        case.expect_true(
            hasattr(owner, attribute), f"{owner.__name__}.{attribute} is there where {present[0]} is", "it is missing"
        )
    )


def method_of(case, thing, owner=torch.Tensor):
    """thing.<name>, bound."""
    need(case, owner, case.device_name)
    return getattr(thing, case.device_name)


def mark_of(case, thing, owner=torch.Tensor):
    """The answer of thing.is_<name>."""
    need(case, owner, f"is_{case.device_name}")
    return getattr(thing, f"is_{case.device_name}")
