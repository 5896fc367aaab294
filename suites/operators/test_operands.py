# SPDX-License-Identifier: BSD-3-Clause
"""Operands on several devices: numbers on the host may join, all else that is elsewhere is refused."""

import assay
import torch
from asking import each
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
# Calls that name places, and one whose answer is no tensor.
PLACES = {
    "masked_fill_": lambda x, other: x.clone().masked_fill_(other > 2, 2.0),
    "masked_select": lambda x, other: x.masked_select(other > 2),
    "gather": lambda x, other: x.gather(0, (other > 2).long()),
    "scatter": lambda x, other: x.scatter(0, (other > 2).long(), x),
    "equal": lambda x, other: torch.tensor(torch.equal(x, other)),
    "index_put_": lambda x, other: x.clone().index_put_((torch.tensor([0, 1], device=x.device),), other),
}
# Calls that a kernel, a copy or a factory serves, on the device of the tensor.
ELSEWHERE = ELEMENTWISE | PRODUCTS | {
    "exp": lambda x, other: x.exp(),
    "sum": lambda x, other: x.sum(0),
    "fill_": lambda x, other: x.clone().fill_(3),
    "add_": lambda x, other: x.clone().add_(other, alpha=2),
    "copy_": lambda x, other: torch.empty_like(x).copy_(other.t()),
    "index_select": lambda x, other: x.index_select(0, torch.tensor([1, 0], device=x.device)),
    "contiguous": lambda x, other: x.t().contiguous(),
    "cast": lambda x, other: x.to(torch.int32),
    "softmax": lambda x, other: x.softmax(1),
    "sort": lambda x, other: x.sort(1).values,
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
        self.refuses(ELEMENTWISE | PRODUCTS | PLACES, NUMBERS, "the CPU")

    def test_two_devices(self):
        """operators.tensors_of_another_device_are_refused"""
        self.refuses(ELEMENTWISE | PRODUCTS | PLACES, self.on_device(NUMBERS, 1), str(self.devices[1]))

    def test_elsewhere(self):
        """operators.kernels_run_where_their_tensors_are"""
        self.put_device_back()
        for current, other in ((0, 1), (1, 0)):
            here, there = self.devices[current], self.devices[other]
            for name, call, one in each(self, ELSEWHERE):
                with one:
                    torch.accelerator.set_device_index(there.index)
                    x, y = self.on_device(NUMBERS, other), self.on_device(NUMBERS.flip(0), other)
                    self.on_cpu(call(x, y))
                    torch.accelerator.set_device_index(here.index)
                    with self.asks_a_special_case():
                        seen = call(x, y)
                        left = torch.accelerator.current_device_index()
                        self.expect_device(seen, there, f"the result of {name} on {there} is there, while {here} is current")
                        self.expect_equal(left, here.index, f"{name} on {there} leaves {here} current")
                        wanted = call(NUMBERS, NUMBERS.flip(0))
                        self.expect_tensor(seen, wanted, f"{name} on {there} is right while {here} is current", rtol=1e-5, atol=1e-6)
