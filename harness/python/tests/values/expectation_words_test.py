# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the text of a violated expectation keeps the important parts: the end of a chain of errors, the code that
raised, and that a result has only zeros."""

import json
import unittest
import unittest.mock
from pathlib import Path

import torch
from assay.values import words


class Words(unittest.TestCase):
    def test_a_long_value_is_cut_in_the_middle(self):
        told = words.short("begin" + "x" * 1000 + "has no attribute '_autoload'")
        self.assertLess(len(told), 420)
        self.assertTrue(told.startswith("'begin") or told.startswith('"begin'))
        self.assertIn("has no attribute '_autoload'", told)

    def test_who_raised_is_named_unless_it_was_the_suite(self):
        try:
            json.loads("{")
        except ValueError as error:
            self.assertRegex(words.raised_by(error), r"^ \(raised by raw_decode, json/decoder.py:\d+\)$")
        try:
            raise ValueError
        except ValueError as error:
            # Makes this file count as part of a suite.
            with unittest.mock.patch.object(words, "OURS", str(Path(__file__).parent)):
                self.assertEqual(words.raised_by(error), "")

    def test_an_error_that_hides_another_tells_it_without_an_address(self):
        try:
            raise SystemError("<method of X object at 0x7fa263092a10> has set an exception") from RuntimeError("no offset")
        except SystemError as error:
            self.assertEqual(words.error_words(error), "SystemError: <method of X object> has set an exception, from RuntimeError: no offset")

    def test_core_s_refusal_is_told_without_its_list(self):
        try:
            torch.quantized_max_pool2d(torch.ones(1, 1, 2, 2), [2, 2])
        except NotImplementedError as error:
            self.assertGreater(len(str(error)), 1000)
            told = words.without_dump(f"raised {error}")
            self.assertEqual(told, "raised Could not run 'aten::quantized_max_pool2d' with arguments from the 'CPU' backend")
        self.assertEqual(words.without_dump("got 3"), "got 3")

    def test_a_result_that_is_all_zero_says_so(self):
        expected = torch.tensor([1.0, 2.0])
        self.assertTrue(words.first_difference(torch.zeros(2), expected).endswith("2 of 2 elements differ, and all of it is 0"))
        self.assertTrue(words.first_difference(torch.tensor([0.0, 1.0]), expected).endswith("elements differ"))

    def test_elements_that_are_all_at_the_end_are_told_so(self):
        expected = torch.arange(1, 13)
        for wrong, told in (((10, 11), "; the last 2 of 12 elements differ"), ((9, 11), "; 2 of 12 elements differ"),
                            (range(12), "; 12 of 12 elements differ")):
            seen = expected.clone()
            seen[list(wrong)] += 1
            self.assertIn(told, words.first_difference(seen, expected))
        self.assertTrue(words.first_difference(torch.tensor([1, 3]), expected[:2]).endswith("; 1 of 2 elements differ"))


if __name__ == "__main__":
    unittest.main()
