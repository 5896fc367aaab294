# SPDX-License-Identifier: BSD-3-Clause
"""The report of the step of torch that a bisection ended with, what it changes for backends: `assay drift` of the two torches that were built
for its two sides, where they were installed by pip or stand in a checkout."""

import subprocess

from assay.bisect.verdicts import REPAIRED

DONE = (0, 1, 2)  # 1: something breaks, which is what was looked for; 2: a header does not parse any more


def sides_of(culprit, axes, answers):
    """The older installed torch and the newer; None: one of them has none."""
    sides = []
    for end in ("first_bad", "last_good") if culprit["way"] == REPAIRED else ("last_good", "first_bad"):
        key = tuple(culprit[end] if axis.what == culprit["axis"] else culprit["with"][axis.what] for axis in axes)
        found = sorted(answers.place_of(key).glob("**/site-packages/torch/version.py"))
        if not found:
            return None
        sides.append(str(found[0].parent))
    return sides


def report(culprit, axes, answers, program):
    """Where the report lies, "" when there is none."""
    if culprit["axis"] != "torch" or not culprit["found"]:
        return ""
    sides = sides_of(culprit, axes, answers)
    if sides is None:
        return ""
    path = answers.folder / "drift.md"
    with open(answers.folder / "log.txt", "ab") as log:
        done = subprocess.run([program, "drift", *sides, "--format", "markdown", "--output", str(path)], stdout=log, stderr=log, check=False)
    return str(path) if done.returncode in DONE and path.exists() else ""
