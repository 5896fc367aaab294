# SPDX-License-Identifier: BSD-3-Clause
"""Gradients equal the CPU's and are on the device of their leaf. Recording of gradients can be switched on and off."""

import warnings

import torch
import torch.nn.functional as F
from assay.checks import Case
from assay.values.closeness import each_offered, expect_near, ones_like, require_derivative, run_backward
from suites.autograd.own_kernels import own_composite_operators, sample_of
from torch.autograd.gradcheck import GradcheckError

SMOOTH = {
    "mul": lambda x: x * x,
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
    "multiply": torch.multiply,
    "linear": lambda x, w: F.linear(x, w, w[0]),
    "matmul": lambda x, w: x @ w,
    "softmax": lambda x, w: torch.softmax(x * w, -1),
    "log_softmax": lambda x, w: F.log_softmax(x * w, -1),
    "layer_norm": lambda x, w: F.layer_norm(x, (4,), w[0], w[1]),
    "silu": lambda x, w: F.silu(x * w),
    "gelu": lambda x, w: F.gelu(x * w),
}
# PyTorch calls these operators only if the backend has registered them. So a refused operator is a failure.
OWED = ("aten::linear_backward", "aten::matmul_backward")


def matrix(dtype=torch.float32):
    return torch.linspace(-1, 1, 16, dtype=dtype).reshape(4, 4)


def leaf(tensor):
    return tensor.detach().requires_grad_()


class Scale(torch.nn.Module):
    """The smallest layer: two parameters, a product and a sum."""

    def __init__(self):
        super().__init__()
        self.weight = torch.nn.Parameter(matrix() + 2)
        self.bias = torch.nn.Parameter(matrix() * 0.5)

    def forward(self, x):
        return x * self.weight + self.bias


class Gradients(Case):
    def leaf(self, tensor, number=0):
        return leaf(self.on_device(tensor, number))

    def expect_gradient(self, seen, expected, what):
        """`seen` is the leaf on the device. `expected` is the same leaf on the CPU."""
        if expect_near(self, seen.grad, expected.grad, what, times=4):
            self.expect_device(seen.grad, seen.device, f"{what} is on the leaf's device")

    def expect_product(self, backward):
        x, w = matrix(), matrix() + 2
        ours, theirs = [self.leaf(x), self.leaf(w)], [leaf(x), leaf(w)]
        for a, b in (ours, theirs):
            backward(a * b)
        self.expect_gradient(ours[0], theirs[0], "the gradient of the first factor")
        self.expect_gradient(ours[1], theirs[1], "the gradient of the second factor")

    def test_product(self):
        """autograd.product_gradients_match_the_cpu"""

        def backward(product):
            ones = torch.ones(4, 4).to(product.device)
            run_backward(self, product, "backward of a product runs", ones)

        self.expect_product(backward)

    def test_sum_of_product(self):
        """autograd.gradients_of_a_sum_of_products_match_the_cpu"""
        try:
            self.expect_product(lambda product: product.sum().backward())
        except NotImplementedError as error:
            require_derivative(self, error, "backward of a sum runs")
            self.expect_product(self.backward_in_two_parts)

    def backward_in_two_parts(self, product):
        """Runs backward in two parts, because the product refuses the expanded gradient of sum()."""
        handed_on = torch.autograd.grad(product.sum(), product, retain_graph=True)[0]
        one = self.op("aten::as_strided", handed_on.as_strided, (1,), (1,))
        self.expect_tensor(one, torch.ones(1), "the gradient that sum passes on is one")
        self.expect_equal(handed_on.shape, product.shape, "the gradient that sum passes on has the shape of its input")
        product.backward(torch.ones(product.shape).to(product.device))

    def test_primary_context(self):
        """autograd.backward_can_call_has_primary_context"""
        self.is_about("hooks.hasPrimaryContext")
        x = self.leaf(matrix())
        what = "backward runs; the engine calls hasPrimaryContext of the hooks for each device"
        try:
            (x * ones_like(self, x)).backward(ones_like(self, x))
        except RuntimeError as error:
            if self.refused_means(error) != "hooks.hasPrimaryContext":
                raise
            self.expect(False, what, str(error).splitlines()[0])

    def test_copy_from_cpu(self):
        """autograd.gradient_of_a_copy_returns_to_the_cpu"""
        x, factor = leaf(matrix()), self.on_device(torch.full((4, 4), 3.0))
        y = x.to(self.device) * factor
        self.require(self.expect_true(y.requires_grad, "autograd records the copy", "no graph"))
        y.backward(ones_like(self, y))
        wanted = torch.full((4, 4), 3.0)
        self.require(expect_near(self, x.grad, wanted, "the gradient reaches the CPU leaf"))
        self.expect_device(x.grad, torch.device("cpu"), "the gradient of a CPU leaf is a CPU tensor")

    def test_expanded_to_cpu(self):
        """autograd.expanded_gradient_returns_to_the_cpu"""
        x = leaf(matrix())
        x.to(self.device).sum().backward()
        expect_near(self, x.grad, torch.ones(4, 4), "a gradient that sum() expands reaches the CPU leaf")

    def test_copy_to_cpu(self):
        """autograd.gradient_of_a_copy_returns_to_the_device"""
        x = self.leaf(matrix())
        y = x.cpu() * 3
        self.require(self.expect_true(y.requires_grad, "autograd records the copy", "no graph"))
        y.sum().backward()
        wanted = torch.full((4, 4), 3.0)
        self.require(expect_near(self, x.grad, wanted, "the gradient reaches the device leaf"))
        self.expect_device(x.grad, self.device, "the gradient is on the leaf's device")

    def test_no_grad(self):
        """autograd.no_grad_records_no_graph"""
        x = self.leaf(matrix())
        recorders = {
            "a product": lambda: x * x, "a product with a number": lambda: x * 2, "a copy": x.clone,
            "a sum": x.sum, "a cast": lambda: x.to(torch.float16),
        }
        with torch.no_grad():
            for name, result in each_offered(self, recorders, lambda call: call()):
                self.expect_equal(result.requires_grad, False, f"{name} under no_grad records nothing")
            self.expect_equal(torch.is_grad_enabled(), False, "an operator does not switch recording on")
        self.expect_equal(torch.is_grad_enabled(), True, "leaving no_grad switches recording on again")
        self.expect_equal((x * x).requires_grad, True, "operators are recorded again after the region")

    def test_inference_mode(self):
        """autograd.inference_mode_gives_inference_tensors"""
        x = self.leaf(matrix())
        makers = {
            "a factory": lambda: torch.empty(4, device=self.device), "a product": lambda: x * x,
            "a copy": x.clone,
        }
        with torch.inference_mode():
            results = list(each_offered(self, makers, lambda call: call()))
        for name, result in results:
            self.expect_equal(result.is_inference(), True, f"{name} gives an inference tensor")
            self.expect_equal(result.requires_grad, False, f"{name} records nothing")
        self.expect_equal(x.is_inference(), False, "a tensor from outside does not become an inference tensor")

    def second_derivative(self, x, op):
        y = op(x)
        first = torch.autograd.grad(y, x, torch.ones(y.shape).to(y.device), create_graph=True)[0]
        if not first.requires_grad:
            return torch.zeros_like(x)
        ones = torch.ones(first.shape).to(first.device)
        return torch.autograd.grad(first, x, ones, create_graph=True)[0].detach()

    def test_create_graph(self):
        """autograd.second_derivatives_match_the_cpu"""
        ours = lambda op: self.second_derivative(self.leaf(matrix()), op)  # noqa: E731
        for name, seen in each_offered(self, SMOOTH, ours):
            wanted = self.second_derivative(leaf(matrix()), SMOOTH[name])
            expect_near(self, seen, wanted, f"the second derivative of {name}", times=20)

    def test_gradcheck(self):
        """autograd.gradcheck_passes_for_smooth_operators"""
        self.need_arithmetic_in_double()
        for name, complaint in each_offered(self, SMOOTH, self.gradcheck):
            self.expect(not complaint, f"the gradient of {name} equals its numerical slope", complaint)

    def need_arithmetic_in_double(self):
        """A backend that multiplies in single precision and refuses double precision lacks `fp64`."""
        single, double = self.on_device(matrix()), self.on_device(matrix(torch.float64))
        self.op("aten::mul.Tensor", lambda: single * single)
        try:
            double * double
        except NotImplementedError as error:
            self.lacks("fp64", error)

    def gradcheck(self, op):
        """Returns the first line of gradcheck's error. gradcheck compares on the CPU; only `op` runs on the device."""
        there = lambda x: op(x.to(self.device)).cpu()  # noqa: E731
        try:
            torch.autograd.gradcheck(there, (leaf(matrix(torch.float64)),))
        except GradcheckError as error:
            return str(error).strip().split("\n")[0]
        return ""

    def test_composite(self):
        """autograd.composite_operators_keep_gradients"""
        self.is_about(*OWED)
        own = {name: sample_of(operator) for name, operator in own_composite_operators()}
        samples = {name: call for name, call in own.items() if call}
        self.note("composite operators with a kernel of the backend", ", ".join(own))
        self.note("composite operators without a sample", ", ".join(own.keys() - samples.keys()))
        calls = {**COMPOSITE, **samples}
        for name, (leaves, refusal) in each_offered(self, calls, self.gradients_of):
            if refusal:
                self.note(name, f"the forward is refused: {refusal}")
                continue
            for seen, wanted in leaves:
                self.expect_gradient(seen, wanted, f"{name} passes gradients to every input")

    def gradients_of(self, op):
        """Returns pairs of device leaves and CPU leaves with gradients, or the refusal of the forward."""
        ours = [self.leaf(matrix()), self.leaf(matrix() + 2)]
        theirs = [leaf(matrix()), leaf(matrix() + 2)]
        wanted = op(*theirs)
        wanted.backward(wanted.detach())
        try:
            result = op(*ours)
        except NotImplementedError:
            raise
        except RuntimeError as error:
            return [], str(error)
        pairs = [(a, b) for a, b in zip(ours, theirs, strict=True) if b.grad is not None]
        if not result.requires_grad:
            self.expect(False, "autograd records the operator", "the result has no grad_fn")
            return [], "not recorded"
        with warnings.catch_warnings():
            # PyTorch may warn "an autograd kernel was not registered", but only the gradient decides
            warnings.simplefilter("ignore")
            self.backward_of(result)
        return pairs, ""

    def backward_of(self, result):
        try:
            result.backward(result.detach())
        except NotImplementedError as error:
            what = "backward of a recorded operator runs"
            if not self._is_subject(self.refused_means(error)):
                require_derivative(self, error, what)
                raise
            self.require(self.expect(False, what, str(error).split("\n")[0]))

    def test_accumulates(self):
        """autograd.two_backwards_accumulate_gradients"""
        ways = {"a second backward adds in place": False, "a second backward with create_graph=True adds": True}
        for way, seen in each_offered(self, ways, self.accumulated):
            wanted = torch.full((4, 4), 5.0)
            expect_near(self, seen, wanted, f"{way} to the gradient of the first")

    def accumulated(self, create_graph):
        x = self.leaf(matrix())
        for factor in (2.0, 3.0):
            factors = self.on_device(torch.full((4, 4), factor))
            with warnings.catch_warnings():
                warnings.simplefilter("ignore")  # create_graph makes a reference cycle; the code below breaks it
                (x * factors).backward(ones_like(self, x), create_graph=create_graph)
        gradient, x.grad = x.grad, None
        return gradient

    def test_zero_grad(self):
        """autograd.zero_grad_sets_gradients_to_zero_or_none"""
        layer = Scale().to(self.device)
        sgd = lambda **options: torch.optim.SGD(layer.parameters(), lr=1, **options)  # noqa: E731
        owners = {"module": layer, "optimizer": sgd(), "optimizer with foreach": sgd(foreach=True)}
        for name, owner in owners.items():
            x = self.on_device(matrix())
            layer(x).backward(ones_like(self, x))
            kept = [parameter.grad for parameter in layer.parameters()]
            modes = {"zeros": False, "None": True}
            for _, to_none in each_offered(self, modes, lambda mode: owner.zero_grad(mode) or mode):
                self.expect_cleared(layer, name, kept, to_none)

    def expect_cleared(self, layer, name, kept, to_none):
        left = [parameter.grad for parameter in layer.parameters()]
        if to_none:
            self.expect_equal(left, [None, None], f"zero_grad of the {name} drops gradients")
            return
        for gradient, before in zip(left, kept, strict=True):
            self.expect_true(gradient is before, f"zero_grad of the {name} keeps the tensor", "the tensor was replaced")
            wanted = torch.zeros(before.shape)
            self.expect_tensor(gradient, wanted, f"zero_grad of the {name} clears each gradient")

    def test_hooks(self):
        """autograd.hooks_receive_device_tensors"""
        seen = {}

        def remember(name, index=None):
            def hook(*arguments):
                value = arguments[-1] if index is None else arguments[index]
                seen[name] = value[0] if isinstance(value, tuple) else value

            return hook

        layer = Scale().to(self.device)
        layer.register_forward_pre_hook(remember("input of the forward"))
        layer.register_forward_hook(remember("output of the forward"))
        layer.register_full_backward_hook(remember("gradient of the output"))
        x = self.leaf(matrix())
        x.register_hook(remember("gradient of the tensor"))
        x.register_post_accumulate_grad_hook(remember("accumulated leaf"))
        (layer(x) * self.on_device(torch.full((4, 4), 3.0))).backward(ones_like(self, x))
        wanted = {
            "input of the forward": matrix(),
            "output of the forward": Scale()(matrix()).detach(),
            "gradient of the output": torch.full((4, 4), 3.0),
            "gradient of the tensor": 3 * (matrix() + 2),
            "accumulated leaf": matrix(),
        }
        for name, value in wanted.items():
            if expect_near(self, seen.get(name), value, f"a hook receives the {name}", times=4):
                self.expect_device(seen[name], self.device, f"a hook receives the {name} on its device")
