# SPDX-License-Identifier: BSD-3-Clause
"""Kinds of tensors that a backend may lack, whole or in part: what it offers of them is the CPU's, what it does not is refused.

    ask_offered(self, "sparse", {"a row": make_row}, {"its values": lambda row: row.values()})

`makers`: functions of a device, each gives one such tensor there. `readers`: what is asked of it, a tree of results. Each is asked
of each; who refuses all of them lacks the capability.
"""

import contextlib
import warnings

import torch
from assay.checks.asking import Many
from assay.values.judge import compare

CPU = torch.device("cpu")


@contextlib.contextmanager
def quiet():
    """Most of these kinds are prototypes or on their way out, and core says so each time."""
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
                        case.expect(False, f"{name} is the CPU's", str(difference))
    many.conclude()


def _made(case, many, name, make):
    """The tensor that the device makes, in a list that is empty where it is refused or wrong."""
    found = []
    with many.one(name), quiet():
        made = make(case.device)
        if case.expect_device(made, case.device, f"{name} is on the device"):
            found.append(made)
    return found
