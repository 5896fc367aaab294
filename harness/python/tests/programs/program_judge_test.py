# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the judge of programs reports a wrong value in a run, and reports nothing for a correct run."""

import copy
import unittest
from unittest import mock

import torch
from assay.programs import judge as program_judge
from assay.programs.run import Run, Seen, finished
from assay.refusals import behind_fallback
from torch import nn


class Tied(nn.Module):
    def __init__(self):
        super().__init__()
        self.there, self.back = nn.Linear(4, 4), nn.Linear(4, 4)
        self.back.weight = self.there.weight

    def forward(self, x):
        return self.back(torch.tanh(self.there(x)))


def program(place):
    model, x = place.move(place.made(Tied)), place.numbers(6, 4)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
    place.train(model, optimizer, lambda number: (model(x) - x).square().mean())
    place.see("the order", x[:, 0].argsort())
    place.see("a gradient of a parameter without elements", x[:0])


def seen_in(dtype):
    return finished(program, Run("cpu", dtype))[0].seen


class Judge(program_judge.ProgramCase):
    @classmethod
    def setUpClass(cls):
        cls.wide, cls.own = seen_in(torch.float64), seen_in(torch.float32)

    def setUp(self):
        pass

    def words(self, change):
        """The verdict on a run of the CPU in which `change` modified one recorded value, selected by name."""
        seen = copy.deepcopy(self.own)
        change({one.name: one for one in seen})
        try:
            self.expect_same(seen, self.wide, self.own, (torch.float32, None), "right")
        except AssertionError as error:
            return str(error).removeprefix("right: ")
        return None

    def test_right_run_passes(self):
        self.assertIsNone(self.words(lambda seen: None))

    def test_one_more_rounding_passes(self):
        def move(seen):
            value = seen["the loss of step 3"].value
            value.copy_(torch.nextafter(value, torch.tensor(9.0)))

        self.assertIsNone(self.words(move))

    def test_five_in_ten_thousand_of_a_loss_are_seen(self):
        said = self.words(lambda seen: seen["the loss of step 2"].value.mul_(1.0005))
        self.assertRegex(said, r"^the loss of step 2: element 0 is .* expected .*; 1 of 1 elements differ")

    def test_first_difference_is_named(self):
        def change(seen):
            seen["the loss of step 3"].value.mul_(2)
            seen["the gradient of there.bias in step 2"].value[3] *= 2

        self.assertRegex(self.words(change), r"^the gradient of there.bias in step 2: element 3 .* 1 of 4 elements")

    def test_no_number_is_seen(self):
        said = self.words(lambda seen: seen["there.weight at the end"].value[0].fill_(torch.nan))
        self.assertRegex(said, r"^there.weight at the end: element \d is nan, .* 4 of 16 elements")

    def test_untied_parameters_are_named(self):
        def untie(seen):
            seen["parameters that are shared after Module.to"].value = []

        self.assertIn("parameters that are shared after Module.to: [], expected [['there.weight', ", self.words(untie))

    def test_missing_gradient_is_named(self):
        def lose(seen):
            seen["missing gradients of step 1"].value = ["back.bias"]

        self.assertEqual(self.words(lose), "missing gradients of step 1: ['back.bias'], expected []")

    def test_another_dtype_is_seen(self):
        def widen(seen):
            seen["the loss of step 1"].value = seen["the loss of step 1"].value.double()

        self.assertIn("is torch.float64 (), expected torch.float32 ()", self.words(widen))

    def test_another_order_is_seen(self):
        said = self.words(lambda seen: seen["the order"].value.copy_(seen["the order"].value.flip(0)))
        self.assertRegex(said, "^the order: 6 of 6 elements differ")

    def test_error_has_its_line_and_what_came_before(self):
        def breaks(place):
            place.see("the beginning", 1)
            raise ValueError("no more")

        run, error = finished(breaks, Run("cpu", torch.float32))
        with self.assertRaisesRegex(AssertionError, r"ValueError in \w+.py:\d+, after the beginning: no more"):
            self.expect_no_error(error, run, "runs", breaks)

    def test_behind_a_fallback_a_plain_call_is_not_refused_but_broken(self):
        def breaks(place):
            place.put(given) @ place.put(given[:2])

        for given, serves, broken in ((torch.ones(3), True, True), (torch.ones(3), False, False), (torch.ones(3, dtype=torch.complex64), True, False)):
            run, error = finished(breaks, Run("cpu", torch.float32))
            with mock.patch.object(self, "refused_means", lambda said: "aten::dot" if isinstance(said, Exception) else None), \
                    mock.patch.object(behind_fallback, "serves", lambda _, serves=serves: serves), \
                    mock.patch.object(self, "block", side_effect=Blocked), self.assertRaises(AssertionError if broken else Blocked):
                self.expect_no_error(error, run, "runs", breaks)


class Blocked(Exception):
    pass


class Moved(unittest.TestCase):
    """A run that is correct only by chance, compared with CPU runs whose numbers differ by rounding."""

    def words(self, *moved):
        def run(value, name="the loss"):
            return [Seen(name, torch.tensor([value]), "losses")]

        moved = [run(value, name) for value, name in moved]
        wide = [Seen("the loss", torch.tensor([1.0], dtype=torch.float64), "losses")]
        return program_judge.first_difference(run(1.001), wide, run(1.0), (torch.float32, None), moved)

    def test_difference_within_what_they_are_off_is_none(self):
        self.assertIsNotNone(self.words())
        self.assertIsNone(self.words((1.0003, "the loss")))

    def test_run_that_went_another_way_excuses_nothing(self):
        self.assertIsNotNone(self.words((1.0003, "the gradient")))

    def test_numbers_are_moved_by_a_rounding_at_most(self):
        plain, moved = (Run("cpu", torch.float32, moved=seed).numbers(1000) for seed in (None, 3))
        off = ((plain - moved) / plain).abs()
        self.assertGreater(int((off > 0).sum()), 300)
        self.assertLessEqual(off.max().item(), 2 * torch.finfo(torch.float32).eps)


if __name__ == "__main__":
    unittest.main()
