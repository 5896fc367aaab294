# SPDX-License-Identifier: BSD-3-Clause
"""Tests that one observation on a busy machine does not decide about the device, and that one kind of work does not
decide for all kinds."""

import itertools
import unittest

from assay.checks.long_work import ELEMENTS, KINDS, PARTS, SIZES, LongWork
from assay.checks.work_within_calls import Look


class Violation(Exception):
    pass


class NotSeen(Exception):
    pass


class Lacking(Exception):
    pass


class Case:
    seconds_left = 30

    def expect(self, ok, what, seen):
        return ok

    def require(self, ok):
        if not ok:
            raise Violation

    def cannot_observe(self, instrument, reason):
        raise NotSeen

    def lacks(self, capability, reason):
        raise Lacking(capability)


class Work(LongWork):
    """Simulates work without a device. Only the factor by which the work has grown exists."""

    def __init__(self):
        self.case, self.grown = Case(), 0
        self.until = float("inf")

    def grow(self):
        self.grown += 1


class AsWithout(unittest.TestCase):
    def judge(self, without, subject):
        """Calls both functions with the factor by which the work has grown."""
        work = Work()
        work.expect_as_without(lambda: without(work.grown), lambda: subject(work.grown), "demand", "seen")

    def test_a_difference_at_each_size_is_a_violation(self):
        with self.assertRaises(Violation):
            self.judge(lambda grown: True, lambda grown: False)

    def test_a_difference_that_goes_away_when_the_work_grows_is_none(self):
        for last in range(1, SIZES):
            self.judge(lambda grown: True, lambda grown, last=last: grown >= last)

    def test_sizes_at_which_nothing_was_seen_are_not_counted(self):
        with self.assertRaises(NotSeen):
            self.judge(lambda grown: grown % SIZES != 0, lambda grown: False)

    def test_one_that_goes_on_is_enough(self):
        answers = itertools.chain([True], itertools.repeat(False))
        self.judge(lambda grown: True, lambda grown: next(answers))


class Looks(LongWork):
    """Simulates looks without a device. `late` maps a kind of work to the look from which its work is still running.
    `slow` contains the kinds whose calls return only when the work is done."""

    def __init__(self, late, slow=KINDS, missing=()):
        self.case, self.late, self.slow, self.missing = Case(), dict(late), slow, missing

    def look(self, kind, size):
        if kind in self.missing:
            return None
        self.late[kind] = self.late.get(kind, 99) - 1
        work = PARTS * ELEMENTS[size] * 1e-9
        return Look(ELEMENTS[size], work if kind in self.slow else 1e-6, 1e-6, self.late[kind] < 0)


class Asynchronous(unittest.TestCase):
    def test_all_kinds_within_their_calls(self):
        with self.assertRaisesRegex(Lacking, "async"):
            Looks(late={}).find_part()()

    def test_kinds_that_the_device_lacks_are_not_asked(self):
        with self.assertRaisesRegex(Lacking, "async"):
            Looks(late={}, slow=KINDS[:1], missing=KINDS[1:]).find_part()()

    def test_one_kind_that_goes_on_is_enough(self):
        for kind in KINDS:
            for looks in (0, len(ELEMENTS) + 1):
                self.assertIsNone(Looks(late={kind: looks}).find_part())

    def test_one_kind_that_may_go_on_is_no_absence(self):
        for kind in KINDS:
            with self.assertRaises(NotSeen):
                Looks(late={}, slow=[other for other in KINDS if other != kind]).find_part()()

    def test_a_device_without_any_says_nothing(self):
        with self.assertRaises(NotSeen):
            Looks(late={}, missing=KINDS).find_part()()


if __name__ == "__main__":
    unittest.main()
