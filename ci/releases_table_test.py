# SPDX-License-Identifier: BSD-3-Clause
"""Tests which differences ci/releases accepts and which it reports."""

import json
import tempfile
import unittest
from pathlib import Path

import releases_table


def checks(**verdicts):
    return {name: {"verdict": verdict, "reason": "why"} for name, verdict in verdicts.items()}


class Complaints(unittest.TestCase):
    def said(self, older, known=None, target="fakedev", **pinned):
        return releases_table.complaints([("2.13", {target: checks(**pinned)}), ("2.12", {target: checks(**older)})], known or {})

    def test_the_same_verdicts_and_what_is_not_promised_are_right(self):
        self.assertEqual(self.said({"a": "pass", "b": "skip"}, a="pass", b="skip", new="pass"), [])

    def test_a_failure_is_told_with_its_reason(self):
        self.assertEqual(self.said({"a": "crash"}, a="pass"), ["2.12  crash        fakedev a (pass on 2.13): why"])

    def test_a_check_that_asks_no_longer_is_told(self):
        self.assertEqual(self.said({"a": "skip"}, a="pass"), ["2.12  skip         fakedev a (pass on 2.13): why"])

    def test_of_what_only_a_newer_torch_promises_a_failure_alone_is_told(self):
        self.assertEqual(self.said({"a": "pass", "b": "skip"}), [])
        self.assertEqual(len(self.said({"a": "fail"})), 1)

    def test_one_word_for_no_answer_is_as_good_as_another(self):
        self.assertEqual(self.said({"a": "skip"}, a="unobservable"), [])
        self.assertEqual(len(self.said({"a": "unobservable"}, a="pass")), 1)

    def test_the_same_failure_on_the_pinned_torch_is_no_excuse(self):
        self.assertEqual(len(self.said({"a": "fail"}, a="fail")), 2)

    def test_of_the_fleet_an_answer_that_it_lost_is_told(self):
        """The fleet's lists decide about all other results."""
        self.assertEqual(self.said({"a": "fail", "b": "blocked", "c": "pass"}, target="compiled_kernels", a="pass", b="fail", c="crash"), [])
        self.assertEqual(len(self.said({"a": "blocked"}, target="compiled_kernels", a="pass")), 1)

    def test_what_is_planted_is_wrong_everywhere(self):
        self.assertEqual(self.said({"upstream.a": "fail"}, **{"upstream.a": "fail"}), [])

    def test_what_is_known_is_as_expected_until_it_is_gone(self):
        known = {("2.12", "fakedev", "a"): "skip"}
        self.assertEqual(self.said({"a": "skip"}, known, a="pass"), [])
        self.assertEqual(self.said({"a": "pass"}, known, a="pass"),
                         ["2.12  fakedev a is no longer skip: take it out of releases.tsv"])

    def test_of_a_torch_that_was_not_asked_nothing_is_said(self):
        self.assertEqual(self.said({"a": "pass"}, {("2.11", "fakedev", "a"): "skip"}, a="pass"), [])


class Listed(unittest.TestCase):
    def test_a_defect_of_the_fleet_that_is_not_reported_is_told(self):
        said = list(releases_table.listed_complaints([("2.12", {"tensor_subclass": {}})]))
        self.assertIn("2.12  tensor_subclass: 100 % of the applicable checks are without a verdict, 10 are allowed", said)

    def test_the_fake_device_has_no_list(self):
        self.assertEqual(list(releases_table.listed_complaints([("2.12", {"fakedev": {}})])), [])


class Table(unittest.TestCase):
    def test_passes_come_first_and_what_was_not_asked_last(self):
        one, two = {"s.a": "pass", "s.b": "pass", "s.c": "skip"}, {"s.a": "pass", "s.c": "fail"}
        runs = [("2.13", {"fakedev": checks(**one), "compiled_kernels": checks(**one)}), ("2.12", {"fakedev": checks(**two)})]
        self.assertEqual(list(releases_table.table(runs)), [
            "| on | verdict | 2.13 | 2.12 |", "|---|---|---|---|",
            "| fakedev, s | pass | 2 | 1 |", "| fakedev, s | fail | 0 | 1 |", "| fakedev, s | skip | 1 | 0 |",
            "| fakedev, s | not asked | 0 | 1 |", "| compiled_kernels | pass | 2 |  |", "| compiled_kernels | skip | 1 |  |",
        ])  # fmt: skip

    def test_reports_of_one_target_are_one_run_known_by_the_minor_version_of_its_torch(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in "ab":
                report = {"run": {"torch": {"version": "2.12.0+cu130"}, "target": "fakedev"}, "checks": [{"id": name}]}
                Path(folder, f"{name}.json").write_text(json.dumps(report))
            self.assertEqual(releases_table.read_torch(folder), ("2.12", {"fakedev": {"a": {"id": "a"}, "b": {"id": "b"}}}))

    def test_a_python_in_the_name_of_the_folder_is_part_of_the_version(self):
        with tempfile.TemporaryDirectory() as place:
            folder = Path(place, "2.12.0@3.13")
            folder.mkdir()
            Path(folder, "a.json").write_text(json.dumps({"run": {"torch": {"version": "2.12.0"}, "target": "fakedev"}, "checks": []}))
            self.assertEqual(releases_table.read_torch(folder)[0], "2.12@3.13")


if __name__ == "__main__":
    unittest.main()
