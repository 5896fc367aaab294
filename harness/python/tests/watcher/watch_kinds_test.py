# SPDX-License-Identifier: BSD-3-Clause
"""Tests that two calls of a watched program have the same kind only if all relevant properties are equal."""

import unittest

import torch
from assay.watcher import kinds as watch_kinds

ops = torch.ops.aten
X = torch.zeros(6, 5)


def key_of(function, *arguments, **named):
    return watch_kinds.leaves_and_key(function, arguments, named)[1]


class Kinds(unittest.TestCase):
    def test_calls_that_differ_have_keys_that_differ(self):
        calls = [
            (ops.split_with_sizes.default, X, [2, 3], 1), (ops.split_with_sizes.default, X, [2, 3, 1]),
            (ops.sum.dim_IntList, X, [0], True), (ops.sum.dim_IntList, X, [0, 1]), (ops.add.Tensor, X, 1), (ops.add.Tensor, X, True),
            (ops.add.Tensor, X, 1.5), (ops.add.Tensor, X.t(), X.t()),
        ]  # fmt: skip
        self.assertEqual(len({key_of(*call) for call in calls}), len(calls))
        self.assertNotEqual(key_of(ops.clamp.default, X, min=1), key_of(ops.clamp.default, X, max=1))

    def test_the_same_call_with_other_numbers_is_the_same_kind(self):
        self.assertEqual(key_of(ops.add.Tensor, X, X), key_of(ops.add.Tensor, X + 1, X + 2))
        self.assertEqual(key_of(ops.cat.default, [X, X]), key_of(ops.cat.default, [X + 1, X]))


if __name__ == "__main__":
    unittest.main()
