# SPDX-License-Identifier: BSD-3-Clause
"""Tests that report, diff, gate and history can read a watched program as a run."""

import json
import subprocess
import sys
import unittest

from watch_fixture import BUILD, TRAIN, WatchCase


class Run(WatchCase):
    def pair(self):
        """A correct run, and one with a wrong kernel."""
        self.found = self.folder / "base"
        self.watch(TRAIN)
        self.found = self.folder / "head"
        self.watch(TRAIN, fault="kernel.matmul_ignores_beta")
        return self.folder / "base", self.folder / "head"

    def test_report_diff_gate_and_history_read_it(self):
        base, head = self.pair()
        status, said = self.assay("report", head)
        self.assertIn("FAIL watch.aten.addmm.default", said)
        self.assertIn(f"train.py:{self.line_of('the line of all')}", said)
        _status, said = self.assay("diff", base, head, "--format", "json")
        self.assertIn("watch.aten.addmm.default", said)
        self.expect_decision(head, base, "blocked", "regression")
        self.expect_decision(base, head, "pass", None)
        status, said = self.assay("history", "add", head, "--db", self.folder / "history.db")
        self.assertEqual(status, 0, said)

    def expect_decision(self, head, base, decision, rule):
        _status, said = self.assay("gate", "--select", "watch", "--head", head, "--base", base, "--format", "json")
        document = json.loads(said)
        self.assertEqual(document["decision"], decision, said)
        if rule:
            self.assertIn(rule, said)

    def test_folder_with_a_run_stays_unchanged(self):
        self.watch("")
        before = {path: path.read_bytes() for path in self.found.iterdir() if path.is_file()}
        done = subprocess.run([BUILD / "bin/assay", "watch", "--target", "fakedev_faulty", "--read", self.found],
                              env=self.environment, capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, "has been summarized already" in done.stderr), (65, True), done.stderr)
        self.assertEqual({path: path.read_bytes() for path in self.found.iterdir() if path.is_file()}, before)

    def test_folder_of_something_else_is_refused(self):
        self.watch("")
        request, journal = (self.found / "request.json").read_text(), self.found / "journal.jsonl"
        journal.unlink()
        (self.found / "process-x.jsonl").write_text('3\n{"slot": "a"}\n' + "[" * 100_000 + "\n")
        for text in (None, "{}", "[1]", "[" * 100_000, request):
            (self.found / "request.json").unlink()
            if text:
                (self.found / "request.json").write_text(text)
            done = subprocess.run([BUILD / "bin/assay", "watch", "--target", "fakedev_faulty", "--read", self.found],
                                  env=self.environment, capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 65, done.stderr)
            self.assertNotIn("Traceback", done.stderr)
            self.assertFalse(journal.exists())
            (self.found / "request.json").touch()

    def test_program_that_is_gone_on_head_decides_nothing(self):
        self.found = self.folder / "base"
        self.watch(TRAIN)
        self.found = self.folder / "head"
        self.watch("raise SystemExit(3)")
        self.expect_decision(self.folder / "head", self.folder / "base", "undecided", "could_not_decide")

    def test_two_begun_in_one_second_get_a_folder_each(self):
        words = [BUILD / "bin/assay", "watch", "--target", "fakedev_faulty", "--", sys.executable, "-c", "pass"]
        both = [subprocess.Popen(words, cwd=self.folder, env=self.environment, stderr=subprocess.PIPE, text=True) for _ in range(2)]
        for one in both:
            said = one.communicate()[1]
            self.assertEqual(one.returncode, 2, said)  # nothing was compared
        made = [path.name for path in (self.folder / "runs").iterdir() if not path.is_symlink()]
        self.assertEqual(len(made), 2, made)


if __name__ == "__main__":
    unittest.main()
