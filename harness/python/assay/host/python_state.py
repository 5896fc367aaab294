# SPDX-License-Identifier: BSD-3-Clause
"""Records state that a check must restore and that only PyTorch's Python code can read.
harness/host/target/process_state.c records the other state.

Reads private names of PyTorch if the public names would create a tensor. A name that no longer exists gives None.
"""

import torch
import torch.utils._device

_QUESTIONS = {
    "the default device": lambda: torch.utils._device.CURRENT_DEVICE,
    "the device of the default tensor type": lambda: torch._C._get_default_device(),
    "the number of active torch function modes": lambda: torch._C._len_torch_function_stack(),
    "the number of active torch dispatch modes": lambda: torch._C._len_torch_dispatch_stack(),
}
_before = {}


def _answers():
    return {question: _answer(ask) for question, ask in _QUESTIONS.items()}


def _answer(ask):
    try:
        return str(ask())
    except AttributeError:
        return "None"


def take():
    global _before
    _before = _answers()


def changes():
    """Sentences about the changes, in the same form as in harness/host/target/process_state.c."""
    return [
        f"{question} is {now}; before the check it was {_before[question]}"
        for question, now in _answers().items()
        if question in _before and now != _before[question]
    ]
