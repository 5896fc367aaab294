# SPDX-License-Identifier: BSD-3-Clause
"""Moving, viewing, resizing, printing and drawing; refusals."""

import unittest
import warnings

import torch

from operator_case import DEVICES, OperatorCase
from torch_fakedev import testing

EVERY_DTYPE = (torch.float32, torch.float64, torch.float16, torch.bfloat16, torch.complex64,
               torch.complex128, torch.complex32, torch.uint8, torch.int8, torch.int16,
               torch.int32, torch.int64, torch.bool, torch.uint16, torch.uint32, torch.uint64,
               torch.float8_e4m3fn, torch.float8_e5m2)


def bits(tensor):
    return bytes(tensor.cpu().contiguous().untyped_storage())[: tensor.numel() * tensor.itemsize]


def sample(dtype):
    raw = torch.arange(1, 1 + 6 * torch.empty(0, dtype=dtype).itemsize, dtype=torch.uint8)
    return raw.view(dtype).view(2, 3) if dtype != torch.bool else torch.eye(2, 3).bool()


class Copies(OperatorCase):
    def test_every_dtype_is_byte_exact_in_every_direction(self):
        for dtype in EVERY_DTYPE:
            host = sample(dtype)
            there = host.to(DEVICES[0])
            further = there.to(DEVICES[-1])
            for copy in (there, further, there.clone(), further.t().contiguous().t()):
                with self.subTest(dtype=dtype):
                    self.assertEqual(bits(copy), bits(host))

    def test_layouts_on_both_sides(self):
        for name, source in self.layouts(torch.float32).items():
            for device in DEVICES:
                if name == "expanded":
                    continue
                target = torch.zeros(source.shape, device=device).transpose(0, -1).contiguous() \
                    .transpose(0, -1) if source.dim() > 1 else torch.zeros(source.shape, device=device)
                self.assertIs(target.copy_(source), target)
                self.assert_values(target, source)
                back = torch.empty_like(source)
                back.copy_(target)
                self.assert_values(back, source)

    def assert_values(self, one, other):
        torch.testing.assert_close(one.cpu(), other.cpu(), rtol=0, atol=0)

    def test_casting_equals_cpu(self):
        values = torch.tensor([-1.5, 0.0, 1.5, 100.7])
        for source in EVERY_DTYPE[:13]:
            for target in EVERY_DTYPE[:13]:
                with self.subTest(source=source, target=target), warnings.catch_warnings():
                    warnings.simplefilter("ignore")
                    host = values.abs().to(source) if source == torch.uint8 else values.to(source)
                    if target == torch.uint8:
                        host = host.abs() if source != torch.bool else host
                    self.assert_values(host.to(DEVICES[-1]).to(target), host.to(target))

    def test_broadcast_and_refused_shapes(self):
        for device in DEVICES:
            target = torch.zeros(2, 3, device=device)
            target.copy_(torch.arange(3.0))
            self.assert_values(target, torch.arange(3.0).expand(2, 3))
            for source in (torch.zeros(4), torch.zeros(4, device=DEVICES[0])):
                with self.assertRaises(RuntimeError):
                    target.copy_(source)
            self.assertEqual(target.shape, (2, 3))

    def test_copy_never_aliases(self):
        x = torch.ones(3, device=DEVICES[0])
        for copy in (x.to(x.dtype, copy=True), x.clone(), x.to(DEVICES[0], copy=True)):
            self.assertNotEqual(copy.data_ptr(), x.data_ptr())

    def test_pinned_copies_do_not_wait(self):
        with testing.Gate(torch.accelerator.current_stream(DEVICES[0])) as gate:
            device = torch.empty(4, device=DEVICES[0])
            host = torch.arange(4.0).pin_memory()
            device.copy_(host, non_blocking=True)
            back = torch.zeros(4).pin_memory()
            back.copy_(device, non_blocking=True)
            self.assertEqual(back.tolist(), [0, 0, 0, 0])
            gate.open()
        torch.accelerator.synchronize(DEVICES[0])
        self.assertEqual(back.tolist(), [0, 1, 2, 3])

    def test_copy_between_devices_waits_for_the_source(self):
        source = torch.zeros(4, device=DEVICES[0])
        with testing.Gate(torch.accelerator.current_stream(DEVICES[0])) as gate:
            source.fill_(3)
            copy = source.to(DEVICES[-1])
            source.fill_(4)
            gate.open()
        self.assert_values(copy, torch.full((4,), 3.0))


class Views(OperatorCase):
    def test_alias_their_base(self):
        for device in DEVICES:
            x = torch.zeros(4, 6, device=device)
            for view in (x.view(24), x.t(), x[1:], x.as_strided((2, 2), (6, 1), 3),
                         x.unfold(1, 2, 2), x.view(torch.int32), x.detach()):
                self.assertEqual(view.untyped_storage().data_ptr(), x.untyped_storage().data_ptr())
            z = torch.zeros(3, dtype=torch.complex64, device=device)
            z.real.fill_(1)
            torch.view_as_real(z)[:, 1] = 2
            self.assert_same(z, torch.full((3,), 1 + 2j, dtype=torch.complex64))
            y = torch.empty(0, device=device).set_(x)
            y.fill_(5)
            self.assertEqual(float(x[0, 0]), 5)
            with self.assertRaises(RuntimeError):
                x.as_strided((100,), (1,))
            with self.assertRaises(RuntimeError):
                x.t().view(24)
            with self.assertRaises(RuntimeError):
                x.set_(torch.zeros(3).untyped_storage())

    def test_offsets(self):
        x = torch.arange(10.0, device=DEVICES[-1])[2:]
        self.assertEqual(x.as_strided((2,), (1,)).tolist(), [2, 3])
        self.assertEqual(x.as_strided((2,), (1,), 0).tolist(), [0, 1])
        x.resize_(20)
        self.assertEqual((x.storage_offset(), x[:8].tolist()), (2, list(range(2, 10))))
        x[19] = 7
        self.assertEqual(str(x.device), DEVICES[-1])

    def test_memory_formats(self):
        for device in DEVICES:
            x = torch.empty(2, 3, 4, 5, device=device, memory_format=torch.channels_last)
            self.assertTrue((x + 1).is_contiguous(memory_format=torch.channels_last))
            self.assertTrue(torch.empty_like(x).is_contiguous(memory_format=torch.channels_last))
            self.assertTrue(x.contiguous().is_contiguous())
            strided = torch.empty_strided((2, 3), (10, 2), device=device)
            self.assertEqual((strided.stride(), strided.untyped_storage().nbytes()), ((10, 2), 60))


class Printing(OperatorCase):
    def test_every_dtype(self):
        for dtype in EVERY_DTYPE:
            if dtype == torch.complex32:
                continue
            with self.subTest(dtype=dtype):
                host = sample(dtype)
                for device in DEVICES:
                    shown = repr(host.to(device))
                    self.assertIn(f"device='{device}'", shown)
                    self.assertEqual(shown.split("]]")[0], repr(host).split("]]")[0])
        for tensor in (torch.empty(0, 3), torch.tensor(2.5), torch.tensor([float("nan"), 1e20])):
            self.assertIn("device=", repr(tensor.to(DEVICES[-1])))


class Random(OperatorCase):
    OPERATORS = (
        lambda d, g: torch.rand(9, device=d, generator=g),
        lambda d, g: torch.randn(9, device=d, generator=g),
        lambda d, g: torch.randn(9, device=d, dtype=torch.complex64, generator=g),
        lambda d, g: torch.randint(0, 1000, (9,), device=d, generator=g),
        lambda d, g: torch.randperm(50, device=d, generator=g),
        lambda d, g: torch.empty(64, device=d).bernoulli_(0.5, generator=g),
        lambda d, g: torch.bernoulli(torch.full((64,), 0.5, device=d), generator=g),
        lambda d, g: torch.empty(9, device=d).exponential_(generator=g),
        lambda d, g: torch.empty(9, device=d, dtype=torch.int16).random_(generator=g),
        lambda d, g: torch.empty(9, device=d).cauchy_(generator=g),
        lambda d, g: torch.empty(9, device=d).log_normal_(generator=g),
        lambda d, g: torch.empty(64, device=d).geometric_(0.3, generator=g),
        lambda d, g: torch.normal(torch.zeros(9, device=d), 1.0, generator=g),
        lambda d, g: torch.multinomial(torch.ones(50, device=d), 20, generator=g),
    )

    def test_seed_decides_and_draws_advance(self):
        for device in DEVICES:
            for row, draw in enumerate(self.OPERATORS):
                with self.subTest(device=device, row=row):
                    generator = torch.Generator(device=device).manual_seed(5)
                    first, second = draw(device, generator), draw(device, generator)
                    self.assertFalse(torch.equal(first, second))
                    self.assertTrue(torch.equal(first, draw(device, generator.manual_seed(5))))
                    torch.manual_seed(9)
                    default = draw(device, None)
                    torch.manual_seed(9)
                    self.assertTrue(torch.equal(default, draw(device, None)))
                    with self.assertRaisesRegex(RuntimeError, "device type"):
                        draw(device, torch.Generator())

    def test_dropout(self):
        for device in DEVICES:
            x = torch.ones(1000, device=device, requires_grad=True)
            torch.manual_seed(1)
            y = torch.nn.functional.dropout(x, 0.25)
            y.sum().backward()
            self.assertTrue(torch.equal(x.grad, y.detach()))
            self.assertTrue(600 < int((y > 0).sum()) < 900)

    def test_ranges(self):
        for dtype in (torch.uint8, torch.int8, torch.int16, torch.int32, torch.int64):
            x = torch.empty(1000, dtype=dtype, device=DEVICES[-1]).random_()
            self.assertGreaterEqual(int(x.min()), 0)
            self.assertGreater(int(x.max()), torch.iinfo(dtype).max // 2)
        u = torch.rand(10000, device=DEVICES[-1])
        self.assertTrue(bool((u >= 0).all()) and bool((u < 1).all()))
        self.assertEqual(sorted(torch.randperm(9, device=DEVICES[-1]).tolist()), list(range(9)))


class Refusals(OperatorCase):
    def test_unsupported_kinds_of_tensors_raise(self):
        x = torch.ones(3, 3, device=DEVICES[0])
        index = torch.tensor([[0, 1], [1, 0]])
        for name, function in {
                "sparse": lambda: torch.sparse_coo_tensor(index, torch.ones(2), (2, 2)).to(x.device),
                "sparse factory": lambda: torch.empty(2, 2, layout=torch.sparse_coo, device=x.device),
                "to_sparse": x.to_sparse,
                "pinned": lambda: torch.empty(2, device=x.device, pin_memory=True),
                "pin": x.pin_memory,
        }.items():
            with self.subTest(name), warnings.catch_warnings():
                warnings.simplefilter("ignore")
                with self.assertRaises((RuntimeError, NotImplementedError)):
                    function()
        self.assertFalse(x.is_pinned())

    def test_jagged_nested_tensors_work(self):
        nested = torch.nested.nested_tensor(
            [torch.ones(2, 3), torch.ones(4, 3)], layout=torch.jagged, device=DEVICES[-1])
        self.assertEqual([part.shape[0] for part in (nested * 2).unbind()], [2, 4])


if __name__ == "__main__":
    unittest.main()
