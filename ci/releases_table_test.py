# SPDX-License-Identifier: BSD-3-Clause
"""Differences and mistakes, as ci/releases tells them apart."""

import json
import tempfile
import unittest
from pathlib import Path

import releases_table


def checks(**verdicts):
    return {name: {"verdict": verdict, "reason": "why"} for name, verdict in verdicts.items()}


class Complaints(unittest.TestCase):
    def said(self, older, known=None, **pinned):
        return releases_table.complaints([("2.13", checks(**pinned)), ("2.12", checks(**older))], known or {})

    def test_the_same_verdicts_and_what_is_not_promised_are_right(self):
        self.assertEqual(self.said({"a": "pass", "b": "skip"}, a="pass", b="skip", new="pass"), [])

    def test_a_failure_is_told_with_its_reason(self):
        self.assertEqual(self.said({"a": "crash"}, a="pass"), ["2.12  crash        a (pass on 2.13): why"])

    def test_a_check_that_asks_no_longer_is_told(self):
        self.assertEqual(self.said({"a": "skip"}, a="pass"), ["2.12  skip         a (pass on 2.13): why"])

    def test_the_same_failure_on_the_pinned_torch_is_no_excuse(self):
        self.assertEqual(len(self.said({"a": "fail"}, a="fail")), 2)

    def test_what_is_known_is_as_expected_until_it_is_gone(self):
        known = {("2.12", "a"): "skip"}
        self.assertEqual(self.said({"a": "skip"}, known, a="pass"), [])
        self.assertEqual(self.said({"a": "pass"}, known, a="pass"),
                         ["2.12  a is no longer skip: take it out of releases.tsv"])

    def test_of_a_torch_that_was_not_asked_nothing_is_said(self):
        self.assertEqual(self.said({"a": "pass"}, {("2.11", "a"): "skip"}, a="pass"), [])


class Table(unittest.TestCase):
    def test_passes_come_first_and_what_was_not_asked_last(self):
        runs = [("2.13", checks(a="pass", b="pass", c="skip")), ("2.12", checks(a="pass", c="fail"))]
        self.assertEqual([line.split() for line in releases_table.table(runs, {"a", "b", "c"})],
                         [["torch", "2.13", "2.12"], ["pass", "2", "1"], ["fail", "0", "1"], ["skip", "1", "0"],
                          ["not", "asked", "0", "1"]])

    def test_a_run_is_known_by_the_minor_version_of_its_torch(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "run.json")
            path.write_text(json.dumps({"run": {"torch": {"version": "2.12.0+cu130"}},
                                        "checks": [{"id": "a", "verdict": "pass"}]}))
            self.assertEqual(releases_table.read_run(path), ("2.12", {"a": {"id": "a", "verdict": "pass"}}))


if __name__ == "__main__":
    unittest.main()
