# SPDX-License-Identifier: BSD-3-Clause
"""Device kernels against the CPU: dtypes, layouts, promotion, reductions, products, indexing."""

import itertools
import threading
import unittest
import warnings

import torch

from operator_case import DEVICES, OperatorCase
from torch_fakedev import testing

FLOATS = (torch.float32, torch.float64, torch.float16, torch.bfloat16)
INTEGERS = (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64)
ALL = FLOATS + INTEGERS + (torch.bool, torch.complex64, torch.complex128)

UNARY_FLOAT = (torch.exp, torch.sin, torch.cos, torch.tanh, torch.sigmoid, torch.erf,
               torch.reciprocal)
UNARY_REAL = (torch.abs, torch.neg, torch.floor, torch.ceil, torch.trunc, torch.round, torch.sign,
              torch.relu)
BINARY = (torch.add, torch.sub, torch.mul, torch.maximum, torch.minimum)
COMPARE = (torch.eq, torch.ne, torch.lt, torch.le, torch.gt, torch.ge, torch.logical_and,
           torch.logical_or, torch.logical_xor)


class Elementwise(OperatorCase):
    def test_unary_on_every_layout(self):
        for function in UNARY_FLOAT + UNARY_REAL:
            for name, tensor in self.layouts(torch.float32).items():
                with self.subTest(function=function.__name__, layout=name):
                    self.check(function, tensor)

    def test_unary_on_every_dtype(self):
        for function, dtype in itertools.product(UNARY_REAL, FLOATS + INTEGERS):
            with self.subTest(function=function.__name__, dtype=dtype):
                self.check(function, self.layouts(dtype)["contiguous"])
        for function, dtype in itertools.product(UNARY_FLOAT[:-1], INTEGERS + FLOATS[:2]):
            with self.subTest(function=function.__name__, dtype=dtype):
                self.check(function, self.layouts(dtype)["contiguous"])

    def test_roots_and_logarithm(self):
        for function in (torch.sqrt, torch.rsqrt, torch.log):
            self.check(function, torch.rand(4, 5) + 0.1)

    def test_nan_and_infinity(self):
        special = torch.tensor([float("nan"), float("inf"), -float("inf"), 0.0, -0.0, 1.0])
        for function in (torch.relu, torch.abs, torch.exp, torch.sign, torch.isnan, torch.isinf,
                         torch.isfinite, lambda x: x.clamp(-1, 1), lambda x: x.amax(),
                         lambda x: torch.maximum(x, x.flip(0).neg()), lambda x: x.argmax()):
            self.check(function, special, falls_back=True)

    def test_binary_on_every_pair_of_layouts(self):
        for function in BINARY + (torch.div,):
            for name, tensor in self.layouts(torch.float32).items():
                other = torch.randn(tensor.shape)
                with self.subTest(function=function.__name__, layout=name):
                    self.check(function, tensor, other)
                    self.check(function, other, tensor)

    def test_promotion_equals_cpu(self):
        for left, right in itertools.product(ALL, repeat=2):
            with self.subTest(left=left, right=right):
                self.check(torch.add, torch.ones(3).to(left), torch.ones(2, 1).to(right))

    def test_comparisons(self):
        for function in COMPARE:
            for dtype in (torch.float32, torch.int64, torch.bool):
                tensors = self.layouts(dtype)
                self.check(function, tensors["contiguous"], tensors["offset"])
        for value in (0, 1, 2.5, True):
            self.check(lambda x, v=value: x == v, torch.arange(4))
            self.check(lambda x, v=value: x < v, torch.arange(4.0))

    def test_cpu_scalars_mix_with_device_tensors(self):
        for device in DEVICES:
            x = torch.arange(4.0, device=device)
            for function in BINARY + COMPARE + (torch.div, torch.pow):
                self.assert_same(function(x, torch.tensor(2.0)),
                                 function(x.cpu(), torch.tensor(2.0)))
                if not function.__name__.startswith("logical"):  # core makes their out on the CPU
                    self.assert_same(function(torch.tensor(2.0), x),
                                     function(torch.tensor(2.0), x.cpu()))

    def test_mixed_devices_are_refused(self):
        x = torch.ones(3, 3, device=DEVICES[0])
        others = [torch.ones(3, 3)] + [torch.ones(3, 3, device=d) for d in DEVICES[1:]]
        for function in (torch.add, torch.mm, torch.eq, torch.maximum,
                         lambda a, b: torch.cat([a, b]), lambda a, b: torch.addmm(a, a, b)):
            for other in others:
                with self.assertRaisesRegex(RuntimeError, "same device"):
                    function(x, other)

    def test_division_modes_and_remainders(self):
        for dtype in (torch.float32, torch.int32):
            a = torch.tensor([7, -7, 8, -8], dtype=dtype)
            b = torch.tensor([2, 2, -3, -3], dtype=dtype)
            self.check(torch.div, a, b)
            for mode in ("trunc", "floor"):
                self.check(lambda x, y, m=mode: torch.div(x, y, rounding_mode=m), a, b,
                           falls_back=dtype == torch.int32)
            self.check(torch.remainder, a, b, falls_back=dtype == torch.int32)
            self.check(torch.fmod, a, b, falls_back=dtype == torch.int32)

    def test_in_place_and_out_forms(self):
        for device in DEVICES:
            x = torch.randn(3, 4, device=device)
            expected = x.cpu() + 2
            self.assertIs(x.add_(2), x)
            self.assert_same(x, expected)
            out = torch.empty(3, 4, device=device)
            pointer = out.data_ptr()
            torch.mul(x, 2, out=out)
            self.assertEqual(out.data_ptr(), pointer)
            self.assert_same(out, expected * 2)
            empty = torch.empty(0, device=device)
            with warnings.catch_warnings():
                warnings.simplefilter("error")
                torch.sub(x, 1, out=empty)
            self.assert_same(empty, expected - 1)
            with self.assertRaisesRegex(RuntimeError, "can't be cast"):
                torch.add(x, 1, out=torch.empty(3, 4, dtype=torch.int64, device=device))
            with self.assertRaisesRegex(RuntimeError, "more than one element"):
                torch.zeros(1, device=device).expand(3).add_(1)
            with self.assertRaisesRegex(RuntimeError, "single memory location"):
                y = torch.zeros(4, device=device)
                y[1:].add_(y[:-1])

    def test_slices_are_changed_exactly(self):
        def run(x):
            x[2:].fill_(3)
            x[:, 1].add_(1)
            x.t()[0].mul_(2)
            x[::2, ::3].zero_()
            return x
        self.check(lambda x: run(x.clone()), torch.randn(6, 7))

    def test_ternary(self):
        a, b, c = torch.randn(3, 4), torch.randn(4), torch.rand(3, 1) + 1
        self.check(lambda x, y, z: torch.addcmul(x, y, z, value=0.5), a, b, c)
        self.check(lambda x, y, z: torch.addcdiv(x, y, z, value=0.5), a, b, c)
        self.check(lambda x, y: torch.lerp(x, y, 0.3), a, b)
        self.check(lambda x, y: torch.where(x > 0, x, y), a, b)
        self.check(lambda x: torch.where(x > 0, 1, x), a)
        self.check(lambda x: x.masked_fill(x > 0, 7), a)
        self.check(lambda x: x.clamp(-0.5, 0.5), a)
        self.check(lambda x: x.clamp_min(0.5), a)

    def test_conjugate_and_negative_views(self):
        z = torch.randn(3, 4, dtype=torch.complex64)
        self.check(lambda x: x.conj().resolve_conj(), z)
        self.check(lambda x: x.conj().imag.clone(), z)
        self.check(lambda x: x.conj() + x, z)
        self.check(lambda x: torch._neg_view(x) * 2, torch.randn(5))
        for device in DEVICES:
            self.assert_same(z.conj().to(device), z.conj().resolve_conj())
            target = torch.zeros(3, 4, dtype=torch.complex64, device=device)
            target.conj().copy_(z)
            self.assert_same(target, z.conj().resolve_conj())
            base = torch.zeros(3, device=device)
            torch._neg_view(base).copy_(torch.ones(3))
            self.assert_same(base, -torch.ones(3))


class Reductions(OperatorCase):
    def test_over_dims(self):
        x = torch.randn(3, 4, 5)
        for keepdim in (False, True):
            for dims in ([0], [1, 2], [0, 1, 2], [-1]):
                for function in (torch.sum, torch.mean, torch.amax, torch.amin):
                    self.check(lambda t, f=function, d=dims, k=keepdim: f(t, d, keepdim=k), x)
                self.check(lambda t, d=dims, k=keepdim: t.var(d, keepdim=k), x, falls_back=True)
                self.check(lambda t, d=dims, k=keepdim: t.logsumexp(d, keepdim=k), x,
                           falls_back=True)
            for function in (torch.argmax, torch.argmin, torch.prod, torch.all, torch.any,
                             torch.max, torch.min):
                self.check(lambda t, f=function, k=keepdim: f(t, 1, keepdim=k), x)
        for function in (torch.sum, torch.mean, torch.max, torch.min, torch.prod, torch.argmax,
                         torch.all, torch.any):
            self.check(function, x)

    def test_dtypes(self):
        for dtype in INTEGERS + (torch.bool,):
            x = self.layouts(dtype)["transposed"]
            for function in (torch.sum, torch.prod, lambda t: t.cumsum(0), lambda t: t.sum(1)):
                self.check(function, x)
        for dtype in FLOATS[2:]:
            self.check(lambda t: t.sum(1), self.layouts(dtype)["contiguous"])

    def test_empty(self):
        for function in (torch.sum, torch.prod, torch.all, torch.any, lambda t: t.sum(0),
                         lambda t: t.cumsum(0)):
            self.check(function, torch.empty(0, 3), falls_back=True)
        for device in DEVICES:
            with self.assertRaises((RuntimeError, IndexError)):
                torch.empty(0, device=device).max()

    def test_softmax(self):
        for x in (torch.randn(3, 5), torch.tensor([[1e4, 1e4 - 1, -1e4]]),
                  torch.tensor([[-float("inf"), 0.0, 1.0]])):
            self.check(lambda t: t.softmax(1), x)
            self.check(lambda t: t.log_softmax(1), x)


class Products(OperatorCase):
    def test_shapes(self):
        for left, right in (((3, 4), (4, 5)), ((4,), (4,)), ((3, 4), (4,)), ((4,), (4, 5)),
                            ((2, 1, 3, 4), (1, 2, 4, 5)), ((5, 3, 4), (4, 2))):
            falls_back = len(left) == 1 or len(right) == 1
            self.check(torch.matmul, torch.randn(left), torch.randn(right), falls_back=falls_back)

    def test_zero_sizes(self):
        for n, k, m in itertools.product((0, 3), repeat=3):
            a, b, bias = torch.randn(n, k), torch.randn(k, m), torch.randn(m)
            self.check(torch.mm, a, b)
            self.check(torch.addmm, bias, a, b)
            self.check(torch.bmm, a.expand(2, n, k), b.expand(2, k, m))

    def test_transposed_expanded_and_scaled(self):
        a, b, c = torch.randn(4, 3).t(), torch.randn(5, 4).t(), torch.randn(3, 1).expand(3, 5)
        self.check(torch.mm, a, b)
        self.check(lambda x, y, z: torch.addmm(z, x, y, beta=0.5, alpha=2), a, b, c)
        nan = torch.full((3, 5), float("nan"))
        self.check(lambda x, y, z: torch.addmm(z, x, y, beta=0), a, b, nan)
        self.check(lambda x, y, z: torch.baddbmm(z, x, y), torch.randn(2, 3, 4),
                   torch.randn(2, 4, 5), torch.randn(5))
        self.check(lambda x, y: torch.einsum("ij,kj->ik", x, y), torch.randn(3, 4),
                   torch.randn(5, 4))

    def test_dtypes(self):
        for dtype in (torch.float64, torch.int64, torch.complex64):
            self.check(torch.mm, torch.ones(3, 4).to(dtype), torch.ones(4, 2).to(dtype))
        for device in DEVICES:
            with self.assertRaisesRegex(RuntimeError, "same dtype"):
                torch.mm(torch.ones(2, 2, device=device),
                         torch.ones(2, 2, device=device).double())


class Indexing(OperatorCase):
    def test_reading(self):
        x, i, j = torch.randn(4, 5, 6), torch.tensor([0, -1, 2]), torch.tensor([[1], [0]])
        self.check(lambda t, a: t[a], x, i)
        self.check(lambda t, a: t[:, a], x, i)
        self.check(lambda t, a, b: t[a, b], x, i, j)
        self.check(lambda t, a, b: t[a, :, b], x, i, j)
        self.check(lambda t, a, b: t[:, a, b], x, i, j)
        self.check(lambda t: t[t > 0], x)
        self.check(lambda t: t.masked_select(t[0] > 0), x)
        for tensor in (x > 0, torch.zeros(3, 2), torch.empty(0, 3), x[0].round().int().t()):
            self.check(torch.nonzero, tensor)
        self.check(lambda t, a: t.index_select(1, a), x, i.abs())
        self.check(lambda t, a: t.gather(1, a), x[0], torch.tensor([[0, 5], [2, 1]]))
        self.check(lambda t: t[x.size(0):], x)

    def test_writing(self):
        i = torch.tensor([0, 2, 0])

        def put(t, a):
            t = t.clone()
            t[a] = 1.5
            t[:, a] = t[:, a] * 2
            return t.index_put((a,), t[a], accumulate=True)
        self.check(put, torch.randn(4, 5), i)
        self.check(lambda t, a: torch.zeros_like(t).scatter_add(0, a, t), torch.randn(3, 3),
                   torch.tensor([[0, 1, 2], [2, 2, 2], [0, 0, 1]]))
        self.check(lambda t, a: t.scatter(1, a, 9.0), torch.randn(3, 3),
                   torch.tensor([[0], [1], [2]]))
        self.check(lambda t: t.masked_fill(t > 0, 0).index_fill(0, (t[0, :2] > 9).long(), 1.0),
                   torch.randn(3, 3), falls_back=True)

    def test_out_of_range_raises(self):
        for device in DEVICES:
            x = torch.arange(4.0, device=device)
            far = torch.tensor([1, 2**32 + 1], device=device)
            for function in (lambda: x[far], lambda: x.index_select(0, far),
                             lambda: x.gather(0, far), lambda: x.index_put_((far,), x[:2])):
                with self.assertRaises((RuntimeError, IndexError)):
                    function()
                    torch.accelerator.synchronize(device)

    def test_joining(self):
        a, b = torch.randn(2, 3), torch.randn(4, 3)
        self.check(lambda x, y: torch.cat([x, y]), a, b)
        self.check(lambda x, y: torch.cat([x, y.int()]), a, b)
        self.check(lambda x: torch.stack([x, x * 2], 1), a)
        self.check(lambda x: torch.cat([torch.empty(0, device=x.device), x]), a)


class Threads(OperatorCase):
    def test_kernels_in_other_threads_and_streams(self):
        failures = []

        def work(device):
            try:
                stream = torch.Stream(device=device)
                with stream:
                    x = torch.full((64,), 2.0, device=device)
                    for _ in range(20):
                        x = x + 1
                    total = float(x.sum())
                if total != 64 * 22:
                    failures.append(total)
            except Exception as error:  # noqa: BLE001  a thread has no other way to say it
                failures.append(error)
        threads = [threading.Thread(target=work, args=(device,)) for device in DEVICES * 2]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join(60)
        self.assertEqual(failures, [])

    def test_kernels_run_on_the_tensors_device(self):
        before = torch.accelerator.current_device_index()
        for device in DEVICES:
            result = torch.ones(3, device=device) @ torch.ones(3, 2, device=device)
            self.assertEqual(str(result.device), device)
        self.assertEqual(torch.accelerator.current_device_index(), before)


class Fallback(OperatorCase):
    def test_is_counted_and_right(self):
        testing.forget_fallbacks()
        values, order = torch.tensor([3.0, 1.0, 2.0], device=DEVICES[-1]).sort()
        self.assert_same([values, order], [torch.tensor([1.0, 2, 3]), torch.tensor([1, 2, 0])])
        self.assertEqual(str(values.device), DEVICES[-1])
        self.assertIn("aten::sort.values_stable", testing.fallbacks())

    def test_lists_are_written_back(self):
        for fused in (False, True):
            parameters = [torch.ones(3, device=DEVICES[-1], requires_grad=True) for _ in range(2)]
            for parameter in parameters:
                parameter.grad = torch.ones_like(parameter)
            torch.optim.SGD(parameters, lr=0.5, fused=fused).step()
            for parameter in parameters:
                self.assert_same(parameter.detach(), torch.full((3,), 0.5))


if __name__ == "__main__":
    unittest.main()
