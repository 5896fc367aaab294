# SPDX-License-Identifier: BSD-3-Clause
"""Tests that every line of a journal follows reports/schema/journal.schema.json, for a complete, a stopped and a
resumed run. Also tests that the schema rejects other lines."""

import json
import unittest

import jsonschema

import torture_driver

SCHEMA = torture_driver.ROOT / "reports" / "schema" / "journal.schema.json"


class Journal(unittest.TestCase):
    def setUp(self):
        self.schema = jsonschema.Draft202012Validator(json.loads(SCHEMA.read_text()))
        self.run_folder = torture_driver.Run(self)

    def run_cases(self, name, **options):
        self.run_folder.run(cases=torture_driver.CASES / name, **options)
        return self.run_folder.records()

    def check(self, records, *events):
        for record in records:
            self.assertEqual([e.message for e in self.schema.iter_errors(record)], [], record)
        self.assertLessEqual(set(events), {record["event"] for record in records})

    def test_whole_run_in_every_mode(self):
        for mode in torture_driver.MODES:
            with self.subTest(mode=mode):
                self.setUp()
                records = self.run_cases("quick_cases.txt", mode=mode, jobs=2)
                self.check(records, "run", "isolation", "start", "end", "finish")

    def test_attempts_that_are_not_the_last_word_say_why(self):
        records = self.run_cases("flaky_cases.txt", mode="batch", retries=2)
        self.check(records)
        again = {record["again"] for record in records if not record.get("final", True)}
        self.assertEqual(again, {"alone", "retry"})

    def test_stopped_and_resumed_run(self):
        options = {"mode": "fork-clean"}
        self.check(self.run_cases("quick_cases.txt", maxfail=1, **options), "finish")
        self.check(self.run_cases("quick_cases.txt", resume=1, **options), "resume")

    def test_schema_refuses_what_is_no_record(self):
        start = {"event": "start", "id": "a.b", "attempt": 1}
        end = {"event": "end", "id": "a.b", "attempt": 1, "final": True, "verdict": "pass"}
        for good in (start, end):
            self.assertTrue(self.schema.is_valid(good))
            for key in good:
                self.assertFalse(self.schema.is_valid({**good, key: None}), key)
                without = {name: value for name, value in good.items() if name != key}
                self.assertFalse(self.schema.is_valid(without), key)
        for bad in ([], {"event": "victory"}, {**end, "verdict": "good"}, {**start, "attempt": 0}):
            self.assertFalse(self.schema.is_valid(bad), bad)


if __name__ == "__main__":
    unittest.main()
