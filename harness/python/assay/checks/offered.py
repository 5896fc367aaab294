# SPDX-License-Identifier: BSD-3-Clause
"""Tests kinds of tensors for which a backend may offer all operations, only some of them, or none. If the backend
offers an operation, the result must equal the CPU's result. Otherwise the backend must refuse the operation.

    ask_offered(self, "sparse", {"a row": make_row}, {"its values": lambda row: row.values()})

Each function in `makers` takes a device and returns such a tensor on that device. Each function in `readers` takes the
tensor and returns a tree of results. Each reader is applied to each tensor. A backend that refuses all readers and
makers lacks the capability.
"""

import contextlib
import warnings

import torch
from assay.checks.asking import Many
from assay.values.judge import compare

CPU = torch.device("cpu")


@contextlib.contextmanager
def quiet():
    """Suppresses warnings: most of these kinds are prototypes or deprecated, and PyTorch warns on each use."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield


def ask_offered(case, capability, makers, readers):
    many = Many(case, capability)
    for maker, make in makers.items():
        for made in _made(case, many, maker, make):
            for reader, read in readers.items():
                name = f"{reader} of {maker}"
                with many.one(name), quiet():
                    for difference in compare(read(made), read(make(CPU)), case.device)[:1]:
                        case.expect(False, f"{name} equals the CPU's result", str(difference))
    many.conclude()


def _made(case, many, name, make):
    """A list with the tensor that the device makes, or an empty list if the tensor is refused or wrong."""
    found = []
    with many.one(name), quiet():
        made = make(case.device)
        if case.expect_device(made, case.device, f"{name} is on the device"):
            found.append(made)
    return found
