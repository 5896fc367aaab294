# SPDX-License-Identifier: BSD-3-Clause
"""Gradients of the library's own operator."""

import torch

from demonstrate import demonstrates


@demonstrates("autograd.custom_formula_wrong")
def gradient_is_half():
    x = torch.tensor([3.0], device="fakedev", requires_grad=True)
    torch.ops.fakedev.scaled_square(x, 2.0).backward()
    assert x.grad.item() == 12
