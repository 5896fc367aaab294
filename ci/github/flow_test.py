# SPDX-License-Identifier: BSD-3-Clause
"""The second half of the gate as gate_judge.yml runs it: context, assay gate, apply. Runs are forged
from the contract, because what comes from a pull request may be forged as well."""

import json
import os
import re
import subprocess
import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from pull_request_test import LABEL, NUMBER, ROOT, Case  # noqa: E402

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin" / "assay"
REFERENCE = "test/cpp_extensions/open_registration_extension/torch_openreg/csrc/x.cpp"
NASTY = "<script>alert(1)</script> @everyone [x](javascript:y) ::error::z \x1b[2J `code` | #1"


def contract():
    done = subprocess.run([ASSAY, "list", "--format", "json"], capture_output=True, check=True)
    return json.loads(done.stdout)["checks"]


class Flow(Case):
    @classmethod
    def setUpClass(cls):
        cls.checks = contract()

    def forge(self, name, verdicts=None, drop=0, **header):
        """A run in which every check passes but for `verdicts`: id -> members of its end record."""
        folder = self.folder / "foreign" / name / "run"
        folder.mkdir(parents=True)
        plan = [{"id": c["id"], "level": c["level"]} for c in self.checks[drop:]]
        rows = [
            {
                "event": "run",
                "schema": "assay/journal/1",
                "date": "2026-11-21T13:48:05Z",
                "target": "fakedev",
                "torch": {"version": "2.13.0", "git": "abc"},
                "contract": {"version": 1, "digest": "d"},
                "checks": plan,
                **header,
            }
        ]
        for check in plan:
            end = {"verdict": "pass", **(verdicts or {}).get(check["id"], {})}
            rows.append({"event": "start", "id": check["id"], "attempt": 1})
            rows.append({"event": "end", "id": check["id"], "attempt": 1, "final": True, **end})
        rows.append({"event": "finish", "complete": True})
        (folder / "journal.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return folder

    def judge(self):
        """What the steps of gate_judge.yml do."""
        pr, foreign = self.folder / "pr", self.folder / "foreign"
        self.assertEqual(0, self.run_program("context", "--out", str(pr)))
        if not (pr / "labels.txt").exists():
            return None
        gate = [
            ASSAY,
            "gate",
            "--head",
            foreign / "head" / "run",
            "--base",
            foreign / "base" / "run",
            "--changed-files",
            pr / "changed_files.txt",
            "--labels",
            pr / "labels.txt",
            "--out",
            self.folder / "decision.json",
            "--markdown",
            self.folder / "decision.md",
        ]
        status = subprocess.run(gate, cwd=ROOT, capture_output=True, check=False).returncode
        self.assertLessEqual(status, 2)
        self.assertEqual(
            0,
            self.run_program(
                "apply",
                "--decision",
                str(self.folder / "decision.json"),
                "--markdown",
                str(self.folder / "decision.md"),
                "--policy",
                str(ROOT / "conformance.yaml"),
                "--comment",
            ),
        )
        return self.state.check_runs[-1]["conclusion"]

    def test_nothing_changed_is_green_and_silent(self):
        self.forge("head")
        self.forge("base")
        self.assertEqual("success", self.judge())
        self.assertEqual(([], []), (self.state.labels[NUMBER], self.state.comments))

    def test_adapted_reference_is_green_and_labelled(self):
        self.forge("head")
        self.forge("base")
        self.state.files[NUMBER] = [{"filename": f"c10/{i}.h"} for i in range(4)] + [
            {"filename": REFERENCE}
        ]
        self.assertEqual("success", self.judge())
        self.assertEqual([LABEL], self.state.labels[NUMBER])

    def test_label_goes_when_the_change_no_longer_needs_it(self):
        self.test_adapted_reference_is_green_and_labelled()
        self.state.files[NUMBER] = []
        self.state.pulls[NUMBER]["labels"] = [{"name": LABEL}]
        self.assertEqual("success", self.judge())
        self.assertEqual([], self.state.labels[NUMBER])

    def test_regression_is_red_with_its_words(self):
        victim = next(c["id"] for c in self.checks if c["level"] == "must")
        self.forge("head", {victim: {"verdict": "fail", "seen": "1, expected 0"}})
        self.forge("base")
        self.assertEqual("failure", self.judge())
        self.assertIn(victim, self.state.comments[0]["body"])

    def test_override_label_is_neutral(self):
        victim = next(c["id"] for c in self.checks if c["level"] == "must")
        self.forge("head", {victim: {"verdict": "fail"}})
        self.forge("base")
        self.state.pulls[NUMBER]["labels"] = [{"name": "suppress-oot-gate"}]
        self.assertEqual("neutral", self.judge())

    def test_missing_truncated_or_shorter_run_is_never_green(self):
        self.forge("base")
        self.assertEqual("action_required", self.judge())
        head = self.forge("head") / "journal.jsonl"
        head.write_bytes(head.read_bytes()[:-2000])
        self.assertEqual("action_required", self.judge())
        head.write_text("[" * 100000)
        self.assertEqual("action_required", self.judge())
        self.assertEqual(1, len(self.state.comments))

    def test_fewer_checks_than_promised_are_never_green(self):
        self.forge("head", drop=3)
        self.forge("base", drop=3)
        self.assertEqual("action_required", self.judge())

    def test_attacking_texts_arrive_as_text(self):
        victim = next(c["id"] for c in self.checks if c["level"] == "must")
        texts = {key: NASTY for key in ("seen", "reason", "demand", "location")}
        self.forge("head", {victim: {"verdict": "fail", **texts}}, command=NASTY)
        self.forge("base")
        self.assertEqual("failure", self.judge())
        for text in (self.state.comments[0]["body"], self.state.check_runs[0]["output"]["summary"]):
            for part in ("<script", "\x1b", "](javascript"):
                self.assertNotIn(part, text)
            self.assertIsNone(
                re.search(r"(?<![\w`&;])@everyone", re.sub(r"`[^`\n]*`", "", text)), text
            )

    def test_run_that_names_labels_and_numbers_moves_nothing(self):
        self.state.add_pull(8, "d" * 40, branch="victim")
        self.forge("head", labels={"add": ["release notes: x"]}, pull_request=8, number=8)
        self.forge("base")
        self.assertEqual("success", self.judge())
        self.assertEqual([], self.state.labels[8])
        self.assertEqual([], self.state.labels[NUMBER])

    def test_head_that_moved_meanwhile_is_not_judged(self):
        self.forge("head")
        self.forge("base")
        self.state.pulls[NUMBER]["head"]["sha"] = "d" * 40
        self.assertIsNone(self.judge())
        self.assertEqual([], self.changes())


if __name__ == "__main__":
    unittest.main()
