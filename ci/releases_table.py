# SPDX-License-Identifier: BSD-3-Clause
"""Runs of the same checks under several versions of torch, beside each other; called by ci/releases.

    releases_table.py PINNED.json OTHER.json...

A check that another torch does not promise (`since` in the contract) is not asked there. Any other must have
the verdict that it has on the pinned torch, or stand in releases.tsv: `torch` (as 2.12), `check`, `verdict`, `why`.
"""

import collections
import csv
import json
import sys
from pathlib import Path

WRONG = ("fail", "crash", "timeout", "broken", "incomplete", "flaky")
NOT_ASKED = "not asked"
KNOWN = Path(__file__).with_name("releases.tsv")


def read_run(path):
    """(minor version of its torch, check -> what is reported of it)"""
    report = json.loads(Path(path).read_text(encoding="utf-8"))
    version = report["run"]["torch"]["version"]
    return ".".join(version.split(".")[:2]), {check["id"]: check for check in report["checks"]}


def read_known(path=KNOWN):
    """(torch, check) -> verdict"""
    with open(path, encoding="utf-8") as file:
        return {(row["torch"], row["check"]): row["verdict"] for row in csv.DictReader(file, delimiter="\t")}


def verdict_of(checks, name):
    return checks[name]["verdict"] if name in checks else NOT_ASKED


def table(runs, names):
    """Lines: how often each verdict came, one column for each torch."""
    counts = [collections.Counter(verdict_of(checks, name) for name in names) for _, checks in runs]
    lines = [f"{'torch':<14}" + "".join(f"{version:>8}" for version, _ in runs)]
    for verdict in sorted(set().union(*counts), key=lambda word: (word != "pass", word == NOT_ASKED, word)):
        lines.append(f"{verdict:<14}" + "".join(f"{count[verdict]:>8}" for count in counts))
    return lines


def complaints(runs, known):
    """One line for each thing that nobody expects."""
    said, used = [], set()
    pinned = runs[0][1]
    for version, checks in runs:
        for name in sorted(checks.keys() | pinned.keys()):
            verdict, key = verdict_of(checks, name), (version, name)
            if verdict not in WRONG and verdict in (verdict_of(pinned, name), NOT_ASKED):
                continue
            if known.get(key) == verdict:
                used.add(key)
                continue
            before = "" if checks is pinned else f" ({verdict_of(pinned, name)} on {runs[0][0]})"
            said.append(f"{version}  {verdict:<12} {name}{before}: {checks[name]['reason']}")
    asked = {version for version, _ in runs}
    said += [f"{torch}  {name} is no longer {verdict}: take it out of {KNOWN.name}"
             for (torch, name), verdict in sorted(known.items()) if torch in asked and (torch, name) not in used]
    return said


def main(paths):
    runs = [read_run(path) for path in paths]
    names = set().union(*(checks.keys() for _, checks in runs))
    said = complaints(runs, read_known())
    print("\n".join(table(runs, names)))
    for version, checks in runs[1:]:
        absent = sorted(names - checks.keys())
        print(f"not asked of {version}: {', '.join(absent) if absent else 'nothing'}")
    print("\n".join(said) if said else "every verdict is as expected")
    return bool(said)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
