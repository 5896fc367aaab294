# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a check with many cases runs every case, even if an earlier case fails."""

import unittest
from pathlib import Path
from unittest import mock

import torch
from assay.checks import Case, Ended, asking, case as case_module
from assay.refusals import behind_fallback, shape as refusals


class Asked(Case):
    """A check that records its findings. Each case runs one function of `answers`."""

    answers, device = {}, torch.device("cpu")

    def test_all(self):
        self.ask()
        self.after()

    def after(self):
        """Runs after the last case."""

    def ask(self):
        for name, answer, one in asking.each(self, self.answers, plain=lambda name: name.startswith("plain")):
            with one:
                self.order.append(name)
                answer(self)


def fails(case):
    case.expect_equal(1, 2, "one is two")


def ends(case):
    case.require(case.expect_equal(1, 2, "one is two"))


def raises(case):
    raise RuntimeError("it fell")


def is_refused(case):
    raise NotImplementedError("no kernel")


def is_refused_on_the_way(case):
    case.op("aten::add", is_refused, case)


def falls_within_core(case):
    # Raises an ordinary RuntimeError from C++, like a kernel that passes on a wrong argument.
    torch.ones(2) @ torch.ones(3)


def setUpModule():
    """Makes this file count as a suite."""
    refusals.SUITES = str(Path(__file__).parent)


class Asking(unittest.TestCase):
    owed = ""

    def ask(self, **answers):
        """Returns the kinds of the findings, the names of the cases that ran, and the notes."""
        case = Asked()
        case.answers, case.order, notes = answers, [], {}
        report = mock.Mock(FAIL="FAIL", BLOCKED="BLOCKED", UNOBSERVABLE="UNOBSERVABLE", Ended=Ended)
        report.active.return_value, report.check.return_value.device_name = True, "nameless"
        report.check.return_value.owed, report.clause_under_way.return_value = self.owed, None
        report.note.side_effect = notes.__setitem__
        with mock.patch.object(case_module, "report", report):
            try:
                case.test_all()
            except Ended:
                pass
        return [call.args[0] for call in report.finding.call_args_list], case.order, notes

    def test_failures_are_counted_and_named(self):
        found, order, notes = self.ask(a=fails, b=ends, c=raises, d=lambda case: None)
        self.assertEqual(found, ["FAIL"] * 3)
        self.assertEqual(order, list("abcd"))
        self.assertEqual(notes["failed"], "3 of 4: a, b, c")
        self.assertEqual(notes["failed by kind"], "3 of 4: a; b; c. Nothing failed of: d")

    def test_a_check_without_a_case_is_unobservable_unless_it_judges_something_else(self):
        self.assertEqual(self.ask()[0], ["UNOBSERVABLE"])
        with mock.patch.object(Asked, "after", lambda case: case.expect_equal(1, 1, "one is one")):
            self.assertEqual(self.ask()[0], [])

    def test_a_line_for_people_has_each_kind_once(self):
        name = "cell of (float32[3, 5], float32[3, 4])"
        answers = {name: fails, name + ", column-major": fails, "cell, bias of (float64[3, 5])": fails,
                   "gate of (bool[2])": fails, "gate of torch.float32, three dims": lambda case: None}
        _, _, notes = self.ask(**answers)
        self.assertEqual(notes["failed by kind"], "4 of 5: cell (2 of 2); cell, bias; gate. Nothing failed of: gate, three dims")
        self.assertIn("column-major", notes["failed"])

    def test_a_line_for_people_is_short(self):
        _, _, notes = self.ask(**{f"operator{i}": fails for i in range(20)}, other=lambda case: None)
        self.assertTrue(notes["failed by kind"].endswith("; operator11 and 8 more. Nothing failed of: other"), notes)

    def test_a_death_is_told_with_the_case_it_was_in(self):
        said = []
        with mock.patch.object(Asked, "asks", lambda case, words: said.append(words)):
            self.ask(a=lambda case: case.expect_equal(1, 1, "one is one"), b=fails)
        self.assertEqual([one for one in said if "the last expectation that held" not in one], ["a reaches its end", "b reaches its end"])

    def test_in_a_case_its_name_stays(self):
        case, report = Asked(), mock.Mock()
        report.failed.return_value = True
        with mock.patch.object(case_module, "report", report):
            case.begin_case("mm")
            case.asks("the last expectation that held")
            case.end_case()
            case.asks("another demand")
        self.assertEqual([call.args[0] for call in report.under_way.call_args_list], ["mm reaches its end", "another demand"])

    def test_dtype_that_the_device_does_not_hold_is_left_out_of_special_cases(self):
        def is_special(case):
            with case.asks_a_special_case():
                raise TypeError("this device has no Char")

        told = lambda _: {"this device has no Char"}  # noqa: E731
        for words, expected in ((told, []), (lambda _: set(), ["FAIL"])):
            with mock.patch.object(behind_fallback, "_words_for_dtypes", words):
                found, _, _ = self.ask(a=is_special, b=lambda case: None, c=lambda case: None)
            self.assertEqual(found, expected)

    def test_what_is_refused_is_left_out(self):
        found, order, notes = self.ask(a=is_refused, b=is_refused_on_the_way, c=lambda case: None, d=lambda case: None)
        self.assertEqual((found, order), ([], list("abcd")))
        self.assertEqual(notes, {"refused": "a: no kernel; b: no kernel"})

    def test_behind_a_fallback_a_plain_call_is_not_refused_but_broken(self):
        answers = {"plain": falls_within_core, "other": falls_within_core, "plain, without a kernel": is_refused}
        for serves, wanted in ((True, ["FAIL"]), (False, ["BLOCKED"])):
            with mock.patch.object(behind_fallback, "serves", lambda _, serves=serves: serves):
                found, _, notes = self.ask(**answers)
            self.assertEqual(found, wanted)
            self.assertEqual("failed" in notes, serves)
            self.assertEqual(notes.get("no refusal", "").startswith("plain: "), serves)

    def test_a_check_that_is_mostly_refused_is_blocked_unless_it_fails(self):
        refused = {"a": is_refused, "b": is_refused_on_the_way}
        self.assertEqual(self.ask(**refused, c=lambda case: None)[0], ["BLOCKED"])
        self.assertEqual(self.ask(**refused, c=fails)[0], ["FAIL"])

    def test_a_check_that_is_refused_all_is_blocked(self):
        found, _, _ = self.ask(a=is_refused, b=is_refused_on_the_way)
        self.assertEqual(found, ["BLOCKED"])

    def test_what_the_backend_owes_is_not_left_out(self):
        def refuses_what_is_owed(case):
            raise NotImplementedError("Could not run 'aten::add.Tensor' with arguments from the 'x' backend")

        self.owed = "OPS-086:aten::add.Tensor"
        found, _, _ = self.ask(a=refuses_what_is_owed, b=lambda case: None)
        self.assertEqual(found, ["FAIL"])

    def test_what_the_check_is_about_must_be_there(self):
        def about(case):
            case.is_about("aten::add")
            is_refused_on_the_way(case)

        found, _, notes = self.ask(a=about, b=lambda case: None)
        self.assertEqual(found, ["FAIL"])
        self.assertEqual(notes["failed"], "1 of 2: a")

    def test_a_plain_refusal_of_it_fails_as_well(self):
        """The exception has PyTorch's message but comes from a call outside the check's wrappers."""

        def about(case):
            case.is_about("aten::add")
            raise NotImplementedError("Could not run 'aten::add' with arguments from the 'CPU' backend.")

        found, _, notes = self.ask(a=about, b=lambda case: None)
        self.assertEqual(found, ["FAIL"])
        self.assertEqual(notes["failed"], "1 of 2: a")


if __name__ == "__main__":
    unittest.main()
