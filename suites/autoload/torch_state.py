# SPDX-License-Identifier: BSD-3-Clause
"""State of torch that belongs to the whole process: its functions and classes, and its settings.

A check records this state before and after a backend is loaded, in a process that does nothing else.
"""

import inspect
import sys
import warnings

import torch

# torch.utils.rename_privateuse1_backend itself writes these attributes.
RENAMED = ("DeviceType.", "ProfilerActivity.")

SETTINGS = {
    "torch.get_default_dtype()": torch.get_default_dtype,
    "torch.get_default_device()": torch.get_default_device,
    "torch.get_num_threads()": torch.get_num_threads,
    "torch.get_num_interop_threads()": torch.get_num_interop_threads,
    "torch.is_grad_enabled()": torch.is_grad_enabled,
    "torch.autograd.is_multithreading_enabled()": torch.autograd.is_multithreading_enabled,
    "torch.are_deterministic_algorithms_enabled()": torch.are_deterministic_algorithms_enabled,
    "torch.get_float32_matmul_precision()": torch.get_float32_matmul_precision,
    "torch.get_rng_state()": lambda: torch.get_rng_state().tolist(),
    "torch.__future__": lambda: {
        name: value for name, value in vars(torch.__future__).items() if isinstance(value, bool)
    },
}


def _replaceable(value):
    return callable(value) or isinstance(value, (property, staticmethod, classmethod)) or inspect.isdatadescriptor(value)


def _places():
    """All loaded modules of torch, and all classes that are defined there."""
    for name, module in list(sys.modules.items()):
        if module is None or name.partition(".")[0] != "torch" or not hasattr(module, "__dict__"):
            continue
        yield name, vars(module)
        if module is torch:  # a replaced Tensor.to hides the method that torch.Tensor inherits
            yield "torch.Tensor", {**vars(torch.Tensor.__base__), **vars(torch.Tensor)}
        for word, kind in list(vars(module).items()):
            if isinstance(kind, type) and getattr(kind, "__module__", None) == name:
                yield f"{name}.{word}", vars(kind)


def take():
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # deprecated attributes warn when they are read
        pieces = {
            f"{place}.{word}": value
            for place, words in _places()
            for word, value in list(words.items())
            if _replaceable(value)
        }
    return pieces, {name: ask() for name, ask in SETTINGS.items()}


def differences(before, after):
    """Sentences about changes, sorted. New attributes do not count as changes."""
    replaced = [
        f"{name} was replaced"
        for name, value in before[0].items()
        if after[0].get(name) is not value and not any(word in name for word in RENAMED)
    ]
    switched = [f"{name} was changed" for name, value in before[1].items() if after[1][name] != value]
    return sorted(replaced + switched)
