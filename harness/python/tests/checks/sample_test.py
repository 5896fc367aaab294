# SPDX-License-Identifier: BSD-3-Clause
"""Tests samples of one kind of tensor, and the findings that a check may report on a backend that supports only one
kind."""

import unittest

import torch  # noqa: E402
from assay.checks import sample


class Asked(sample.Samples):
    """A check on a backend that supports only this kind. `ends` records how the check ended."""

    def __init__(self, words):
        self.known, self.ends = sample.kind_of(words), []

    @property
    def known_kind(self):
        return self.known

    def does_not_apply(self, reason):
        self.ends.append(reason)


class Kinds(unittest.TestCase):
    def test_the_common_kind_is_what_the_check_asks_for(self):
        case = Asked(None)
        self.assertTrue(torch.equal(case.sample(3, 2), torch.tensor([2.0, 3.0, 4.0])))
        self.assertEqual(case.sample_of(1, (2, 3)).shape, (2, 3))
        self.assertTrue(torch.equal(case.sample(1000), torch.arange(1000.0)))

    def test_one_size_is_taken_whatever_the_check_asks_for(self):
        seen = Asked("int32 32").sample(4)
        self.assertTrue(torch.equal(seen, torch.arange(32, dtype=torch.int32)))
        self.assertEqual(Asked("int8 16x16").sample(4).shape, (16, 16))

    def test_one_dtype_has_the_size_that_is_asked_for(self):
        self.assertTrue(torch.equal(Asked("bfloat16 any").sample_of(7, 3), torch.full((3,), 7.0, dtype=torch.bfloat16)))
        self.assertEqual(int(Asked("int8 any").sample(1000).max()), 99)

    def test_code_makes_the_same_sample(self):
        for words in (None, "int32 32", "int8 16x16", "bfloat16 any"):
            case = Asked(words)
            with self.subTest(words):
                self.assertTrue(torch.equal(eval(case.sample_as_code(5)), case.sample(5) if words else torch.arange(5.0)))


class Ends(unittest.TestCase):
    def test_a_refusal_of_another_kind_says_nothing(self):
        case = Asked("int32 32")
        case.end_if_of_another_kind("no float")
        self.assertEqual(len(case.ends), 1)
        self.assertIn("takes tensors of int32 32", case.ends[0])

    def test_a_refusal_of_a_sample_is_one(self):
        case = Asked("int32 32")
        case.sample()
        case.end_if_of_another_kind("no add")
        self.assertEqual(case.ends, [])

    def test_on_a_backend_that_takes_what_others_do_every_refusal_is_one(self):
        case = Asked(None)
        case.end_if_of_another_kind("no add")
        case.need_any_kind()
        self.assertEqual(case.ends, [])

    def test_a_check_of_several_kinds_does_not_apply(self):
        case = Asked("int32 32")
        case.need_any_kind()
        self.assertEqual(len(case.ends), 1)


if __name__ == "__main__":
    unittest.main()
