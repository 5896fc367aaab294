# SPDX-License-Identifier: BSD-3-Clause
"""Version counters of tensors that are changed in place. Views must share these counters."""

import torch
from assay.checks import Case
from assay.values.closeness import each_offered, expect_near, expect_refusal, ones_like

IN_PLACE = {
    "add_": lambda x: x.add_(1),
    "add_ with a tensor": lambda x: x.add_(torch.ones_like(x)),
    "mul_": lambda x: x.mul_(2),
    "zero_": lambda x: x.zero_(),
    "fill_": lambda x: x.fill_(3),
    "copy_": lambda x: x.copy_(torch.ones_like(x)),
    "clamp_": lambda x: x.clamp_(min=0),
    "setitem": lambda x: x.__setitem__(0, 5),
}


class InPlace(Case):
    def test_bumps_version(self):
        """autograd.in_place_operators_increase_the_version"""
        for name, raised in each_offered(self, IN_PLACE, self.raised_version):
            self.expect_equal(raised, 1, f"{name} increases the version by one")

    def raised_version(self, change):
        x = self.on_device(torch.ones(4))
        before = x._version
        change(x)
        return x._version - before

    def test_saved_tensor(self):
        """autograd.changed_saved_tensor_raises_in_backward"""
        for name, backward in each_offered(self, IN_PLACE, self.changed_since_saved):
            what, text = f"backward detects {name}", "modified by an inplace operation"
            expect_refusal(self, RuntimeError, text, what, backward)

    def changed_since_saved(self, change):
        """Returns the backward of a product, one of whose saved factors was changed."""
        x = self.on_device(torch.ones(4)).requires_grad_()
        y = x * x
        z = y * y
        with torch.no_grad():
            change(y)
        return lambda: z.backward(ones_like(self, z))

    def test_recorded_in_place(self):
        """autograd.in_place_operators_are_recorded"""
        twos, zeros = (self.on_device(torch.full((4,), value)) for value in (2.0, 0.0))
        changes = {
            "mul_ and add_": (lambda x: (x * 2).mul_(3).add_(x), 7.0),
            "mul_ with a tensor": (lambda x: (x * twos).mul_(twos), 4.0),
            "copy_": (lambda x: zeros.copy_(x * twos), 2.0),
        }
        for name, (gradient, slope) in each_offered(self, changes, self.gradient_through):
            expect_near(self, gradient, torch.full((4,), slope), f"{name} passes gradients")

    def gradient_through(self, change_and_slope):
        change, slope = change_and_slope
        x = self.on_device(torch.ones(4)).requires_grad_()
        change(x).backward(ones_like(self, x))
        return x.grad, slope

    def test_views_share(self):
        """autograd.views_share_version_and_data"""
        views = {
            "detach": lambda x: x.detach(),
            "view": lambda x: x.view(2, 2),
            "alias": lambda x: torch.ops.aten.alias(x),
            "slice": lambda x: x[:],
            "expand": lambda x: x.expand(1, 4),
            "t": lambda x: x.view(2, 2).t(),
        }
        for name, (x, y) in each_offered(self, views, self.written_through):
            self.expect_tensor(x, torch.ones(4), f"a change through {name} changes the tensor")
            self.expect_equal(x._version, y._version, f"{name} shares the version counter")

    def written_through(self, view):
        x = self.on_device(torch.zeros(4))
        y = view(x)
        y.fill_(1)
        return x, y

    def test_detach_is_not_recorded(self):
        """autograd.detach_cuts_the_graph"""
        x = self.on_device(torch.full((4,), 2.0)).requires_grad_()
        self.expect_equal(x.detach().requires_grad, False, "detach() removes a tensor from the graph")
        (x * (x.detach() * x.detach())).backward(ones_like(self, x))
        wanted = torch.full((4,), 4.0)
        expect_near(self, x.grad, wanted, "only the attached factor gets a gradient")
