# SPDX-License-Identifier: BSD-3-Clause
"""Nested tensors of the device: the strided layout, which needs its own kernels, and the jagged layout, which needs
none."""

import torch
from assay.checks import Case
from assay.checks.offered import CPU, ask_offered
from suites.quantized import survival

PIECES = (torch.tensor([[1.0, 2.0], [3.0, 4.0], [5.0, 6.0]]), torch.tensor([[7.0, 8.0]]))
WEIGHT = torch.tensor([[1.0, -1.0], [2.0, 0.5]])
PADDING = -9.0


def pieces(place):
    return [piece.to(place) for piece in PIECES]


def cut(place):
    return torch.nested.nested_tensor_from_jagged(torch.cat(PIECES).to(place), torch.tensor([0, 3, 4]).to(place))


def gradients(nested):
    """The gradient of the tensor's values through a nonlinear operator."""
    values = nested.values().detach().requires_grad_()
    made = torch.nested.nested_tensor_from_jagged(values, nested.offsets())
    return torch.autograd.grad((made * made).values().sum(), values)


STRIDED = {
    "as_nested_tensor": lambda place: torch.nested.as_nested_tensor(pieces(place)),
    "nested_tensor with device=": lambda place: torch.nested.nested_tensor([piece.tolist() for piece in PIECES], device=place),
    "a nested tensor that is copied to the device": lambda place: torch.nested.nested_tensor(list(PIECES)).to(place),
}
JAGGED = {
    "as_nested_tensor of layout jagged": lambda place: torch.nested.as_nested_tensor(pieces(place), layout=torch.jagged),
    "nested_tensor of layout jagged": lambda place: torch.nested.nested_tensor(
        [piece.tolist() for piece in PIECES], layout=torch.jagged, device=place),
    "nested_tensor_from_jagged": cut,
    "a jagged tensor that is copied to the device": lambda place: cut(CPU).to(place),
}
FORM = {
    "whether it is nested": lambda nested: nested.is_nested,
    "the number of pieces": lambda nested: nested.size(0),
    "the pieces": lambda nested: list(nested.unbind()),
    "the padded tensor": lambda nested: torch.nested.to_padded_tensor(nested, PADDING),
    "the pieces of a copy": lambda nested: list(nested.clone().unbind()),
    "the pieces after a copy back": lambda nested: [piece.tolist() for piece in nested.cpu().unbind()],
    "the pieces of twice the tensor plus one": lambda nested: list((nested * 2 + 1).unbind()),
    "the pieces of relu": lambda nested: list((nested - 4).relu().unbind()),
    "the pieces of a linear layer": lambda nested: list(
        torch.nn.functional.linear(nested, WEIGHT.to(nested.device)).unbind()),
}
OF_JAGGED = {
    "values": lambda nested: nested.values(),
    "offsets": lambda nested: nested.offsets(),
    "the sum": lambda nested: nested.sum(),
    "gradients": gradients,
}


class Nested(survival.Survives, Case):
    def test_strided(self):
        """quantized.nested_tensors_hold_their_components"""
        ask_offered(self, "nested", STRIDED, FORM)

    def test_jagged(self):
        """quantized.jagged_tensors_match_the_cpu"""
        ask_offered(self, None, JAGGED, FORM | OF_JAGGED)

    def test_survival(self):
        """quantized.unsupported_nested_tensors_do_not_crash"""
        self.ask_survival(STRIDED | JAGGED)
