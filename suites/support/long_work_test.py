# SPDX-License-Identifier: BSD-3-Clause
"""An event that a busy machine shows once is not taken for what a device always does."""

import itertools
import unittest

from long_work import SIZES, LongWork


class Violation(Exception):
    pass


class NotSeen(Exception):
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


class Work(LongWork):
    """Work without a device: only how often there was more of it."""

    def __init__(self):
        self.case, self.grown = Case(), 0
        self.until = float("inf")

    def grow(self):
        self.grown += 1


class AsWithout(unittest.TestCase):
    def judge(self, without, subject):
        """Both are asked with the number of times that the work has grown."""
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


if __name__ == "__main__":
    unittest.main()
