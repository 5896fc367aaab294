# SPDX-License-Identifier: BSD-3-Clause
"""Views between complex numbers and their parts: a write to one view is visible in the other."""

import torch
from assay.checks import Case
from assay.checks.asking import each
from assay.checks.offered import quiet
from assay.values.judge import compare

NUMBERS = torch.complex(torch.tensor([[1.0, 2.0, 3.0], [4.0, 5.0, 6.0]]), torch.tensor([[-1.0, 0.5, 8.0], [9.0, -3.0, 7.0]]))
PAIRS = torch.arange(12.0).reshape(2, 3, 2)
WRITTEN = 77.0

# The values of the base, and a function that returns a view of the base.
VIEWS = {
    "view_as_real": (NUMBERS, torch.view_as_real),
    "view_as_real of a transposed tensor": (NUMBERS, lambda base: torch.view_as_real(base.t())),
    "view_as_complex": (PAIRS, torch.view_as_complex),
    "real": (NUMBERS, torch.real),
    "imag": (NUMBERS, torch.imag),
    "imag of a part": (NUMBERS, lambda base: base[1].imag),
    "imag of a conjugated tensor": (NUMBERS, lambda base: base.conj().imag),
}


def written_through(base, view_of):
    """Contents of the base after a write into the view, and the view after a write into the base."""
    view = view_of(base)
    view.copy_(torch.full(view.shape, WRITTEN, dtype=view.dtype).to(view.device))
    after_the_first = base.clone()
    base.copy_(torch.zeros(base.shape, dtype=base.dtype).to(base.device))
    return after_the_first, view


class ComplexViews(Case):
    def test_written_through(self):
        """operators.real_and_imag_are_views"""
        self.need_complex_numbers()
        for name, (numbers, view_of), one in each(self, VIEWS):
            with one, quiet():  # the fallback warns that it copies; the values decide
                self.ask(name, numbers, view_of)

    def need_complex_numbers(self):
        self.need_any_kind()
        try:
            NUMBERS.to(self.device).cpu()
        except Exception as error:
            self.lacks("complex", error)

    def ask(self, name, numbers, view_of):
        base = numbers.clone()
        expected = view_of(base).clone(), *written_through(base, view_of)
        there = self.on_device(numbers)
        read = view_of(there).clone()
        found = compare((read, *written_through(there, view_of)), expected, self.device)
        for difference in found[:1]:
            self.expect(False, f"{name} is a view of its base", str(difference))
