# SPDX-License-Identifier: BSD-3-Clause
"""Tests the tables of results that no check compares. Each row must name an operator of the installed torch or of a
newer torch, and its reason must be right.

For a row of not_compared.tsv, two different results are both right. A row of no_reference.tsv has an expression that is
true on the CPU, or states in words how the reason can be verified.
"""

import math
import unittest

from harness.python.tests.values import judge_tables_test as shows
import torch
from assay.operators import aspects as operator_aspects, torch_testing, values as operator_values
from assay.releases import is_of
from assay.values.judge import compare
from assay.values.tables import ALL, rows
from torch.nn import functional as F

FOLDER = operator_values.FOLDER


class Tables(unittest.TestCase):
    def test_every_row_is_an_operator_of_the_installed_torch(self):
        known = torch_testing.operators()
        for name in ("not_compared.tsv", "no_reference.tsv"):
            for row in rows(name, FOLDER):
                if is_of(row.get("releases"), torch.__version__):
                    self.assertIn(row["operator"], known)
                self.assertIn(row.get("aspect", "forward"), {**operator_aspects.ASPECTS, "layout": None})

    def test_every_row_of_not_compared_is_needed(self):
        for row in rows("not_compared.tsv", FOLDER):
            with self.subTest(row["operator"]):
                right, other, is_right = getattr(shows, row["shown_by"])()
                values = operator_values.values_of(row["operator"], "bool" if "*" not in row["dtypes"] else "int64")
                self.assertTrue(is_right)
                self.assertTrue(compare(other, right))
                if row["results"] == ALL or isinstance(right, tuple):
                    self.assertEqual(compare(other, right, values=values), [])

    def test_every_line_that_shows_something_is_true(self):
        lines = [row["proof"] for row in rows("no_reference.tsv", FOLDER) if is_of(row["releases"], torch.__version__)]
        for line in filter(lambda one: one.startswith(">>> "), lines):
            with self.subTest(line):
                self.assertTrue(eval(line.removeprefix(">>> "), {"torch": torch, "F": F, "math": math}))

    def test_a_row_may_be_about_some_releases(self):
        told = [is_of(releases, "2.9.1+cpu") for releases in ("", None, "from 2.10", "from 2.9, before 2.10", "before 2.9")]
        self.assertEqual(told, [True, True, False, True, False])

    def test_all_others_are_compared(self):
        self.assertIs(operator_values.values_of("nn_functional_embedding", "float32"), True)
        self.assertIs(operator_values.values_of("sort", "float32"), True)
        self.assertFalse(operator_values.values_of("sort", "int64")(1))
        self.assertTrue(operator_values.values_of("sort", "int64")(0))
        self.assertIs(operator_values.values_of("empty_like", "bool"), False)


if __name__ == "__main__":
    unittest.main()
