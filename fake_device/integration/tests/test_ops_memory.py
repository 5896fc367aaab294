# SPDX-License-Identifier: BSD-3-Clause
"""Operators that look at how memory is used: views with bits, expanded and overlapping tensors,
statistics that are written on the side, new memory; as on the CPU, or refused in its words."""

import unittest
import warnings

import torch

COMPLEX = torch.randn(3, 3, dtype=torch.complex64)
PRODUCTS = {
    "mm": lambda x: torch.mm(x.conj(), x),
    "bmm": lambda x: torch.bmm(x[None].conj(), x[None]),
    "addmm": lambda x: torch.addmm(x.conj(), x, x.conj()),
    "baddbmm": lambda x: torch.baddbmm(x[None].conj(), x[None].conj(), x[None]),
    "dot": lambda x: torch.dot(x[0].conj(), x[1]),
    "out": lambda x: torch.mm(x, x, out=torch.empty_like(x).conj()),
    "addmm out": lambda x: torch.addmm(x, x, x, out=torch.empty_like(x).conj()),
    "conj_physical_": lambda x: x.clone().conj_physical_(),
    "conj_physical_ of a view": lambda x: x.clone().conj().conj_physical_(),
}
EXPANDED = {
    "fill_": lambda x, index: x.fill_(2),
    "index_put_": lambda x, index: x.index_put_((index,), torch.ones(3, device=x.device)),
    "index_fill_": lambda x, index: x.index_fill_(0, index, 2.0),
    "masked_fill_": lambda x, index: x.masked_fill_(index.eq(1).expand(3), 2),
    "put_": lambda x, index: x.put_(index, torch.ones(1, device=x.device)),
    "add_": lambda x, index: x.add_(1),
}


def outcome(call):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            return call().cpu().tolist()
        except RuntimeError as error:
            return str(error).split("\n")[0]


class Views(unittest.TestCase):
    def test_products_of_conjugated_views(self):
        for name, op in PRODUCTS.items():
            with self.subTest(op=name):
                seen = op(COMPLEX.to("fakedev:1")).cpu()
                torch.testing.assert_close(seen, op(COMPLEX).resolve_conj())

    def test_writes_into_expanded_tensors(self):
        for name, op in EXPANDED.items():
            with self.subTest(op=name):
                seen, wanted = (
                    outcome(lambda device=device: op(torch.zeros(1, 3, device=device).expand(2, 3),
                                                     torch.tensor([1], device=device)))
                    for device in ("fakedev:1", "cpu")
                )
                self.assertEqual(wanted, seen)

    def test_output_that_overlaps_an_input(self):
        for op in (torch.cumsum, torch.cumprod):  # a kernel of the device, and the fallback
            x = torch.arange(6.0, device="fakedev:1")
            with self.assertRaisesRegex(RuntimeError, "single memory location"):
                op(x[1:], 0, out=x[:-1])
            self.assertEqual([0, 1, 2, 3, 4, 5], x.tolist())


class WrittenOnTheSide(unittest.TestCase):
    def test_running_statistics(self):
        x = torch.randn(4, 3, 5)
        for layer in (torch.nn.BatchNorm1d(3), torch.nn.InstanceNorm1d(3, track_running_stats=True)):
            ours = type(layer)(3, track_running_stats=True).to("fakedev:1")
            layer(x), ours(x.to("fakedev:1"))
            torch.testing.assert_close(ours.running_mean.cpu(), layer.running_mean)
            torch.testing.assert_close(ours.running_var.cpu(), layer.running_var)

    def test_update_of_statistics(self):
        x = torch.randn(4, 3)
        seen, wanted = ([torch.zeros(3, device=d), torch.ones(3, device=d)] for d in ("fakedev", "cpu"))
        torch.batch_norm_update_stats(x.to("fakedev"), *seen, 0.1)
        torch.batch_norm_update_stats(x, *wanted, 0.1)
        for ours, theirs in zip(seen, wanted):
            torch.testing.assert_close(ours.cpu(), theirs)

    def test_new_memory_where_determinism_is_asked_for(self):
        torch.use_deterministic_algorithms(True)
        try:
            seen = torch.ones(4, 4, device="fakedev:1")[:, 1:3].resize_(6, 5).cpu()
            wanted = torch.ones(4, 4)[:, 1:3].resize_(6, 5)
        finally:
            torch.use_deterministic_algorithms(False)
        self.assertTrue(torch.equal(seen.nan_to_num(7), wanted.nan_to_num(7)))


class Arguments(unittest.TestCase):
    def test_numbers_that_do_not_fit(self):
        x = torch.zeros(3, dtype=torch.uint8, device="fakedev:1")
        mask, index = torch.ones(3, dtype=torch.bool).to(x.device), torch.zeros(1, dtype=torch.long)
        for call in (lambda: x.fill_(300), lambda: x.masked_fill_(mask, 300),
                     lambda: x.scatter_(0, index.to(x.device), 300)):
            with self.assertRaisesRegex(RuntimeError, "without overflow"):
                call()
        self.assertEqual([0, 0, 0], x.tolist())

    def test_random_numbers_that_do_not_fit(self):
        for dtype, most in ((torch.uint8, 256), (torch.float16, 2049)):
            with self.assertRaises(RuntimeError):
                torch.randperm(most + 1, dtype=dtype, device="fakedev")
            self.assertEqual(most, len(set(torch.randperm(most, dtype=dtype, device="fakedev").tolist())))
        with self.assertRaisesRegex(RuntimeError, "out of bounds"):
            torch.empty(3, device="fakedev").uniform_(0, 1e39)

    def test_indices_of_another_device(self):
        index = torch.zeros(1, dtype=torch.long, device="fakedev:0")
        for tensor in (torch.ones(3), torch.ones(3, device="fakedev:1")):
            with self.assertRaisesRegex(RuntimeError, "indices should be either on cpu or on the same"):
                tensor[index]
        with self.assertRaisesRegex(IndexError, "shape mismatch: indexing tensors"):
            torch.ones(3, 3, device="fakedev")[index.expand(2), index.expand(3)]

    def test_dtypes_without_arithmetic(self):
        x = torch.full((2,), 3 + 4j, dtype=torch.complex32)
        self.assertTrue(torch.equal(x.abs(), x.to("fakedev:1").abs().cpu()))
        drawn = torch.view_as_real(torch.rand(64, dtype=torch.complex64, device="fakedev:1")).cpu()
        self.assertTrue(0 <= drawn.min() and drawn.max() < 1 and drawn.std() > 0.1)

    def test_nested_tensor_with_gradients(self):
        x = torch.ones(2, 2, device="fakedev:1", requires_grad=True)
        nested = torch.nested.as_nested_tensor([x, x])
        with self.assertRaisesRegex(NotImplementedError, "NestedTensorfakedev"):
            nested + nested


if __name__ == "__main__":
    unittest.main()
