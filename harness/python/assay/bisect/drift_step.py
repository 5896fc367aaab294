# SPDX-License-Identifier: BSD-3-Clause
"""Makes the `assay drift` report for the two torches between which a bisection ended. Each torch must be a pip
installation or a checkout."""

import subprocess

from assay.bisect.verdicts import REPAIRED

DONE = (0, 1, 2)  # exit status 1 (a change breaks code) is the expected answer; 2: a header no longer parses


def sides_of(culprit, axes, answers):
    """The older and the newer torch, or None if one of them is not available."""
    sides = []
    for end in ("first_bad", "last_good") if culprit["way"] == REPAIRED else ("last_good", "first_bad"):
        key = tuple(culprit[end] if axis.what == culprit["axis"] else culprit["with"][axis.what] for axis in axes)
        found = sorted(answers.place_of(key).glob("**/site-packages/torch/version.py"))
        if not found:
            return None
        sides.append(str(found[0].parent))
    return sides


def report(culprit, axes, answers, program):
    """Path of the report, or "" if none was made."""
    if culprit["axis"] != "torch" or not culprit["found"]:
        return ""
    sides = sides_of(culprit, axes, answers)
    if sides is None:
        return ""
    path = answers.folder / "drift.md"
    with open(answers.folder / "log.txt", "ab") as log:
        done = subprocess.run([program, "drift", *sides, "--format", "markdown", "--output", str(path)], stdout=log, stderr=log, check=False)
    return str(path) if done.returncode in DONE and path.exists() else ""
