# SPDX-License-Identifier: BSD-3-Clause
"""Tests the advice of `assay next`: after the steps of the named page, no named check is blocked by the piece.

Tests one step; with ASSAY_FULL=1, every step whose runs step_runs.py made in build/guide/steps (`ci/full guide`)."""

import json
import os
import re
import subprocess
import unittest
from pathlib import Path

from guide_steps import read_steps
from next_step import subject_of
from step_runs import GREEN, ask, build, is_whole, read_report

BUILD = Path(os.environ["ASSAY_BUILD"])
RUNS = BUILD / "guide/steps"
LEAST = 9  # least number of pieces of advice that name the page of a later step
STEPS = read_steps()
NAMES = [step.name for step in STEPS]
FIRST = 2  # number of steps of the tested backend, which cannot make a view yet


def advice_on(run):
    """Returns the advice, the name of the page, and the checks that its command selects."""
    told = subprocess.run([BUILD / "bin/assay", "next", run, "--format", "json"], capture_output=True, text=True)
    advice = json.loads(told.stdout)["advice"]
    return advice, (advice["read"] or "").removeprefix("assay guide "), re.search(r"--select (\S+)", advice["command"]).group(1).split(",")


class Right(unittest.TestCase):
    def follow(self, before, after, named):
        """Tests that the cause that blocked the named checks in the run `before` blocks none of them in `after`."""
        was, now = ({check["id"]: check for check in read_report(run)["checks"]} for run in (before, after))
        held_up_by = subject_of(was[named[0]])
        still = [check for check in named if now[check]["verdict"] not in GREEN and subject_of(now[check]) == held_up_by]
        self.assertEqual(still, [], f"{held_up_by}: {before} to {after}")

    def test_one_advice(self):
        place = BUILD / "guide/one_step"
        place.mkdir(parents=True, exist_ok=True)
        build(place, STEPS[:FIRST])
        ask(place, "before", ["bring-up"])
        advice, page, named = advice_on(place / "before")
        self.assertIn(page, NAMES[FIRST:], advice)
        build(place, STEPS[: NAMES.index(page) + 1])
        ask(place, "after", named)
        self.follow(place / "before", place / "after", named)

    @unittest.skipUnless(os.environ.get("ASSAY_FULL"), "needs a run of every step")
    def test_every_advice_on_the_way(self):
        followed = 0
        for number, name in enumerate(NAMES[:-1]):
            with self.subTest(after=name):
                self.assertTrue(is_whole(RUNS / name), "step_runs.py makes this run")
                _, page, named = advice_on(RUNS / name)
                if page not in NAMES[number + 1 :]:
                    continue  # a defect of this step, or a feature that needs the author's own driver
                self.follow(RUNS / name, RUNS / page, named)
                followed += 1
        self.assertGreaterEqual(followed, LEAST)


if __name__ == "__main__":
    unittest.main()
