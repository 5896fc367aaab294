# SPDX-License-Identifier: BSD-3-Clause
"""Operators with a conjugated view as an operand or as out=.

PyTorch resolves the conj bit before most kernels, but not before matrix products: a BLAS accepts the bit as a flag,
so these kernels must handle it themselves.
"""

import torch
from assay.checks import Case, asking

# Three roundings of a product of nine small numbers.
NEAR = {"rtol": 1e-5, "atol": 1e-5}
OPERANDS = {
    "mm, left": lambda x: torch.mm(x.conj(), x),
    "mm, right": lambda x: torch.mm(x, x.conj()),
    "bmm": lambda x: torch.bmm(x[None].conj(), x[None]),
    "addmm": lambda x: torch.addmm(x.conj(), x.conj(), x),
    "baddbmm": lambda x: torch.baddbmm(x[None].conj(), x[None], x[None].conj()),
    "dot": lambda x: torch.dot(x[0].conj(), x[1]),
    "vdot": lambda x: torch.vdot(x[0], x[1]),
    "mv": lambda x: torch.mv(x.conj(), x[0]),
    "matmul of an adjoint": lambda x: x.mH @ x,
    "einsum": lambda x: torch.einsum("ij,jk->ik", x.conj(), x),
    "add": lambda x: x.conj() + x,
    "mul": lambda x: x.conj() * x,
    "sum": lambda x: x.conj().sum(),
    "cat": lambda x: torch.cat([x.conj(), x]),
}
OUTPUTS = {
    "mm": lambda x, out: torch.mm(x, x, out=out),
    "addmm": lambda x, out: torch.addmm(x, x, x, out=out),
    "add": lambda x, out: torch.add(x, x, out=out),
    "exp": lambda x, out: torch.exp(x, out=out),
    "cumsum": lambda x, out: torch.cumsum(x, 0, out=out),
}


def numbers():
    real = torch.linspace(-1, 1, 9).reshape(3, 3)
    return torch.complex(real, real.flip(0) + 0.5)


class ConjugatedViews(Case):
    def each(self, table, compare):
        """Compares every case that the backend supports. The check is blocked if the backend supports no case."""
        for name, call, one in asking.each(self, table):
            with one:
                compare(name, call)

    def test_operands(self):
        """operators.conj_operands_are_resolved"""
        x = self.on_device(numbers())

        def compare(name, call):
            wanted = call(numbers()).resolve_conj()
            what = f"{name} computes with the conjugated values of a conj view"
            self.expect_tensor(call(x), wanted, what, **NEAR)

        self.each(OPERANDS, compare)

    def test_outputs(self):
        """operators.conjugated_out_tensors_hold_the_result"""
        x = self.on_device(numbers())

        def compare(name, call):
            out = self.on_device(torch.zeros(3, 3, dtype=torch.complex64)).conj()
            wanted = call(numbers(), torch.empty(3, 3, dtype=torch.complex64))
            call(x, out)
            what = f"out= of {name} that is a conj view holds the result"
            self.expect_tensor(out, wanted, what, **NEAR)

        self.each(OUTPUTS, compare)

    def test_conj_physical(self):
        """operators.in_place_conjugation_conjugates_or_is_refused"""
        x = self.on_device(numbers())
        torch.conj_physical(x)  # if the backend lacks this operator, the in-place form is not required either
        try:
            x.conj_physical_()
        except NotImplementedError:
            raise
        except RuntimeError as error:
            first = str(error).split("\n")[0]
            self.expect(False, "conj_physical_ works or raises NotImplementedError", first)
            return
        wanted = numbers().conj_physical_()
        self.expect_tensor(x, wanted, "conj_physical_ conjugates its tensor")
