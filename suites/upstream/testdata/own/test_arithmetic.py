# SPDX-License-Identifier: BSD-3-Clause
"""Tests that pass on a backend that computes the same results as the CPU."""

import torch
from torch.testing import make_tensor
from torch.testing._internal.common_device_type import dtypes, instantiate_device_type_tests, ops
from torch.testing._internal.common_methods_invocations import op_db
from torch.testing._internal.common_utils import TestCase, parametrize, run_tests

EVERY = (
    torch.float16, torch.bfloat16, torch.float32, torch.float64, torch.int8, torch.int16, torch.int32,
    torch.int64, torch.uint8, torch.complex64,
)
REAL = tuple(dtype for dtype in EVERY if not dtype.is_complex)
FLOATS = tuple(dtype for dtype in EVERY if dtype.is_floating_point)
FEW_OPS = [op for op in op_db if op.name in ("neg", "flatten", "t", "zeros_like")]


class TestArithmetic(TestCase):
    def same(self, work, device, *inputs):
        """The result must be the same on both devices."""
        self.assertEqual(work(*(one.to(device) for one in inputs)).cpu(), work(*inputs))

    def one(self, dtype):
        return make_tensor((3, 4), dtype=dtype, device="cpu", low=1, high=5)

    @dtypes(*EVERY)
    def test_add(self, device, dtype):
        self.same(torch.add, device, self.one(dtype), self.one(dtype))

    @dtypes(*EVERY)
    def test_sub(self, device, dtype):
        self.same(torch.sub, device, self.one(dtype), self.one(dtype))

    @dtypes(*EVERY)
    def test_mul(self, device, dtype):
        self.same(torch.mul, device, self.one(dtype), self.one(dtype))

    @dtypes(*EVERY)
    def test_neg(self, device, dtype):
        self.same(torch.neg, device, self.one(dtype))

    @dtypes(*EVERY)
    def test_sum(self, device, dtype):
        self.same(torch.sum, device, self.one(dtype))

    @dtypes(*EVERY)
    def test_cat(self, device, dtype):
        self.same(lambda a, b: torch.cat([a, b]), device, self.one(dtype), self.one(dtype))

    @dtypes(*EVERY)
    def test_transpose(self, device, dtype):
        self.same(lambda a: a.t().contiguous(), device, self.one(dtype))

    @dtypes(*EVERY)
    def test_slice(self, device, dtype):
        self.same(lambda a: a[1:, ::2], device, self.one(dtype))

    @dtypes(*EVERY)
    def test_view(self, device, dtype):
        self.same(lambda a: a.view(-1), device, self.one(dtype))

    @dtypes(*EVERY)
    def test_fill(self, device, dtype):
        self.same(lambda a: a.clone().fill_(3), device, self.one(dtype))

    @dtypes(*EVERY)
    def test_copy(self, device, dtype):
        self.same(lambda a: torch.empty_like(a).copy_(a), device, self.one(dtype))

    @dtypes(*EVERY)
    def test_equal(self, device, dtype):
        here = self.one(dtype).to(device)
        self.assertTrue(torch.equal(here, here.clone()))

    @dtypes(*EVERY)
    def test_expand(self, device, dtype):
        self.same(lambda a: a[:1].expand(5, 4).contiguous(), device, self.one(dtype))

    @dtypes(*EVERY)
    def test_where(self, device, dtype):
        self.same(lambda a: torch.where(a == a, a, -a), device, self.one(dtype))

    @dtypes(*EVERY)
    def test_stack(self, device, dtype):
        self.same(lambda a: torch.stack([a, a]), device, self.one(dtype))

    @dtypes(*REAL)
    def test_max(self, device, dtype):
        self.same(torch.max, device, self.one(dtype))

    @dtypes(*REAL)
    def test_less(self, device, dtype):
        self.same(torch.lt, device, self.one(dtype), self.one(dtype))

    @dtypes(*FLOATS)
    def test_div(self, device, dtype):
        self.same(torch.div, device, self.one(dtype), self.one(dtype))

    @dtypes(*FLOATS)
    def test_gradient(self, device, dtype):
        here = self.one(dtype).to(device).requires_grad_()
        (here * here).sum().backward()
        self.assertEqual(here.grad, 2 * here.detach())

    @parametrize("size", range(77))
    def test_size(self, device, size):
        self.assertEqual(torch.zeros(size, device=device).sum().item(), 0)

    @parametrize("dim", [0, 1])
    @parametrize("keepdim", [True, False])
    @dtypes(*FLOATS)
    def test_sum_of_a_dimension(self, device, dtype, dim, keepdim):
        self.same(lambda a: a.sum(dim, keepdim=keepdim), device, self.one(dtype))

    @ops(FEW_OPS, allowed_dtypes=(torch.float32, torch.int64))
    def test_op(self, device, dtype, op):
        for sample in op.sample_inputs(device, dtype):
            here = op(sample.input, *sample.args, **sample.kwargs)
            arguments = sample.transform(lambda one: one.cpu() if torch.is_tensor(one) else one)
            there = op(arguments.input, *arguments.args, **arguments.kwargs)
            self.assertEqual(here.cpu(), there)


instantiate_device_type_tests(TestArithmetic, globals())

if __name__ == "__main__":
    run_tests()
