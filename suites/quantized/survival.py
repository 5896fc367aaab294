# SPDX-License-Identifier: BSD-3-Clause
"""Kinds that a backend lacks are refused by exceptions: the process lives, and the device is as good as before."""

import copy
import pickle

import torch
from assay.checks import late
from assay.checks.offered import quiet

# Uses that programs and debuggers make of any tensor. None names a device or a dtype.
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
    """Part of a case: asks whether the process is still there in the end."""

    def ask_survival(self, makers):
        """Nothing is said of results here: who is still there in the end, and has a device, has kept the clause."""
        numbers = self.sample()
        plain = self.on_device(numbers)
        for maker, make in makers.items():
            made = []
            self.try_it(maker, lambda place: made.append(make(place)))  # noqa: B023
            for use, ask in USES.items() if made else ():
                self.try_it(f"{use} of {maker}", lambda _: ask(made[0]))  # noqa: B023
        self.ask_special_cases()
        self.expect_tensor(plain, numbers, "a plain tensor made before holds its numbers")
        self.expect_tensor(self.on_device(numbers), numbers, "a plain tensor goes there and back afterwards")

    def try_it(self, name, call):
        """The name is noted before: in a process that ends here it is the last word."""
        self.note("asked last", name)
        with quiet():
            late.raised(self.device, call, self.device)
