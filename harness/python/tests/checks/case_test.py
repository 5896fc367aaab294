# SPDX-License-Identifier: BSD-3-Clause
"""Tests calls that a backend may refuse: the check ends only if the exception is a refusal. Without a host, as here,
the end of a check is a SkipTest, and a violation is an AssertionError."""

import re
import unittest

import torch
from assay.checks import Case


class Asked(Case):
    device_module = None

    def fails(self, error):
        raise error


class Supported(unittest.TestCase):
    def setUp(self):
        self.case = Asked("fails")

    def test_result_of_the_call_is_returned(self):
        self.assertEqual(self.case.supported("streams", divmod, 7, 2), (3, 1))
        self.assertEqual(self.case.supported("streams", int, "11", base=2), 3)

    def test_refusal_ends_the_check(self):
        for error in (NotImplementedError("no"), RuntimeError("Backend doesn't support create a new Stream.")):
            with self.assertRaisesRegex(unittest.SkipTest, "^streams: "):
                self.case.supported("streams", self.case.fails, error)

    def test_accident_is_raised(self):
        for error in (torch.OutOfMemoryError("out of memory"), RecursionError("deep"), KeyError("name")):
            with self.assertRaises(type(error)):
                self.case.supported("streams", self.case.fails, error)

    def test_violation_shows_any_value(self):
        for seen, words in (("a text", "a text"), (["add", "mul"], "['add', 'mul']"), (7, "7"), (ValueError("no"), "no")):
            with self.assertRaisesRegex(AssertionError, "^what: " + re.escape(words)):
                self.case.expect_true(False, "what", seen)


if __name__ == "__main__":
    unittest.main()
