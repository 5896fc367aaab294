# SPDX-License-Identifier: BSD-3-Clause
"""Tests that every bridge call in an expectation of a suite has a PyTorch name, and every compared value has a text."""

import re
import unittest
from pathlib import Path

SUITES = Path(__file__).resolve().parents[1]
EXPECTATION = re.compile(r"\b(?:expect|require)_(?!means)[a-z]+\(\s*check,\s*(?:\"[^\"]*\",\s*)?bridge_([a-z_]+)\(")

VALUE = re.compile(r"\b(?:expect|require)_(?:int|pointer)\(\s*check,\s*(?!bridge_)(?:\([a-z0-9_]+\))?([a-z0-9_>.\-\[\]]+(?:\([^()]*\)\.[a-z_]+)?)")


def table(name):
    text = (SUITES / "support/public_call.c").read_text().partition(f"}} {name}[] = {{")[2].partition("\n};")[0]
    return set(re.findall(r'^    \{"([a-z_]+)", "', text, re.MULTILINE))


def native_checks():
    return [path.read_text() for path in SUITES.glob("*/*.c") if not path.name.endswith("_test.c")]


class Names(unittest.TestCase):
    def test_every_call_that_a_report_may_show_is_in_the_table(self):
        used = {name for text in native_checks() for name in EXPECTATION.findall(text)}
        self.assertGreater(len(used), 40)
        self.assertEqual(used - table("names"), set())

    def test_every_value_that_a_report_may_show_is_in_the_table(self):
        expressions = {one for text in native_checks() for one in VALUE.findall(text)}
        used = {re.split(r"\.|->", re.sub(r"\[.*?\]", "", one))[-1] for one in expressions}
        self.assertGreater(len(used), 40)
        self.assertEqual(used ^ table("subjects"), set())

    def test_no_condition_is_told_as_source(self):
        for text in native_checks():
            self.assertNotRegex(text, r"\b(expect|require)_true\(\s*check,")


if __name__ == "__main__":
    unittest.main()
