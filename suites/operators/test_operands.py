# SPDX-License-Identifier: BSD-3-Clause
"""Operands on several devices: CPU scalars may be mixed with device tensors; everything else on another device must be
refused."""

import torch
from assay.checks import Case
from assay.checks.asking import each, note_failed
from assay.refusals.behind_fallback import has_kernel
from assay.values.closeness import each_offered
from suites.operators.operand_places import mixed_call

# Operations that combine a tensor of the backend with another tensor, such as add and multiply.
ELEMENTWISE = {
    "add": lambda x, other: x + other,
    "sub": lambda x, other: x - other,
    "mul": lambda x, other: x * other,
    "div": lambda x, other: x / other,
    "maximum": lambda x, other: torch.maximum(x, other),
    "eq": lambda x, other: x == other,
    "where": lambda x, other: torch.where(x == x, x, other),
    "where with the other tensor first": lambda x, other: torch.where(x == x, other, x),
    "where with the other tensor as the condition": lambda x, other: torch.where(other > 1, x, -x),
    "atan2": lambda x, other: torch.atan2(x, other),
    "pow": lambda x, other: torch.pow(x, other),
    "remainder": lambda x, other: torch.remainder(x, other),
    "fmod": lambda x, other: torch.fmod(x, other),
    "minimum": lambda x, other: torch.minimum(x, other),
    "lt": lambda x, other: x < other,
    "logical_and": lambda x, other: torch.logical_and(x > 2, other),
    "add with alpha": lambda x, other: torch.add(x, other, alpha=3),
    "sub with alpha": lambda x, other: torch.sub(x, other, alpha=3),
    "div rounded down": lambda x, other: torch.div(x, other, rounding_mode="floor"),
}
# The same operations with the number before the tensor.
NUMBERS_FIRST = ("add", "sub", "mul", "div", "maximum", "eq", "atan2", "pow", "fmod", "lt", "add with alpha", "sub with alpha")
PRODUCTS = {
    "mm": lambda x, other: x.mm(other),
    "matmul": lambda x, other: x @ other,
    "bmm": lambda x, other: x[None].bmm(other[None]),
    "addmm": lambda x, other: x.addmm(x, other),
    "linear": lambda x, other: torch.nn.functional.linear(x, other),
    "cat": lambda x, other: torch.cat([x, other]),
    "conv2d": lambda x, other: torch.nn.functional.conv2d(x[None, None], other[None, None]),
    "conv2d with a bias": lambda x, other: torch.nn.functional.conv2d(x[None, None], x[None, None], other[0, :1]),
    "mm with no rows": lambda x, other: x[:0].mm(other),
    "dot": lambda x, other: x[0].dot(other[0]),
    "addcmul": lambda x, other: torch.addcmul(x, x, other, value=2),
    "addcdiv": lambda x, other: torch.addcdiv(x, x, other, value=2),
    "addmm added to the other tensor": lambda x, other: torch.addmm(other, x, x),
    "baddbmm": lambda x, other: torch.baddbmm(x, x[None], other[None]),
    "stack": lambda x, other: torch.stack([x, other]),
    "cat of the other tensor first": lambda x, other: torch.cat([other, x]),
    "conv_transpose1d": lambda x, other: torch.nn.functional.conv_transpose1d(x[None], other[None]),
    "attention with other keys": lambda x, other: torch.nn.functional.scaled_dot_product_attention(x[None, None], other[None, None], x[None, None]),
    "attention with other values": lambda x, other: torch.nn.functional.scaled_dot_product_attention(x[None, None], x[None, None], other[None, None]),
    "attention with another mask": lambda x, other: torch.nn.functional.scaled_dot_product_attention(x[None, None], x[None, None], x[None, None], other),
    "mse_loss": lambda x, other: torch.nn.functional.mse_loss(x, other),
    "smooth_l1_loss": lambda x, other: torch.nn.functional.smooth_l1_loss(x, other),
    "softmax backward": lambda x, other: torch.ops.aten._softmax_backward_data(x, other, 1, x.dtype),
    "log_softmax backward": lambda x, other: torch.ops.aten._log_softmax_backward_data(x, other, 1, x.dtype),
    "threshold backward": lambda x, other: torch.ops.aten.threshold_backward(x, other, 0),
}
BY_THE_FIRST = "conv", "attention"  # PyTorch dispatches these operators by the first tensor only
# Calls with an index or a mask, and a call with a result that is not a tensor.
PLACES = {
    "masked_fill_": lambda x, other: x.clone().masked_fill_(other > 2, 2.0),
    "masked_fill_ of repeated elements": lambda x, other: x[0, :1].clone().expand(2).masked_fill_(other[0] > 1, 2.0),
    "masked_fill_ of complex numbers": lambda x, other: torch.complex(x, x).masked_fill_(other > 2, 2.0),
    "masked_select": lambda x, other: x.masked_select(other > 2),
    "gather": lambda x, other: x.gather(0, (other > 2).long()),
    "scatter": lambda x, other: x.scatter(0, (other > 2).long(), x),
    "equal": lambda x, other: torch.tensor(torch.equal(x, other)),
    "equal of another shape": lambda x, other: torch.tensor(torch.equal(x, other[:1])),
    "equal of no elements": lambda x, other: torch.tensor(torch.equal(x[:0], other[:0])),
    "scatter of it": lambda x, other: x.scatter(0, (x > 2).long(), other),
    "scatter of a number": lambda x, other: x.scatter(0, (other > 2).long(), 2.0),
    "scatter_add": lambda x, other: x.scatter_add(0, (x > 2).long(), other),
    "index_select": lambda x, other: x.index_select(0, (other[0] > 1).long()),
    "index_add": lambda x, other: x.index_add(0, torch.tensor([1, 0], device=x.device), other),
    "embedding": lambda x, other: torch.nn.functional.embedding((other > 2).long(), x),
    "masked_select by a mask of one row": lambda x, other: x.masked_select(other[0] > 1),
    "index_put_": lambda x, other: x.clone().index_put_((torch.tensor([0, 1], device=x.device),), other),
}
# Calls that must run a kernel, a copy or a factory on the device of the tensor.
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


def way_of(operator, fallen_back):
    """Says whether the fallback computed the operator. A structured operator falls back through its out= form. The
    text contains no operator name, because a name in `seen` would look like a refusal of that operator."""
    base = operator.partition(".")[0]
    if any(one.partition(".")[0] == base for one in fallen_back):
        return ", computed by the CPU fallback"
    return ", computed by a kernel of the backend" if has_kernel(operator) else ""


NUMBERS = torch.tensor([[1.0, 2.0], [3.0, 5.0]])
# Wide, because the clause is about the operand. Other checks test how exactly atan2 and pow are computed.
ACCURACY = 1e-4


class Operands(Case):
    def test_host_scalars(self):
        """operators.cpu_scalar_tensors_are_accepted"""
        x, number = self.on_device(NUMBERS), torch.tensor(2.0)
        for name, seen in each_offered(self, ELEMENTWISE, lambda call: call(x, number), lambda call: call(x, x)):
            what = f"{name} accepts a zero-dimensional CPU tensor"
            self.expect_device(seen, x.device, what)
            self.expect_tensor(seen, ELEMENTWISE[name](NUMBERS, number), what, rtol=ACCURACY)
        first = {name: ELEMENTWISE[name] for name in NUMBERS_FIRST}
        for name, seen in each_offered(self, first, lambda call: call(number, x), lambda call: call(x, x)):
            what = f"{name} accepts a zero-dimensional CPU tensor before the device tensor"
            self.expect_device(seen, x.device, what)
            self.expect_tensor(seen, ELEMENTWISE[name](number, NUMBERS), what, rtol=ACCURACY)

    def refuses(self, table, other, where):
        """Expects that no call in the table accepts `other` together with a tensor of the first device, in either
        order."""
        x, asked, taken = self.on_device(NUMBERS), [], []
        for place, given in {"after": (x, other), "before": (other, x)}.items():
            mine = {name: call for name, call in table.items() if place == "after" or not name.startswith(BY_THE_FIRST)}
            for name, error in each_offered(self, mine, lambda call, given=given: self.error_of(call, *given)):
                asked.append(f"{name}, {place} the device tensor")
                if not error:
                    taken.append(asked[-1])
                    self.fail_taken(f"{name} refuses a tensor of {where} {place} the device tensor", mine[name], given)
        if taken:
            note_failed(self, asked, taken, lambda name: name.rpartition(", ")[0])

    def fail_taken(self, what, call, given):
        """Reports which operand of which operator was on which device, and whether the CPU computed the result."""
        operator, operands = mixed_call(call, given)
        way = way_of(operator, self.fallbacks_of_case()) if operator else ""
        self.expect(False, what + (f": {operator}({operands})" if operands else ""), f"it returned a result{way}")

    def error_of(self, call, x, other):
        """Returns the error of the call, but raises a refusal of the operator itself."""
        try:
            self.on_cpu(call(x, other))
        except RuntimeError as error:
            if isinstance(error, NotImplementedError) or self.refused_means(str(error)):
                raise
            return error
        return None

    def test_host_tensors(self):
        """operators.cpu_tensors_are_rejected"""
        self.refuses(ELEMENTWISE | PRODUCTS | PLACES, NUMBERS, "the CPU")

    def test_two_devices(self):
        """operators.tensors_of_another_device_are_rejected"""
        self.refuses(ELEMENTWISE | PRODUCTS | PLACES, self.on_device(NUMBERS, 1), str(self.devices[1]))

    def test_elsewhere(self):
        """operators.kernels_run_on_the_device_of_their_tensors"""
        self.put_device_back()
        for current, other in ((0, 1), (1, 0)):
            here, there = self.devices[current], self.devices[other]
            for name, call, one in each(self, ELSEWHERE):
                with one:
                    torch.accelerator.set_device_index(there.index)
                    x, y = self.on_device(NUMBERS, other), self.on_device(NUMBERS.flip(0), other)
                    wanted = self.on_cpu(call(x, y))  # a wrong result here is not caused by the current device
                    torch.accelerator.set_device_index(here.index)
                    with self.asks_a_special_case():
                        seen = call(x, y)
                        left = torch.accelerator.current_device_index()
                        self.expect_device(seen, there, f"the result of {name} on {there} is on that device while {here} is current")
                        self.expect_equal(left, here.index, f"{name} on {there} does not change the current device {here}")
                        self.expect_tensor(seen, wanted, f"{name} on {there} gives the same result while {here} is current", rtol=1e-5, atol=1e-6)
