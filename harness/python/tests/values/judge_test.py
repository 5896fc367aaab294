# SPDX-License-Identifier: BSD-3-Clause
"""Tests the judge on the CPU: planted errors are found, and results of other correct libraries are accepted."""

import unittest
from unittest import mock

import torch  # noqa: E402
from assay.checks.case import Case
from assay.values.judge import Reference, compare, difference_of_values
from torch.nn import functional  # noqa: E402


def numbers(*shape, seed=3, dtype=torch.float32):
    return torch.randn(shape, generator=torch.Generator().manual_seed(seed), dtype=torch.float64).to(dtype)


def in_order(terms):
    """The sum of the terms one after the other, as a simple device computes it."""
    total = torch.zeros(terms.shape[:-1])
    for term in terms.unbind(-1):
        total = total + term
    return total


def blocks_matmul(left, right):
    """The product, summed over blocks from the last to the first."""
    total = torch.zeros(left.size(0), right.size(1), dtype=left.dtype)
    for start in reversed(range(0, left.size(1), 7)):
        total += left[:, start : start + 7] @ right[start : start + 7]
    return total


def spoiled(tensor, at, value):
    changed = tensor.clone()
    changed.view(-1)[at] = value
    return changed


X, Y = numbers(513, 130), numbers(513, 130, seed=4)
LONG, POSITIVE = numbers(4097), numbers(4097).abs()
torch.set_num_threads(1)  # on a busy machine, several threads would wait for each other
NAN, INF = float("nan"), float("inf")
CLASSES = numbers(64, 10)
TARGETS = torch.arange(64) % 10


def loss(logits):
    return functional.cross_entropy(logits, TARGETS)


# Each row has a call, its arguments, and the error that a wrong kernel causes in the result.
PLANTED = {
    "a loss off by 5e-4": (loss, [CLASSES], lambda right: right * 1.0005),
    "a sum off by 5e-4": (torch.sum, [POSITIVE], lambda right: right * 1.0005),
    "a product of matrices off by 5e-4": (torch.matmul, [X, Y.T], lambda right: right * 1.0005),
    "an addition off by 1e-5": (torch.add, [X, Y], lambda right: right * 1.00001),
    "a double off by 1e-12": (torch.mul, [X.double(), Y.double()], lambda right: right * (1 + 1e-12)),
    "a complex product off by 5e-4": (torch.mul, [X * (1 + 2j), Y * (2 - 1j)], lambda right: right * 1.0005),
    "an imaginary part": (torch.mul, [X * (1 + 2j), Y * (2 - 1j)], torch.conj_physical),
    "a half off by a tenth": (torch.add, [X.half(), Y.half()], lambda right: right * 1.1),
    "the tail of a block": (torch.exp, [X], lambda right: torch.cat([right.view(-1)[:-2], X.view(-1)[-2:]]).view_as(right)),
    "one element of a product": (torch.matmul, [X, Y.T], lambda right: spoiled(right, 1000, right.view(-1)[1000] + 0.01)),
    "one small element beside large ones": (
        torch.mul, [X * 1e6, spoiled(Y, 7, 1e-6)], lambda right: spoiled(right, 7, right.view(-1)[7] * 1.001)),
    "a term that is left out": (torch.sum, [POSITIVE], lambda right: right - 1),
    "one dim": (lambda x: x.sum(0), [X], lambda right: right.flip(0)),
    "NaN for a number": (torch.exp, [X], lambda right: spoiled(right, 5, NAN)),
    "a number for NaN": (torch.exp, [spoiled(X, 5, NAN)], lambda right: spoiled(right, 5, 1.0)),
    "infinity for a number": (torch.exp, [X], lambda right: spoiled(right, 5, INF)),
    "the other infinity": (torch.mul, [spoiled(X, 5, INF), Y.abs()], lambda right: spoiled(right, 5, -INF)),
    "a large number for infinity": (torch.exp, [spoiled(X, 5, 100.0)], lambda right: spoiled(right, 5, 3e38)),
    "a whole number": (torch.argmax, [X], lambda right: right + 1),
    "a truth": (torch.gt, [X, Y], lambda right: spoiled(right, 3, not right.view(-1)[3])),
    "rounded to the other side": (torch.floor, [X * 100], lambda right: spoiled(right, 3, right.view(-1)[3] + 1)),
    "another dtype": (torch.add, [X, Y], lambda right: right.double()),
    "another shape": (torch.add, [X, Y], lambda right: right[None]),
    "one result less": (lambda x: x.max(0), [X], lambda right: [right[0]]),
    "no tensor": (torch.sum, [X], lambda right: right.item()),
    "the second of two results": (lambda x: list(x.max(0)), [X], lambda right: [right[0], right[1] * 0]),
    "a plain number": (lambda x: x.sum().item(), [POSITIVE], lambda right: right * 1.0005),
    "another plain number": (lambda x: x.dim(), [X], lambda right: right + 1),
}
KINDS = {
    "NaN for a number": "nonfinite", "another dtype": "dtype", "another shape": "shape", "one result less": "structure",
    "no tensor": "structure", "a truth": "value", "a loss off by 5e-4": "value",
}
# Each row has a call, its arguments, and another computation that is as correct as the CPU's.
ALLOWED = {
    "a sum in order": (torch.sum, [LONG], in_order),
    "a sum of positive numbers in order": (torch.sum, [POSITIVE], in_order),
    "a sum of rows in order": (lambda x: x.sum(-1), [X], in_order),
    "a mean by thirds": (torch.mean, [LONG], lambda x: (x[::3].sum() + x[1::3].sum() + x[2::3].sum()) / len(x)),
    "a variance by moments": (torch.var, [LONG], lambda x: ((x * x).sum() - x.sum() ** 2 / len(x)) / (len(x) - 1)),
    "a product in blocks": (torch.matmul, [X, Y.T], blocks_matmul),
    "a product of halves in float32": (torch.matmul, [X.half(), Y.half().T], lambda x, y: (x.float() @ y.float()).half()),
    "softmax by a sum of exponentials": (lambda x: x.softmax(-1), [X], lambda x: (x - x.logsumexp(-1, True)).exp()),
    "power by logarithms": (torch.pow, [POSITIVE + 0.1, LONG * 2], lambda x, y: (y.double() * x.log()).exp().float()),
    "two ulp": (torch.exp, [X], lambda x: torch.nextafter(torch.nextafter(x.exp(), torch.tensor(INF)), torch.tensor(INF))),
    "gelu by another formula": (functional.gelu, [X], lambda x: x * 0.5 * (1 + torch.erf(x * 0.5**0.5))),
    "a solution by the inverse": (torch.linalg.solve, [X[:40, :40], Y[:40, :2]], lambda x, y: torch.linalg.inv(x) @ y),
    "flushed denormals": (torch.mul, [X * 1e-38, Y * 0.1], lambda x, y: torch.where((x * y).abs() < 1.2e-38, 0, x * y)),
    "a boundary that a rounding decides": (
        lambda x, y: (x / y).floor(), [torch.tensor([1.0, 7.0]), torch.tensor([0.1, 0.1])],
        lambda x, y: (x.double() / y.double()).floor().float()),
    "an overflow that is none in float32": (
        torch.mul, [torch.tensor([300.0], dtype=torch.half)] * 2, lambda x, y: torch.tensor([INF], dtype=torch.half)),
    "normalisation of a layer": (
        lambda x: functional.layer_norm(x, x.shape[-1:]), [X * 3 + 50],
        lambda x: (x - x.mean(-1, True)) / (x.var(-1, unbiased=False, keepdim=True) + 1e-5).sqrt()),
    "a loss by hand": (loss, [CLASSES], lambda x: -(x - x.exp().sum(-1, True).log())[range(64), TARGETS].sum() / 64),
}


class Replaced(unittest.TestCase):
    def test_functions_that_a_target_has_replaced_do_not_judge(self):
        """Replaces PyTorch's comparisons, as a target may do at load, so that they call all values equal."""
        names = ("equal", "allclose", "isclose", "eq", "ne", "where", "maximum", "all", "logical_or")
        wrong, right = torch.tensor([1.0, 2.0]), torch.tensor([1.0, 3.0])
        case = Case()
        with mock.patch.multiple(torch, **{name: lambda *_, **__: True for name in names}):
            self.assertTrue(compare(wrong, Reference(right)))
            self.assertTrue(compare(wrong, Reference.of(torch.add, (right, 0))))
            with self.assertRaises(AssertionError):
                case.expect_tensor(wrong, right, "the numbers of the CPU")
            with self.assertRaises(AssertionError):
                case.expect_tensor(wrong, right, "the numbers of the CPU", rtol=1e-5)
            with self.assertRaises(AssertionError):
                case.expect_different(right, right.clone(), "other numbers")


class Judged(unittest.TestCase):
    def test_a_planted_error_is_seen(self):
        for name, (call, arguments, spoil) in PLANTED.items():
            with self.subTest(name):
                reference = Reference.of(call, arguments)
                self.assertEqual(compare(call(*arguments), reference), [])
                found = compare(spoil(reference.cpu), reference)
                self.assertTrue(found)
                if name in KINDS:
                    self.assertEqual(found[0].kind, KINDS[name])

    def test_without_a_double_a_loss_off_by_5e_4_is_seen_all_the_same(self):
        right = loss(CLASSES)
        self.assertTrue(compare(right * 1.0005, right))

    def test_another_right_way_is_none(self):
        for name, (call, arguments, otherwise) in ALLOWED.items():
            with self.subTest(name):
                self.assertEqual(compare(otherwise(*arguments), Reference.of(call, arguments)), [])

    def test_an_element_that_the_cpu_gets_wrong_excuses_no_other(self):
        right = X.exp()
        wrong_cpu = spoiled(right, 3, right.view(-1)[3] + 100)
        self.assertIsNone(difference_of_values(spoiled(right, 3, right.view(-1)[3]), wrong_cpu, X.double().exp()))
        self.assertIsNotNone(difference_of_values(spoiled(right, 9, right.view(-1)[9] * 1.001), wrong_cpu, X.double().exp()))

    def test_where_nothing_but_error_is_left_only_more_of_it_is_wrong(self):
        right, other = X[0] * 1e-7, X[1] * 1e-7
        reference = Reference(right, X[0].double() * 1e-17, is_long=True)
        self.assertEqual(compare(other, reference), [])
        self.assertTrue(compare(other + 0.01, reference))

    def test_a_longer_dtype_is_as_precise_as_what_was_computed_in(self):
        right = X.exp().double()
        self.assertTrue(compare(right * (1 + 1e-7), right))
        self.assertEqual(compare(right * (1 + 1e-7), Reference(right, precision=torch.float32)), [])
        self.assertTrue(compare(right * 1.0005, Reference(right, precision=torch.float32)))

    def test_some_results_are_only_looked_at(self):
        self.assertEqual(compare([X, Y + 1], [X, Y], values=lambda number: number != 1), [])
        self.assertEqual([one.kind for one in compare([X, Y.double()], [X, Y], values=False)], ["dtype"])

    def test_a_part_keeps_what_the_whole_has(self):
        whole = Reference({"a": X, "b": X.exp()}, lambda: {"a": X.double(), "b": X.double().exp()})
        self.assertTrue(compare(X.exp() * 1.0005, whole.part("b")))
        self.assertEqual(compare(X.exp(), whole.part("b")), [])

    def test_the_sign_of_a_zero_is_asked_where_somebody_wants_it(self):
        self.assertEqual(compare(torch.tensor([0.0]), torch.tensor([-0.0])), [])
        self.assertEqual([one.kind for one in compare(torch.tensor([0.0]), torch.tensor([-0.0]), signs=True)], ["signed zero"])

    def test_doubles_with_the_digits_of_a_float32_are_told_so(self):
        exact = torch.linspace(0.1, 5, 7, dtype=torch.float64)
        (told,) = compare(exact.float().double(), exact)
        self.assertTrue(told.endswith("elements differ, as if computed in float32"), told)
        for off in (1e-3, 1e-12):
            (told,) = compare(exact + off, exact)
            self.assertTrue(told.endswith("elements differ"), told)

    def test_every_difference_is_told_and_the_worst_element_of_each(self):
        seen = [spoiled(spoiled(X, 3, 9.0), 4, 1000.0), X, Y + 1]
        first, last = compare(seen, [X, X, Y])
        self.assertIn("number 0: element 4 is 1000.0", first)
        self.assertIn("2 of", first)
        self.assertIn("number 2: ", last)

    def test_the_double_is_not_made_for_what_is_equal(self):
        def never():
            raise AssertionError("nobody needs it")

        self.assertEqual(compare([X.clone(), 3], Reference([X, 3], never, never)), [])

    def test_a_place_is_asked(self):
        self.assertEqual([one.kind for one in compare(X, X, place=torch.device("meta"))], ["device"])

    def test_partial_sums_in_16_bits_are_seen_and_another_order_in_float32_is_none(self):
        for dtype in (torch.bfloat16, torch.float16):
            x, y = torch.randn(17, 300).to(dtype), torch.randn(300, 9).to(dtype)
            parts = torch.bmm(x.float().reshape(17, 10, 30).transpose(0, 1), y.float().reshape(10, 30, 9))
            mean = x.float().flip(1).cumsum(1)[:, -1].to(dtype) / 300
            reference, means = Reference.of(torch.mm, [x, y]), Reference.of(lambda one: one.mean(1), [x])
            self.assertTrue(compare(parts.to(dtype).float().sum(0).to(dtype), reference))
            self.assertEqual(compare(parts.sum(0).to(dtype), reference), [])
            self.assertEqual(compare((x.float().flip(1) @ y.float().flip(0)).to(dtype), reference), [])
            self.assertEqual(compare(mean, means), [])

    def test_rounded_product_may_be_added_in_16_bits(self):
        x, y, z = (torch.randn(*shape).bfloat16() for shape in ((9, 300), (300, 9), (9, 9)))
        self.assertEqual(compare(torch.mm(x, y) + z, Reference.of(torch.addmm, [z, x, y])), [])

    def test_short_dtypes_and_quantised_ones_are_compared(self):
        eighth = X.to(torch.float8_e4m3fn)
        self.assertEqual(compare(eighth.clone(), eighth), [])
        self.assertTrue(compare((X * 2).to(torch.float8_e4m3fn), eighth))
        pairs = X.to(torch.complex32)
        self.assertEqual(compare(pairs.clone(), pairs), [])
        self.assertTrue(compare((X * 2).to(torch.complex32), pairs))
        quantised = torch.quantize_per_tensor(X, 0.1, 0, torch.qint8)
        self.assertTrue(compare(torch.quantize_per_tensor(X + 1, 0.1, 0, torch.qint8), quantised))


if __name__ == "__main__":
    unittest.main()
