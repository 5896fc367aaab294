# SPDX-License-Identifier: BSD-3-Clause
"""Finds changes that loading a backend made in torch: replaced functions and changed process-wide settings.

Snapshots are taken before and after loading. The CPU is a valid reference only if torch is unchanged.
"""

import torch

_PLACES = {
    "torch": torch,
    "torch.Tensor": torch.Tensor,
    "torch.nn.functional": torch.nn.functional,
    "torch.random": torch.random,
    "torch.autograd": torch.autograd,
    "torch.serialization": torch.serialization,
}
# rename_privateuse1_backend and generate_methods set these, as the contract requires.
_EXPECTED = {"torch.get_accelerator"}

_SETTINGS = {
    "default dtype": lambda: str(torch.get_default_dtype()),
    "autograd multithreading": lambda: torch.autograd.is_multithreading_enabled(),
    "grad mode": torch.is_grad_enabled,
    "deterministic algorithms": torch.are_deterministic_algorithms_enabled,
    "number of threads": torch.get_num_threads,
    "default device": lambda: str(torch.get_default_device()),
}


def _functions():
    found = {}
    for place, owner in _PLACES.items():
        for name in dir(owner):
            value = getattr(owner, name, None) if name in vars(owner) else None
            if callable(value):
                found[f"{place}.{name}"] = value
    return found


def _ask(question):
    try:
        return question()
    except Exception as error:
        return f"raises {type(error).__name__}"


def take():
    return _functions(), {name: _ask(question) for name, question in _SETTINGS.items()}


def differences(before, after):
    """Sorted sentences, one per change. New names do not count as a change."""
    replaced = [
        f"{name} was replaced"
        for name, value in before[0].items()
        if name not in _EXPECTED and after[0].get(name) != value
    ]
    switched = [
        f"{name} went from {value} to {after[1][name]}"
        for name, value in before[1].items()
        if after[1][name] != value
    ]
    return sorted(replaced + switched)
