# SPDX-License-Identifier: BSD-3-Clause
"""Tests runs that prove nothing, because the harness failed or the runs do not belong together: they must not pass,
and must not blame a change."""

import json
import os
import unittest

import run_edit
import scratch_repository


class Undecided(scratch_repository.Replay):
    def setUp(self):
        super().setUp()
        self.base = self.repository.run("main")

    def assert_harness(self, rule, *words, head=None, base=None):
        status = self.gate(head or self.folder / "head", base or self.base)
        self.assert_decided(status, "undecided", None)
        cause = self.cause(rule)
        self.assertEqual(cause["kind"], "harness")
        for word in words:
            self.assertIn(word, cause["text"])
        self.assertIn("### Harness or environment could not decide", self.markdown)

    def test_crash_of_the_harness_is_undecided(self):
        """The supervisor died: the journal has checks without an end record, a partial last line, no finish record."""
        head = self.copy_of(self.base)
        data = (head / "journal.jsonl").read_bytes()
        start = data.index(b'{"event":"start","id":"scratch.dtypes_have_sizes"')
        (head / "journal.jsonl").write_bytes(data[: start + 40])
        ended = {
            row["id"] for row in map(json.loads, data[:start].splitlines()) if row["event"] == "end"
        }
        self.assert_harness("head_incomplete", "cut off before its end", "--resume")
        undecided = set(self.cause("could_not_decide")["checks"])
        self.assertIn("scratch.settings_are_read", undecided)
        self.assertEqual(undecided & ended, set())

    def test_truncated_results_are_undecided_wherever_they_are_cut(self):
        data = (self.base / "journal.jsonl").read_bytes()
        self.copy_of(self.base)
        for cut in (
            0,
            1,
            200,
            data.index(b"\n"),
            data.index(b"\n") + 1,
            len(data) // 2,
            len(data) - 1,
        ):
            with self.subTest(cut):
                (self.folder / "head" / "journal.jsonl").write_bytes(data[:cut])
                status = self.gate(self.folder / "head", self.base)
                self.assert_decided(status, "undecided", None)
                self.assertTrue(
                    all(c["kind"] == "harness" for c in self.decision["causes"]), self.said
                )

    def test_broken_check_is_undecided(self):
        run_edit.set_verdict(
            self.copy_of(self.base), "scratch.pins", "broken", reason="no memory for the job"
        )
        self.assert_harness("could_not_decide", "scratch.pins (broken: no memory for the job)")

    def test_results_of_another_contract_are_undecided(self):
        head = self.copy_of(self.base)

        def newer(row):
            if row["event"] == "run":
                row["contract"]["version"] = 4
            return row

        run_edit.rewrite(head, newer)
        plan = json.loads((head / "plan.json").read_text())
        (head / "plan.json").write_text(json.dumps({**plan, "contract": 4}))
        self.assert_harness(
            "contract_differs", "The contract is version 3, the head run has version 4."
        )

    def test_results_of_another_suite_are_undecided(self):
        def other(row):
            if row["event"] == "run":
                row["contract"]["digest"] = "0123456789abcdef"
            return row

        run_edit.rewrite(self.copy_of(self.base), other)
        self.assert_harness("suite_differs", "Head says 0123456789abcdef")

    def test_results_of_another_backend_are_undecided(self):
        other = self.repository.run("main", name="other")
        self.assert_harness("target_differs", "Head says other, base says scratch", head=other)

    def test_fewer_checks_than_promised_are_undecided_and_named(self):
        part = self.repository.run("main", None, "--select=-scratch.records")
        self.assert_harness("fewer_checks", "1 is missing, the first is scratch.records", head=part)
        self.assertEqual(self.cause("fewer_checks")["checks"], ["scratch.records"])
        status = self.gate(part, self.base, select="-scratch.records")
        self.assert_decided(status, "pass", "remove")

    def test_one_shard_is_undecided(self):
        shard = self.repository.run("main", None, "--shard=1/2")
        self.assert_harness("head_is_a_shard", "It is shard 1 of 2.", "assay merge", head=shard)

    def test_missing_runs_are_undecided(self):
        self.assert_harness("head_unusable", "journal.jsonl", head=self.folder / "nowhere")
        self.assert_harness(
            "base_unusable", "journal.jsonl", head=self.base, base=self.folder / "nowhere"
        )

    def test_target_that_ran_on_base_only_is_missing(self):
        base, head = self.folder / "bases", self.folder / "heads"
        for folder in (base, head):
            folder.mkdir()
        os.symlink(self.base, head / "link")  # an artifact may contain links; they must not be followed
        self.copy_of(self.base, "heads/a")
        self.copy_of(self.base, "bases/a")
        self.copy_of(self.repository.run("main", name="other"), "bases/b")
        status = self.gate(head, base)
        self.assert_decided(status, "undecided", None)
        self.assertIn("There is no head run of target other.", self.cause("head_unusable")["text"])
        self.assertEqual([t["decision"] for t in self.decision["targets"]], ["pass", "undecided"])


if __name__ == "__main__":
    unittest.main()
