# SPDX-License-Identifier: BSD-3-Clause
"""Tests which series of verdicts count as a flake."""

import json
import tempfile
import unittest
from pathlib import Path

import flakes


class Count(unittest.TestCase):
    def setUp(self):
        self.way, self.flakes = flakes.Way(1, "none"), flakes.Flakes("all")

    def findings(self, *runs):
        return [self.flakes.count(self.way, run) for run in runs]

    def test_same_verdicts_are_no_finding(self):
        well = {"a.b": "pass", "a.c": "skip", "a.d": "noted"}
        self.assertEqual(self.findings(well, well), [[], []])
        self.assertEqual((self.way.runs, self.way.checks, self.way.findings), (2, 6, 0))

    def test_another_verdict_is_a_finding(self):
        self.assertEqual(self.findings({"a.b": "pass"}, {"a.b": "skip"}), [[], ["a.b: skip, and pass before"]])
        self.assertEqual(self.way.findings, 1)

    def test_what_did_not_come_out_well_is_a_finding_each_time(self):
        self.assertEqual(self.findings({"a.b": "slow"}, {"a.b": "slow"}), [["a.b: slow"], ["a.b: slow"]])

    def test_unobservable_is_counted_and_no_finding(self):
        self.assertEqual(self.findings({"a.b": "unobservable"}, {"a.b": "pass"}, {"a.b": "unobservable"}), [[], [], []])
        self.assertEqual(self.way.unobservable, 2)
        self.assertEqual(self.flakes.never_seen(), [])

    def test_never_seen_is_what_was_unobservable_each_time(self):
        self.findings({"a.b": "unobservable"}, {"a.b": "unobservable"})
        self.assertEqual(self.flakes.never_seen(), ["a.b"])


class Verdicts(unittest.TestCase):
    def test_final_verdicts_of_the_checks_that_were_asked_count(self):
        records = [
            {"event": "run", "checks": [{"id": "a.b"}, {"id": "a.c", "support": True}]},
            {"event": "end", "id": "a.b", "final": False, "verdict": "fail"},
            {"event": "end", "id": "a.b", "final": True, "verdict": "flaky"},
            {"event": "end", "id": "a.c", "final": True, "verdict": "pass"},
        ]
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "journal.jsonl").write_text("\n".join(map(json.dumps, records)))
            self.assertEqual(flakes.verdicts_of(Path(folder)), {"a.b": "flaky"})


if __name__ == "__main__":
    unittest.main()
