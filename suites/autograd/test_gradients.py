# SPDX-License-Identifier: BSD-3-Clause
"""Gradients equal the CPU's, on each leaf's own device; what switches recording off and on."""

import assay
import torch
import torch.nn.functional as F
from closeness import expect_near, run_backward
from torch.autograd.gradcheck import GradcheckError

SMOOTH = {
    "mul": lambda x: x * x * 0.5,
    "div": lambda x: 1 / (x + 3),
    "exp": torch.exp,
    "log": lambda x: torch.log(x + 3),
    "tanh": torch.tanh,
    "sigmoid": torch.sigmoid,
    "sqrt": lambda x: torch.sqrt(x + 3),
    "mm": lambda x: torch.mm(x, x.t()),
    "sum": lambda x: x.sum(0) * x.mean(),
}
COMPOSITE = {
    "linear": lambda x, w: F.linear(x, w, w[0]),
    "matmul": lambda x, w: x @ w,
    "softmax": lambda x, w: torch.softmax(x * w, -1),
    "log_softmax": lambda x, w: F.log_softmax(x * w, -1),
    "layer_norm": lambda x, w: F.layer_norm(x, (4,), w[0], w[1]),
    "silu": lambda x, w: F.silu(x * w),
    "gelu": lambda x, w: F.gelu(x * w),
}
# PyTorch asks for these only of a backend that has taken the operator over: what it owes, no means.
OWED = ("aten::linear_backward", "aten::matmul_backward")


def matrix(dtype=torch.float32):
    return torch.linspace(-1, 1, 16, dtype=dtype).reshape(4, 4)


def leaf(tensor):
    return tensor.detach().requires_grad_()


class Gradients(assay.Case):
    def leaf(self, tensor, number=0):
        return leaf(self.on_device(tensor, number))

    def expect_gradient(self, seen, expected, what):
        """`seen` is the leaf on the device, `expected` the same leaf on the CPU."""
        if expect_near(self, seen.grad, expected.grad, what, times=4):
            self.expect_device(seen.grad, seen.device, f"{what}, on the leaf's device")

    def test_product(self):
        """autograd.product_equals_cpu"""
        for number in range(len(self.devices)):
            x, w = matrix(), matrix() + 2
            ours, theirs = [self.leaf(x, number), self.leaf(w, number)], [leaf(x), leaf(w)]
            for a, b in (ours, theirs):
                run_backward(self, (a * b).sum(), "backward of a product runs")
            self.expect_gradient(ours[0], theirs[0], "the gradient of the first factor")
            self.expect_gradient(ours[1], theirs[1], "the gradient of the second factor")

    def test_copy_from_cpu(self):
        """autograd.copy_returns_gradient_to_cpu"""
        x = leaf(matrix())
        y = x.to(self.device) * 3
        self.require(self.expect_true(y.requires_grad, "the copy is recorded", "no graph"))
        y.sum().backward()
        wanted = torch.full((4, 4), 3.0)
        self.require(expect_near(self, x.grad, wanted, "the gradient arrives at the CPU leaf"))
        self.expect_device(x.grad, torch.device("cpu"), "as a CPU tensor")
        z = leaf(matrix())
        z.to(self.device).sum().backward()
        expect_near(self, z.grad, torch.ones(4, 4), "also when it is an expanded tensor")

    def test_copy_to_cpu(self):
        """autograd.copy_returns_gradient_to_device"""
        x = self.leaf(matrix())
        y = x.cpu() * 3
        self.require(self.expect_true(y.requires_grad, "the copy is recorded", "no graph"))
        y.sum().backward()
        wanted = torch.full((4, 4), 3.0)
        self.require(expect_near(self, x.grad, wanted, "the gradient arrives at the device leaf"))
        self.expect_device(x.grad, self.device, "on its device")

    def test_no_grad(self):
        """autograd.no_grad_records_nothing"""
        x = self.leaf(matrix())
        with torch.no_grad():
            results = [x * 2, x.clone(), x.sum(), x.to(torch.float16)]
            after_operators = torch.is_grad_enabled()
        recorded = [result.requires_grad for result in results]
        self.expect_equal(recorded, [False] * len(results), "no_grad records no graph")
        self.expect_equal(after_operators, False, "operators leave recording off")
        self.expect_equal(torch.is_grad_enabled(), True, "leaving no_grad switches it on again")
        self.expect_equal((x * 2).requires_grad, True, "and operators record again")

    def test_inference_mode(self):
        """autograd.inference_mode_gives_inference_tensors"""
        x = self.leaf(matrix())
        with torch.inference_mode():
            made = torch.ones(4, device=self.device)
            results = {"a factory": made, "a product": x * 2, "a copy": x.clone()}
        for name, result in results.items():
            self.expect_equal(result.is_inference(), True, f"{name} gives an inference tensor")
            self.expect_equal(result.requires_grad, False, f"{name} records nothing")
        self.expect_equal(x.is_inference(), False, "a tensor from outside stays what it was")

    def second_derivative(self, x, op):
        first = torch.autograd.grad(op(x).sum(), x, create_graph=True)[0]
        if not first.requires_grad:
            return torch.zeros_like(x)
        return torch.autograd.grad(first.sum(), x)[0]

    def test_create_graph(self):
        """autograd.second_derivative_equals_cpu"""
        for name, op in SMOOTH.items():
            with self.subTest(op=name):
                seen = self.second_derivative(self.leaf(matrix()), op)
                wanted = self.second_derivative(leaf(matrix()), op)
                expect_near(self, seen, wanted, f"the second derivative of {name}", times=20)

    def test_gradcheck(self):
        """autograd.gradcheck_of_smooth_operators"""
        for name, op in SMOOTH.items():
            with self.subTest(op=name):
                x = self.leaf(matrix(torch.float64))
                try:
                    torch.autograd.gradcheck(op, (x,))
                except GradcheckError as error:
                    first = str(error).strip().split("\n")[0]
                    self.expect(False, f"{name} has the slope that its formula says", first)

    def test_composite(self):
        """autograd.composite_operators_keep_gradients"""
        self.is_about(*OWED)
        for name, op in COMPOSITE.items():
            with self.subTest(op=name):
                ours = [self.leaf(matrix()), self.leaf(matrix() + 2)]
                theirs = [leaf(matrix()), leaf(matrix() + 2)]
                op(*theirs).square().sum().backward()
                try:
                    result = op(*ours)
                except NotImplementedError:
                    raise
                except RuntimeError as error:
                    self.note(name, f"the forward is refused: {error}")
                    continue
                recorded = self.expect_true(
                    result.requires_grad, f"{name} is recorded", "the result has no grad_fn"
                )
                if not recorded:
                    continue
                try:
                    result.square().sum().backward()
                except NotImplementedError as error:
                    first = str(error).split("\n")[0]
                    self.expect(False, f"what {name} records can be run backward", first)
                    continue
                for seen, wanted in zip(ours, theirs, strict=True):
                    self.expect_gradient(seen, wanted, f"{name} passes gradients to every input")

    def test_accumulates(self):
        """autograd.two_backwards_accumulate"""
        x = self.leaf(matrix())
        for factor in (2, 3):
            (x * factor).sum().backward()
        expect_near(self, x.grad, torch.full((4, 4), 5.0), "a second backward adds to the first")

    def test_zero_grad(self):
        """autograd.zero_grad_in_both_modes"""
        for owner in ("module", "optimizer"):
            layer = torch.nn.Linear(4, 4).to(self.device)
            target = layer if owner == "module" else torch.optim.SGD(layer.parameters(), lr=1)
            layer(self.on_device(matrix())).sum().backward()
            kept = [parameter.grad for parameter in layer.parameters()]
            target.zero_grad(set_to_none=False)
            for parameter, before in zip(layer.parameters(), kept, strict=True):
                same = parameter.grad is before
                self.expect_true(same, f"zero_grad of the {owner} keeps the tensor", "it is new")
                wanted = torch.zeros(before.shape)
                self.expect_tensor(parameter.grad, wanted, f"zero_grad of the {owner} clears it")
            target.zero_grad(set_to_none=True)
            left = [parameter.grad for parameter in layer.parameters()]
            self.expect_equal(left, [None, None], f"zero_grad of the {owner} drops gradients")

    def test_hooks(self):
        """autograd.hooks_receive_device_tensors"""
        seen = {}

        def remember(name, index=None):
            def hook(*arguments):
                value = arguments[-1] if index is None else arguments[index]
                seen[name] = value[0] if isinstance(value, tuple) else value

            return hook

        layer = torch.nn.Linear(4, 4, bias=False)
        weight = layer.weight.detach().clone()
        layer = layer.to(self.device)
        layer.register_forward_pre_hook(remember("input of the forward"))
        layer.register_forward_hook(remember("output of the forward"))
        layer.register_full_backward_hook(remember("gradient of the output"))
        x = self.leaf(matrix())
        x.register_hook(remember("gradient of the tensor"))
        x.register_post_accumulate_grad_hook(remember("accumulated leaf"))
        (layer(x) * self.on_device(torch.full((4, 4), 3.0))).sum().backward()
        wanted = {
            "input of the forward": matrix(),
            "output of the forward": matrix() @ weight.t(),
            "gradient of the output": torch.full((4, 4), 3.0),
            "gradient of the tensor": torch.full((4, 4), 3.0) @ weight,
            "accumulated leaf": matrix(),
        }
        for name, value in wanted.items():
            if expect_near(self, seen.get(name), value, f"a hook receives the {name}", times=4):
                self.expect_device(seen[name], self.device, f"a hook receives the {name} there")
