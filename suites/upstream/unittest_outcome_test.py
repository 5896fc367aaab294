# SPDX-License-Identifier: BSD-3-Clause
"""Tests the conversion of errors that PyTorch's operator tests have wrapped. Needs no target."""

import unittest
from pathlib import Path

from suites.upstream import unittest_outcome

SAMPLE = "\n\nCaused by sample input at index 3: SampleInput(input=1)"


def wrapped(error):
    """Wraps an exception as instantiate_device_type_tests does for a test with an OpInfo."""
    try:
        raise error
    except type(error) as cause:
        raise Exception(f"{cause}{SAMPLE}") from cause


def cases():
    """Defined inside a function, so that unittest does not collect them as tests of this file."""

    class Tests(unittest.TestCase):
        def test_fails(self):
            wrapped(ValueError("three"))

        def test_refused(self):
            wrapped(NotImplementedError("\"sum_cpu\" not implemented for 'ComplexHalf'"))

        def test_own_cause(self):
            raise KeyError("five") from ValueError("three")

    return Tests


def undeclared(file):
    """Returns a class with one test. The test raises the same exception as PyTorch's requires_capabilities, from code
    that seems to be in `file`."""
    raising = "def ask(): raise AssertionError(\"Device 'x' has not declared capabilities: dtype.fp8. Add them to Base._capabilities().\")"
    space = {}
    exec(compile(raising, file, "exec"), space)

    class Tests(unittest.TestCase):
        def test_asks(self):
            space["ask"]()

    return unittest_outcome.run(Tests, "test_asks").findings()[0][:3]


class Undeclared(unittest.TestCase):
    def test_a_capability_that_nobody_declared_is_no_failure_and_says_where_to_declare_it(self):
        kind, _, seen = undeclared("/torch/testing/_internal/common_device_type.py")
        self.assertEqual(kind, "SKIP")
        self.assertIn("dtype.fp8. Add them to Base._capabilities()", seen)

    def test_the_same_words_of_anybody_else_are_a_failure(self):
        self.assertEqual(undeclared("/vendor/test_x.py")[0], "FAIL")


class Wrapped(unittest.TestCase):
    def finding(self, method):
        outcome = unittest_outcome.run(cases(), method)
        kind, _, seen, subject, place, _ = outcome.findings()[0]
        return kind, seen, subject, place, type(outcome.errors_seen[0])

    def test_the_error_of_the_test_counts(self):
        kind, seen, _, place, error = self.finding("test_fails")
        self.assertEqual((kind, seen, error), ("FAIL", f"ValueError: three{SAMPLE}", ValueError))
        self.assertEqual(place[0], Path(__file__).name)

    def test_a_refusal_stays_one(self):
        kind, seen, subject, _, error = self.finding("test_refused")
        self.assertEqual((kind, error), ("BLOCKED", NotImplementedError))
        self.assertIn("sum_cpu", subject)
        self.assertTrue(seen.startswith("NotImplementedError: "))

    def test_another_error_has_its_own_words(self):
        self.assertEqual(self.finding("test_own_cause")[::4], ("FAIL", KeyError))


if __name__ == "__main__":
    unittest.main()
