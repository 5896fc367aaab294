# SPDX-License-Identifier: BSD-3-Clause
"""Advice of `assay next` to a scaffold half way is right: with the page that it names applied, the named checks are green.

Reads the runs of step_turns.py, which `ci/full guide` makes first, in build/guide/steps."""

import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from guide_steps import read_steps
from step_turns import is_whole, read_verdicts
from turns_table import GREEN

BUILD = Path(os.environ["ASSAY_BUILD"])
RUNS = BUILD / "guide/steps"
LEAST = 10
BEYOND = "complete"  # a stage that the guide does not lead to: not all that it wants has a page


@unittest.skipUnless(os.environ.get("ASSAY_FULL"), "needs every step built and asked")
class Right(unittest.TestCase):
    def advice(self, run):
        told = subprocess.run([BUILD / "bin/assay", "next", run, "--format", "json"], capture_output=True, text=True)
        self.assertIn(told.returncode, (0, 1), told.stderr)
        return json.loads(told.stdout)["advice"]

    def follow(self, number, names):
        """The checks that the advice after a step names, and the step whose page it names; None: it leads further than the guide."""
        advice = self.advice(RUNS / names[number])
        if advice["stage"] == BEYOND:
            return None
        page = Path(advice["read"] or "").stem
        self.assertIn(page, names[number + 1 :], f"after {names[number]}: {advice}")
        named = re.search(r"--select (\S+)", advice["command"]).group(1).split(",")
        return named, page

    def test_every_advice_on_the_way(self):
        names = [step.name for step in read_steps()]
        followed = 0
        for number, name in enumerate(names[:-1]):
            with self.subTest(after=name):
                self.assertTrue(is_whole(RUNS / name), "step_turns.py hold makes this run")
                named_and_page = self.follow(number, names)
                if named_and_page is None:
                    continue
                named, page = named_and_page
                verdicts = read_verdicts(RUNS / page)
                self.assertEqual({check: verdicts[check] for check in named if verdicts[check] not in GREEN}, {}, page)
                followed += 1
        self.assertGreaterEqual(followed, LEAST)


if __name__ == "__main__":
    unittest.main()
