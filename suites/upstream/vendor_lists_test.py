# SPDX-License-Identifier: BSD-3-Clause
"""Tests the forms in which a vendor excludes tests, for every supported torch. Needs no target."""

import unittest

import torch
from suites.upstream import vendor_lists

NAME = vendor_lists.GenericName("TestA", "test_b", "test_b_float32", dtype="float32")


class Exclusions(unittest.TestCase):
    def means(self, tests, name=NAME):
        return [entry.words for entry in vendor_lists.of_exclusions({"TestA": tests}) if entry.means(name)]

    def test_a_class_is_left_out_in_both_spellings(self):
        self.assertEqual(self.means("*"), ["TestA.*"])
        self.assertEqual(self.means(["*"]), ["TestA.*"])

    def test_tests_are_left_out_by_name(self):
        self.assertEqual(self.means(["test_b", "test_c"]), ["TestA.test_b"])
        self.assertEqual(self.means({"test_b": "*", "test_c": "*"}), ["TestA.test_b"])

    def test_dtypes_of_a_test_are_left_out_and_no_others(self):
        tests = {"test_b": {"dtypes": [torch.float32, torch.int8]}}
        self.assertEqual(self.means(tests), ["TestA.test_b float32 int8"])
        other = vendor_lists.GenericName("TestA", "test_b", "test_b_bool", dtype="bool")
        self.assertEqual(self.means(tests, other), [])

    def test_a_mapping_that_leaves_nothing_out_is_no_entry(self):
        self.assertEqual(self.means({"test_b": {"dtypes": []}}), [])


if __name__ == "__main__":
    unittest.main()
