# SPDX-License-Identifier: BSD-3-Clause
"""Tests the operators without which PyTorch cannot use a device: each must exist and work."""

import torch
from assay.checks import Case
from assay.checks.asking import note_failed

# Each function gets the device and a device tensor of three numbers.
MINIMAL = {
    "aten::empty.memory_format": lambda device, x: torch.empty(2, device=device),
    "aten::empty_strided": lambda device, x: torch.empty_strided((2,), (1,), device=device),
    "aten::as_strided": lambda device, x: x.as_strided((2,), (1,)),
    "aten::view": lambda device, x: x.view(3, 1),
    "aten::_reshape_alias": lambda device, x: torch.ops.aten._reshape_alias(x, (3, 1), (1, 1)),
    "aten::resize_": lambda device, x: torch.empty(0, device=device).resize_(4),
    "aten::_copy_from": lambda device, x: x.cpu(),
    "aten::_copy_from_and_resize": lambda device, x: torch.ops.aten._copy_from_and_resize(
        x, torch.empty(0, device=device)
    ),
    "aten::_local_scalar_dense": lambda device, x: x[1].item(),
    "aten::set_.source_Tensor": lambda device, x: torch.empty(0, device=device).set_(x),
    "aten::set_.source_Storage": lambda device, x: torch.empty(0, device=device).set_(x.untyped_storage()),
}


class MinimalOperators(Case):
    def test_minimal(self):
        """operators.minimal_operators_are_registered"""
        self.need_any_kind()
        self.is_about(*MINIMAL)
        lacking = {name: error for name, error in zip(MINIMAL, map(self.refusal_of, MINIMAL.values())) if error}
        for name, error in lacking.items():
            self.expect_true(False, f"the backend has {name}", str(error).split("\n")[0])
        if lacking:
            note_failed(self, list(MINIMAL), list(lacking), kind=str)

    def refusal_of(self, call):
        """The text with which the operator is refused. Any other exception belongs to another clause."""
        try:
            call(self.device, torch.tensor([1.0, 2.0, 3.0]).to(self.device))
        except NotImplementedError as error:
            return error
        return None
