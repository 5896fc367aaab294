# SPDX-License-Identifier: BSD-3-Clause
"""The steps of the guide: each is a patch of the one before, and the last is what `assay new` writes."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

from guide_steps import files_after, patch_of, read_steps
from new_backend import FEATURES, PARTS, files_of

GUIDE = Path(__file__).resolve().parent
BUILD = Path(os.environ["ASSAY_BUILD"])
ASSAY = BUILD / "bin/assay"
STEPS = read_steps()
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

    def test_every_check_is_there_and_named_once(self):
        told = subprocess.run([ASSAY, "list", "--format", "json"], capture_output=True, text=True, check=True, timeout=60)
        known = {check["id"] for check in json.loads(told.stdout)["checks"]}
        named = [check for step in STEPS for check in step.checks]
        self.assertEqual(set(named) - known, set())
        self.assertEqual(len(named), len(set(named)))


if __name__ == "__main__":
    unittest.main()
