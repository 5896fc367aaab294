# SPDX-License-Identifier: BSD-3-Clause
"""Tests random_operators.py: the CPU's numbers count as correct, in calls of any size and after equal seeds. Other
distributions are reported."""

import unittest

import torch
from assay.watcher.random_calls import of_dropout, of_permutation
from assay.watcher.random_operators import ENOUGH, Drawn, form_of, numbers_of

A = torch.ops.aten
RIGHT = [
    (A.uniform_.default, lambda: (torch.empty(8000), -2.0, 3.0)),
    (A.uniform_.default, lambda: (torch.empty(8000, dtype=torch.bfloat16), 0.0, 1.0)),
    (A.normal_.default, lambda: (torch.empty(8000), 2.0, 3.0)),
    (A.exponential_.default, lambda: (torch.empty(8000), 2.0)),
    (A.bernoulli_.float, lambda: (torch.empty(8000), 0.3)),
    (A.native_dropout.default, lambda: (torch.ones(8000), 0.2, True)),
    (getattr(A.random_, "from"), lambda: (torch.empty(8000), -5, 9)),
    (A.randint.low, lambda: (3, 12, [8000])),
    (A.randn.default, lambda: ([8000],)),
]


def judged(function, calls, seed=None):
    """Returns the verdict on these calls: a message, "" if correct, None if there are too few numbers."""
    drawn = Drawn()
    torch.manual_seed(7)
    for arguments in calls:
        if seed is not None:
            torch.manual_seed(seed)
        form = form_of(function, arguments, {})
        said = drawn.add(form, numbers_of(function, function(*arguments)))
        if said:
            return said
    return drawn.verdict()


class Moments(unittest.TestCase):
    def test_what_the_cpu_draws_is_right(self):
        for function, arguments in RIGHT:
            with self.subTest(function=str(function)):
                self.assertEqual(judged(function, [arguments() for _ in range(12)]), "")

    def test_same_seed_before_each_call_counts_once(self):
        calls = [(torch.empty(8000), 0.0, 1.0)] * 20
        self.assertIsNone(judged(A.uniform_.default, calls, seed=3))

    def test_what_nobody_knows_the_moments_of_has_no_form(self):
        for function, arguments in ((A.cauchy_.default, (torch.empty(9),)), (A.bernoulli.default, (torch.rand(9),)),
                                    (A.bernoulli_.float, (torch.empty(9), 0.001)), (A.random_.default, (torch.empty(9),))):
            self.assertIsNone(form_of(function, arguments, {}), str(function))

    def test_other_numbers_are_wrong(self):
        form = form_of(A.normal_.default, (None, 0.0, 1.0), {})
        numbers = torch.randn(ENOUGH + 64, generator=torch.Generator().manual_seed(1))
        repeated = numbers.reshape(-1, 32)[:, :16].repeat(1, 2).reshape(-1)
        for name, wrong, words in (("spread", numbers * 1.1, "the spread"), ("mean", numbers + 0.1, "the mean"),
                                   ("neighbours", numbers[:ENOUGH // 2 + 32].repeat_interleave(2), "numbers 1 apart"),
                                   ("pattern", repeated.reshape(-1, 32).repeat_interleave(2, 0).reshape(-1)[:ENOUGH + 64], "32 apart")):
            with self.subTest(name):
                drawn = Drawn()
                self.assertIsNone(drawn.add(form, wrong))
                self.assertIn(words, drawn.verdict())
        drawn = Drawn()
        self.assertIn("expected from 0 to 1", drawn.add(form_of(A.rand.default, ([99],), {}), torch.ones(99)))

    def test_few_numbers_are_judged_by_bounds_that_hold_for_any_count(self):
        form = form_of(A.native_dropout.default, (None, 0.5, True), {})
        for share, words in ((0.5, ""), (0.35, "the mean")):
            drawn = Drawn()
            for seed in range(4):
                self.assertIsNone(drawn.add(form, torch.rand(2000, generator=torch.Generator().manual_seed(seed)) < share))
            self.assertIsNone(drawn.verdict())
            self.assertIn(words, drawn.verdict_on_few())
            self.assertEqual(drawn.verdict_on_few() == "", not words)
        for function, arguments in RIGHT:
            drawn = Drawn()
            drawn.add(form_of(function, arguments(), {}), numbers_of(function, function(*arguments())))
            self.assertEqual(drawn.verdict_on_few(), "", str(function))

    def test_dropout_scales_what_its_mask_keeps(self):
        x = torch.cat((torch.randn(99), torch.tensor([0.0, float("nan"), float("inf"), 3e38])))
        for dtype in (torch.float32, torch.bfloat16, torch.float16):
            given = x.to(dtype), 0.3, True
            result, mask = A.native_dropout(*given)
            self.assertIsNone(of_dropout(given, (result, mask), False))
            for wrong in (result * 0.9, result.roll(1), torch.where(mask, result, given[0])):
                self.assertIn("expected", of_dropout(given, (wrong, mask), False))
        self.assertIsNone(of_permutation((), torch.randperm(50), False))
        self.assertIn("no permutation", of_permutation((), torch.zeros(2, dtype=torch.int64), False))


if __name__ == "__main__":
    unittest.main()
