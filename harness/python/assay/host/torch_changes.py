# SPDX-License-Identifier: BSD-3-Clause
"""Finds changes that loading a backend made in torch: replaced functions and changed process-wide settings.

Snapshots are taken before and after loading. The CPU is a valid reference only if torch is unchanged.
"""

import inspect
import os

import torch

_TORCH = os.path.dirname(torch.__file__) + os.sep
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
            value = getattr(owner, name, None) if name in vars(owner) or _is_of_tensors(owner, name) else None
            if callable(value):
                found[f"{place}.{name}"] = value
    return found


def _is_of_tensors(owner, name):
    """True for methods such as Tensor.to, which torch.Tensor inherits."""
    return owner is torch.Tensor and name in vars(torch.Tensor.__base__)


def _is_wrapped_by_torch(value, before):
    """True if torch itself wrapped the function: importing torch._dynamo wraps torch.manual_seed."""
    code = getattr(value, "__code__", None)
    return code is not None and code.co_filename.startswith(_TORCH) and inspect.unwrap(value) is before


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
        if name not in _EXPECTED and after[0].get(name) != value and not _is_wrapped_by_torch(after[0].get(name), value)
    ]
    switched = [
        f"{name} went from {value} to {after[1][name]}"
        for name, value in before[1].items()
        if after[1][name] != value
    ]
    return sorted(replaced + switched)
