# SPDX-License-Identifier: BSD-3-Clause
"""The cache of autocast: a region casts each weight once and keeps the cast until the region ends.

The graph shows the cache: two products that used the same cast share its node.
"""

import torch
from assay.checks import Case
from assay.checks.mixed_precision import low_precision, region
from assay.values.closeness import expect_near


def cast_node(product):
    """The graph node of the cast of a product's second operand."""
    return product.grad_fn.next_functions[1][0]


class Cache(Case):
    def setUp(self):
        super().setUp()
        self.input = self.on_device(torch.eye(4))
        self.weight = self.on_device(torch.full((4, 4), 0.5)).requires_grad_()

    def product(self):
        return torch.mm(self.input, self.weight)

    def require_cast(self, product):
        """Blocks the check if autocast casts no product. low_precision_ops_return_low_precision reports that
        failure."""
        if product.dtype != low_precision(self):
            self.block(f"mm returns {product.dtype} under autocast", "a product that autocast casts")
        name = cast_node(product).name()
        self.expect_true("Copy" in name, "the weight was cast", f"it comes from {name}")

    def expect_shared(self, one, other, what):
        nodes = (cast_node(one), cast_node(other))
        self.expect_true(nodes[0] is nodes[1], what, f"two nodes: {nodes[0]}, {nodes[1]}")

    def expect_separate(self, one, other, what):
        nodes = (cast_node(one), cast_node(other))
        self.expect_true(nodes[0] is not nodes[1], what, f"both are {nodes[0]}")

    def test_weight_is_cast_once(self):
        """amp.weight_is_cast_once_per_region"""
        with region(self):
            first, second = self.product(), self.product()
        self.require_cast(first)
        self.expect_shared(first, second, "two uses in one region share one cast")

    def test_cache_ends_with_outermost_region(self):
        """amp.cache_is_cleared_after_the_outermost_region"""
        with region(self):
            first = self.product()
            with region(self):
                inner = self.product()
            after_inner = self.product()
        with torch.no_grad():
            self.weight.add_(1)
        with region(self):
            later = self.product()
        self.require_cast(first)
        self.expect_shared(first, inner, "an inner region uses the cast of the outer one")
        self.expect_shared(first, after_inner, "leaving an inner region does not drop the cast")
        self.expect_separate(first, later, "leaving the outermost region drops the cast")
        expected = torch.full((4, 4), 1.5, dtype=low_precision(self))
        self.expect_tensor(later, expected, "the next region sees the changed weight")

    def test_cache_disabled_casts_each_time(self):
        """amp.weight_is_cast_each_time_if_the_cache_is_disabled"""
        with region(self, cache_enabled=False):
            first, second = self.product(), self.product()
        self.require_cast(first)
        self.expect_separate(first, second, "without the cache each use casts")

    def test_parameter_gradient_is_float32(self):
        """amp.parameter_gradient_is_float32"""
        layer = torch.nn.Linear(4, 4)
        expected = torch.nn.Linear(4, 4)
        expected.load_state_dict(layer.state_dict())
        x = torch.eye(4)
        expected(x).sum().backward()
        layer = layer.to(self.device)
        with region(self):
            loss = layer(x.to(self.device)).sum()
        with self.asks_a_special_case():
            loss.backward()
        for name, parameter in layer.named_parameters():
            wanted = dict(expected.named_parameters())[name].grad
            seen = parameter.grad
            self.require(expect_near(self, seen, wanted, f"the gradient of {name} equals the float32 gradient"))
            self.expect_device(seen, self.device, f"the result is on the device of {name}")
