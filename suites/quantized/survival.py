# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a backend raises exceptions for kinds of tensors that it lacks. The process must stay alive, and the
device must work as before."""

import copy
import pickle

import torch
from assay.checks import late
from assay.checks.offered import quiet

# Operations that programs and debuggers apply to any tensor.
USES = {
    "clone": lambda tensor: tensor.clone(),
    "to the CPU": lambda tensor: tensor.cpu(),
    "copy_": lambda tensor: tensor.copy_(tensor),
    "sum": lambda tensor: tensor.sum(),
    "addition": lambda tensor: tensor + tensor,
    "relu": lambda tensor: tensor.relu(),
    "matmul": lambda tensor: tensor @ tensor,
    "zeros_like": lambda tensor: torch.zeros_like(tensor),
    "to_dense": lambda tensor: tensor.to_dense(),
    "dequantize": lambda tensor: tensor.dequantize(),
    "unbind": lambda tensor: tensor.unbind(),
    "a change of dtype": lambda tensor: tensor.to(torch.float64),
    "strides and storage": lambda tensor: (tensor.stride(), tensor.untyped_storage().nbytes()),
    "an address": lambda tensor: tensor.data_ptr(),
    "a view": lambda tensor: tensor.view(-1),
    "a part": lambda tensor: tensor[0],
    "numpy": lambda tensor: tensor.numpy(),
    "words": lambda tensor: repr(tensor),
    "a deep copy": lambda tensor: copy.deepcopy(tensor),
    "pickling": lambda tensor: pickle.dumps(tensor),
}


class Survives:
    """A mixin for cases that tests whether the process is still alive at the end."""

    def ask_survival(self, makers):
        """Compares no results. The clause holds if the process survives and the device still works."""
        numbers = self.sample()
        plain = self.on_device(numbers)
        for maker, make in makers.items():
            made = []
            self.try_it(maker, lambda place: made.append(make(place)))  # noqa: B023
            for use, ask in USES.items() if made else ():
                self.try_it(f"{use} of {maker}", lambda _: ask(made[0]))  # noqa: B023
        self.ask_special_cases()
        self.expect_tensor(plain, numbers, "a plain tensor that was created before keeps its numbers")
        self.expect_tensor(self.on_device(numbers), numbers, "a plain tensor can be copied to the device and back afterwards")

    def try_it(self, name, call):
        """Notes the name before the call. If the process dies, the name is the last note."""
        self.note("last operation", name)
        with quiet():
            late.raised(self.device, call, self.device)
