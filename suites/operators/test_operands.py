# SPDX-License-Identifier: BSD-3-Clause
"""Operands on several devices: numbers on the host may join, all else that is elsewhere is refused."""

import assay
import torch
from closeness import each_offered

# Operations that combine a tensor of the backend with another one: add, multiply ...
ELEMENTWISE = {
    "add": lambda x, other: x + other,
    "sub": lambda x, other: x - other,
    "mul": lambda x, other: x * other,
    "div": lambda x, other: x / other,
    "maximum": lambda x, other: torch.maximum(x, other),
    "eq": lambda x, other: x == other,
    "where": lambda x, other: torch.where(x == x, x, other),
}
PRODUCTS = {
    "mm": lambda x, other: x.mm(other),
    "matmul": lambda x, other: x @ other,
    "bmm": lambda x, other: x[None].bmm(other[None]),
    "addmm": lambda x, other: x.addmm(x, other),
    "linear": lambda x, other: torch.nn.functional.linear(x, other),
    "cat": lambda x, other: torch.cat([x, other]),
    "conv2d": lambda x, other: torch.nn.functional.conv2d(x[None, None], other[None, None]),
    "conv2d with a bias": lambda x, other: torch.nn.functional.conv2d(x[None, None], x[None, None], other[0, :1]),
    "dot": lambda x, other: x[0].dot(other[0]),
}
NUMBERS = torch.tensor([[1.0, 2.0], [3.0, 5.0]])


class Operands(assay.Case):
    def test_host_scalars(self):
        """operators.a_number_on_the_host_may_join"""
        x, number = self.on_device(NUMBERS), torch.tensor(2.0)
        for name, seen in each_offered(self, ELEMENTWISE, lambda call: call(x, number), lambda call: call(x, x)):
            what = f"{name} takes a tensor of one number on the CPU"
            self.expect_device(seen, x.device, what)
            self.expect_tensor(seen, ELEMENTWISE[name](NUMBERS, number), what)

    def refuses(self, table, other, where):
        """Nothing in the table takes `other` beside a tensor of the first device."""
        x = self.on_device(NUMBERS)
        for name, error in each_offered(self, table, lambda call: self.error_of(call, x, other)):
            self.expect_true(error, f"{name} refuses a tensor of {where}", "it returned a result")

    def error_of(self, call, x, other):
        """A refusal of the operator itself leaves this as it is."""
        try:
            self.on_cpu(call(x, other))
        except RuntimeError as error:
            if isinstance(error, NotImplementedError) or self.refused_means(str(error)):
                raise
            return error
        return None

    def test_host_tensors(self):
        """operators.tensors_of_the_host_are_refused"""
        self.refuses(ELEMENTWISE | PRODUCTS, NUMBERS, "the CPU")

    def test_two_devices(self):
        """operators.tensors_of_another_device_are_refused"""
        self.refuses(ELEMENTWISE | PRODUCTS, self.on_device(NUMBERS, 1), str(self.devices[1]))
