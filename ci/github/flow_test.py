# SPDX-License-Identifier: BSD-3-Clause
"""Runs the real steps of gate_judge.yml, the second half of the gate: context, assay gate, apply. The runs are forged
from the contract, because a pull request could also forge them."""

import collections
import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from fixtures.local_runner import Runner
from pull_request_test import LABEL, NUMBER, ROOT, Case, workflow_run

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin" / "assay"
WORKFLOW = ROOT / ".github" / "workflows" / "gate_judge.yml"
REFERENCE = "test/cpp_extensions/open_registration_extension/torch_openreg/csrc/x.cpp"
NASTY = "<script>alert(1)</script> @everyone [x](javascript:y) ::error::z \x1b[2J `code` | #1"


def contract():
    done = subprocess.run([ASSAY, "list", "--format", "json"], capture_output=True, check=True)
    return json.loads(done.stdout)


class Flow(Case):
    @classmethod
    def setUpClass(cls):
        listed = contract()
        cls.checks, cls.version = listed["checks"], listed["contract"]

    def forge(self, name, verdicts=None, drop=0, **header):
        """Makes a run in which every check passes except those in `verdicts`: id -> members of its end record."""
        folder = self.folder / "foreign" / name / "run"
        folder.mkdir(parents=True)
        plan = [{"id": c["id"], "level": c["level"]} for c in self.checks[drop:]]
        rows = [
            {
                "event": "run",
                "schema": "assay/journal/1",
                "date": "2026-11-21T13:48:05Z",
                "seed": "1",
                "target": {"name": "fakedev"},
                "torch": {"version": "2.13.0", "git": "abc"},
                "contract": {"version": self.version, "digest": "d"},
                "checks": plan,
                **header,
            }
        ]
        for check in plan:
            end = {"verdict": "pass", **(verdicts or {}).get(check["id"], {})}
            rows.append({"event": "start", "id": check["id"], "attempt": 1})
            rows.append({"event": "end", "id": check["id"], "attempt": 1, "final": True, **end})
        rows.append({"event": "finish", "complete": True, "totals": collections.Counter(row["verdict"] for row in rows if row["event"] == "end")})
        (folder / "journal.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
        return folder

    def checkout(self):
        """Makes the state of the job after its first two steps: the default branch is checked out and the gate is
        built."""
        place = self.folder / "workspace"
        if not place.exists():
            for name in ("ci/github", "build/bin"):
                (place / name).mkdir(parents=True)
            for path in (ROOT / "ci" / "github").glob("*.py"):
                (place / "ci" / "github" / path.name).symlink_to(path)
            (place / "ci" / "github" / "build_gate").symlink_to("/bin/true")
            (place / "ci" / "expectations").symlink_to(ROOT / "ci" / "expectations")
            (place / "conformance.yaml").symlink_to(ROOT / "conformance.yaml")
            (place / "build" / "bin" / "assay").symlink_to(ASSAY)
            (place / "foreign").symlink_to(self.folder / "foreign")
        return place

    def judge(self):
        """Runs the job of gate_judge.yml with existing artifacts. Returns the conclusion of the check run, or None if
        there is none."""
        (self.folder / "foreign").mkdir(exist_ok=True)
        github = {
            "event": {"workflow_run": {"id": 1}},
            "token": "writes",
            "server_url": "https://example.org",
            "repository": self.state.repository,
            "run_id": 2,
        }
        variables = {
            "GITHUB_API_URL": self.address,
            "GITHUB_REPOSITORY": self.state.repository,
            "GITHUB_EVENT_PATH": self.file("event.json", workflow_run()),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
        }
        before = len(self.state.check_runs)
        Runner(self.checkout(), {"github": github}, variables, self.fetch).run_job(WORKFLOW, "judge")
        runs = self.state.check_runs[before:]
        return runs[0]["conclusion"] if runs else None

    def fetch(self, step, given):
        """Replaces the checkout of the base branch. The artifacts already exist."""
        base = self.folder / "workspace" / "base"
        if given.get("path") == "base" and not base.exists():
            self.assertEqual("b" * 40, given["ref"])
            (base / "ci" / "expectations").mkdir(parents=True)
            (base / "conformance.yaml").symlink_to(ROOT / "conformance.yaml")
            (base / "suites").symlink_to(ROOT / "suites")
            for (commit, name), text in self.state.contents.items():
                if commit == "b" * 40:
                    (base / name).write_text(text)
        return {}

    def propose(self, victim):
        """Makes a base that lists a failure of this check, and a pull request that removes the entry."""
        name = "ci/expectations/fakedev.yaml"
        entry = (f"  - {{check: {victim}, verdict: fail, signature: 'one is two', reason: Old., "
                 "issue: 'https://example.org/1', expires: 2999-01-01}\n")
        lists = "target: fakedev\nexpected:\n" + entry, "target: fakedev\nexpected: []\n"
        sha = self.state.pulls[NUMBER]["head"]["sha"]
        self.state.contents = {("b" * 40, name): lists[0], (sha, name): lists[1]}
        self.state.files[NUMBER] = [{"filename": name}]
        return name, sha, lists

    def test_repaired_failure_whose_entry_is_taken_out_is_green(self):
        victim = next(c["id"] for c in self.checks if c["level"] == "must")
        self.propose(victim)
        self.forge("head")
        self.forge("base", {victim: {"verdict": "fail", "reason": "one is two"}})
        self.assertEqual("success", self.judge())

    def test_entry_that_a_pull_request_adds_is_undecided(self):
        victim = next(c["id"] for c in self.checks if c["level"] == "must")
        name, sha, lists = self.propose(victim)
        self.state.contents = {("b" * 40, name): lists[1], (sha, name): lists[0]}
        self.forge("head")
        self.forge("base")
        self.assertEqual("action_required", self.judge())
        self.assertIn("would excuse itself", self.state.comments[0]["body"])

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
            self.assertNotIn("\x1b", text)
            text = re.sub(r"`[^`\n]*`", "", text)  # Markdown has no effect in a code span
            for part in ("<script", "](javascript", "@everyone"):
                self.assertNotIn(part, text)

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
