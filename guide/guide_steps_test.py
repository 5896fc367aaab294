# SPDX-License-Identifier: BSD-3-Clause
"""The steps of the guide: each is a patch of the one before, and the last is what `assay new` writes."""

import importlib.metadata
import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from guide_steps import files_after, patch_of, read_steps
from new_backend import FEATURES, PARTS, files_of
from turns_table import GREEN, NOT_WRONG, UNSEEN, broken_by, differences, observed, read_turns, seen_so_far

GUIDE = Path(__file__).resolve().parent
BUILD = Path(os.environ["ASSAY_BUILD"])
ASSAY = BUILD / "bin/assay"
STEPS = read_steps()
TURNS = read_turns(importlib.metadata.version("torch"))
MOST_LINES = 700  # of a step; a patch that is longer is two


class Told(unittest.TestCase):
    def test_the_parts_come_once_and_all(self):
        parts = [part for step in STEPS for part in step.parts]
        self.assertEqual(sorted(parts), sorted([*PARTS, *FEATURES]))

    def test_the_last_step_is_what_assay_new_writes(self):
        self.assertEqual(files_after(STEPS), dict(files_of("foo", {*PARTS, *FEATURES}, "nobody")))

    def test_a_step_is_a_patch(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, step in enumerate(STEPS, 1):
                with self.subTest(step=step.name):
                    patch = patch_of(STEPS[:number])
                    told = subprocess.run(["git", "apply", "-"], input=patch, capture_output=True, text=True, cwd=folder)
                    self.assertEqual(told.returncode, 0, told.stderr)
                    self.assertTrue(number == 1 or 0 < patch.count("\n") < MOST_LINES, patch.count("\n"))
            written = {path.relative_to(folder).as_posix(): path.read_text() for path in Path(folder).rglob("*") if path.is_file()}
        self.assertEqual(written, files_after(STEPS))

    def test_every_step_has_a_page(self):
        for step in STEPS:
            self.assertTrue((GUIDE / f"pages/steps/{step.name}.md").is_file(), step.name)


class Promised(unittest.TestCase):
    """turns.tsv, without a backend: step_turns_test.py builds some."""

    def test_steps_checks_and_verdicts_are_there(self):
        told = subprocess.run([ASSAY, "list", "--format", "json"], capture_output=True, text=True, check=True, timeout=60)
        known = {check["id"] for check in json.loads(told.stdout)["checks"]}
        names = [step.name for step in STEPS]
        self.assertEqual({check for _, check, _, _ in TURNS} - known, set())
        self.assertEqual([name for name, *_ in TURNS], sorted((name for name, *_ in TURNS), key=names.index))

    def test_a_check_turns_from_what_it_was(self):
        green = {}
        for step, check, before, after in TURNS:
            self.assertEqual(before in GREEN, green.get(check, False), f"{step}: {check}")
            self.assertNotEqual(before in GREEN, after in GREEN, f"{step}: {check}")
            self.assertIn(after, GREEN | NOT_WRONG, f"{step}: {check} is broken by the step")
            green[check] = after in GREEN

    def test_what_is_not_observed_this_time_has_turned_no_way(self):
        before, found = {"m.one": "pass", "m.two": "skip", "m.three": "pass"}, {"m.one": UNSEEN, "m.two": UNSEEN, "m.three": "fail"}
        self.assertEqual(seen_so_far(before, found), {"m.one": "pass", "m.two": UNSEEN, "m.three": "fail"})
        rows = [("a", "m.one", "skip", "pass"), ("a", "m.two", "skip", "pass")]
        self.assertEqual(observed(rows, {"m.two"}), rows[:1])

    def test_differences_are_told_both_ways(self):
        told = [("a", "m.one", "skip", "pass"), ("a", "m.two", "pass", "skip"), ("b", "m.six", "fail", "pass")]
        self.assertEqual(differences("a", told, told), [])
        self.assertEqual(differences("a", told, [("a", "m.one", "blocked", "noted"), ("a", "m.three", "fail", "pass")]),
                         ["a: m.three turns green, which turns.tsv does not say", "a: turns.tsv says that m.two is green no more"])

    def test_what_a_step_breaks_is_told(self):
        before = {"m.one": "pass", "m.two": "pass", "m.three": "fail"}
        after = {"m.one": "fail", "m.two": "skip", "m.three": "crash"}
        self.assertEqual(broken_by("a", before, after), ["a: m.one was pass and is fail"])


if __name__ == "__main__":
    unittest.main()
