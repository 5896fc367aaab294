# SPDX-License-Identifier: BSD-3-Clause
"""Runs the real steps of the nightly job `history`: nights are added to a branch, and none is lost."""

import contextlib
import json
import os
import re
import sqlite3
import subprocess
import unittest
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from fixtures.fake_github import Server
from fixtures.local_runner import Runner
from harness.command.fixtures.folder_case import FolderCase

ROOT = Path(__file__).resolve().parents[2]
ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin" / "assay"
SAMPLE = ROOT / "reports" / "testdata" / "runs" / "mixed" / "journal.jsonl"


class Nights(FolderCase):
    def setUp(self):
        super().setUp()
        self.origin = self.folder / "origin.git"
        subprocess.run(["git", "init", "--quiet", "--bare", self.origin], check=True)

    def artifact(self, place, day, mended, revision):
        """Makes a run of that day in the folder in which download-artifact puts it."""
        run = place / "nightly" / "nightly-fakedev-pinned" / "run"
        run.mkdir(parents=True)
        text = SAMPLE.read_text().replace("2026-11-21T", f"2026-11-{day}T")
        if mended:
            text = re.sub('"verdict":"(fail|crash|timeout)"', '"verdict":"pass"', text)
            records = [json.loads(line) for line in text.splitlines()]
            totals = Counter(record["verdict"] for record in records if record["event"] == "end" and record["final"])
            text = re.sub('"totals":{[^}]*}', f'"totals":{json.dumps(totals)}', text)
        run.joinpath("journal.jsonl").write_text(text)
        if revision:
            run.joinpath("revision").write_text(f"{revision}\n")

    def night(self, day, runs=True, mended=False, revision=""):
        """Runs the job once. `runs` is False if the matrix left no artifact."""
        place = self.folder / f"night-{day}-{runs}"
        (place / "ci" / "github").mkdir(parents=True)
        (place / "build" / "bin").mkdir(parents=True)
        (place / "build" / "bin" / "assay").symlink_to(ASSAY)
        (place / "ci" / "github" / "build_gate").symlink_to("/bin/true")
        (place / "ci" / "github" / "feed_history").write_bytes((ROOT / "ci/github/feed_history").read_bytes())
        (place / "ci" / "github" / "feed_history").chmod(0o755)
        subprocess.run(["git", "init", "--quiet", place], check=True)
        subprocess.run(["git", "-C", place, "remote", "add", "origin", self.origin], check=True)
        if runs:
            self.artifact(place, day, mended, revision)
        self.job(place, "history")
        return place

    def job(self, place, name, **variables):
        github = {"token": "t", "run_id": 1, "event": {"inputs": {"night": ""}}}
        Runner(place, {"github": github}, {"HOME": str(self.folder), **variables}).run_job(
            ROOT / ".github" / "workflows" / "nightly.yml", name)

    def days(self):
        """The days of the runs on the branch."""
        tree = self.folder / "look"
        subprocess.run(["rm", "-rf", tree], check=True)
        subprocess.run(["git", "clone", "--quiet", "--branch", "history", self.origin, tree], check=True)
        with contextlib.closing(sqlite3.connect(tree / "history.db")) as history:
            return {int(date[8:10]) for (date,) in history.execute("SELECT date FROM run")}

    def revisions(self, place):
        """Ten revisions of the backend as commits in the night's checkout. The seventh breaks it."""
        lines = []
        for number in range(10):
            lines += ["commit refs/heads/main", f"committer A <a@example.com> {1700000000 + number} +0000", "data 1", str(number),
                      "M 100644 inline number.txt", "data 1", str(number)]
        subprocess.run(["git", "-C", place, "fast-import", "--quiet"], input="\n".join(lines) + "\n", text=True, check=True)
        done = subprocess.run(["git", "-C", place, "rev-list", "--reverse", "main"], capture_output=True, text=True, check=True)
        return done.stdout.split()

    def whole_night(self, day, mended, revision, server):
        """Runs the jobs history, site, bisect, remember and tell, each in the checkout of the previous job."""
        subprocess.run(["rm", "-rf", self.folder / f"night-{day}-True"], check=True)
        place = self.night(day, mended=mended, revision=revision)
        self.revisions(place)
        for name in ("tell_losses.py", "bisect_losses.py", "pin_update.py", "github_api.py"):
            (place / "ci" / "github" / name).write_bytes((ROOT / "ci/github" / name).read_bytes())
        for name, text in (("bisect_build", 'cp number.txt "$ASSAY_PREFIX/"'), ("bisect_run", 'test "$(cat "$ASSAY_PREFIX/number.txt")" -lt 7')):
            (place / "ci/github" / name).write_text(f"#!/bin/bash\n{text}\n")
            (place / "ci/github" / name).chmod(0o755)
        for job in ("site", "bisect", "remember"):
            self.job(place, job)
        self.assertIn("foo.yaml", (place / "site" / "index.html").read_text())
        self.job(place, "tell", GITHUB_API_URL=server.address, GITHUB_REPOSITORY="pytorch/pytorch")

    def test_three_nights_tell_of_a_break_once_and_take_it_back(self):
        """Runs the real steps: in the second night, a backend fails on several releases; in the third, it is
        repaired."""
        commits = self.revisions(self.scratch())
        with Server() as server:
            told = []
            for day, mended, revision in ((20, True, commits[2]), (21, False, commits[9]), (21, False, commits[9]), (22, True, commits[9])):
                self.whole_night(day, mended, revision, server)
                told.append([issue["state"] for issue in server.state.issues])
            causes = len(told[1])
            self.assertGreater(causes, 0)
            self.assertEqual([[], ["open"] * causes, ["open"] * causes, ["closed"] * causes], told)
            self.assertTrue(any("guard.exchange_device_returns_the_previous_device" in issue["body"] for issue in server.state.issues))
            for issue in server.state.issues:
                self.assertIn(f"backend broken by {commits[7]}", issue["body"])
        kept = subprocess.run(["git", "-C", self.origin, "ls-tree", "--name-only", "history:bisected"], capture_output=True, text=True, check=True)
        self.assertEqual(causes, len(kept.stdout.split()))

    def scratch(self):
        place = self.folder / "scratch"
        subprocess.run(["git", "init", "--quiet", place], check=True)
        return place

    def test_two_nights_feed_one_history(self):
        self.night(21)
        self.night(22)
        self.assertEqual({21, 22}, self.days())
        log = subprocess.run(["git", "-C", self.origin, "log", "--oneline", "history"], capture_output=True,
                             text=True, check=True)
        self.assertEqual(2, len(log.stdout.splitlines()))

    def test_two_nights_at_once_lose_nothing(self):
        with ThreadPoolExecutor(3) as pool:
            list(pool.map(self.night, (20, 21, 22)))
        log = subprocess.run(["git", "-C", self.origin, "log", "--oneline", "history"], capture_output=True,
                             text=True, check=True)
        self.assertEqual(3, len(log.stdout.splitlines()))
        self.assertEqual({20, 21, 22}, self.days())

    def test_a_missing_night_is_no_failure_and_a_dead_runner_is_fed_later(self):
        self.night(20)
        self.night(21, runs=False)
        self.night(22)
        self.night(21)  # the artifacts of the dead runner are added by hand
        before = subprocess.run(["git", "-C", self.origin, "rev-parse", "history"], capture_output=True, check=True)
        subprocess.run(["rm", "-rf", self.folder / "night-22-True"], check=True)
        self.night(22)  # the history already has this run, so nothing changes
        after = subprocess.run(["git", "-C", self.origin, "rev-parse", "history"], capture_output=True, check=True)
        self.assertEqual(before.stdout, after.stdout)
        self.assertEqual({20, 21, 22}, self.days())


if __name__ == "__main__":
    unittest.main()
