# SPDX-License-Identifier: BSD-3-Clause
"""Compares runs of the same checks under several versions of torch; called by ci/releases.

    releases_table.py PINNED OTHER...      folders of reports (*.json) of one torch each

If a clause does not apply to a torch (`since` in the contract), its checks do not run there. Every other check must
have the same verdict as on the pinned torch, or a row in releases.tsv: `torch` (as 2.12), `target`, `check`,
`verdict`, `why`. The fleet and the tests in PyTorch's style contain planted defects. The run on the pinned torch shows
the expected failures, and the fleet's lists show what the suites must report.
"""

import collections
import csv
import json
import sys
from pathlib import Path

import fleet_comparison
import fleet_lists

WRONG = ("fail", "crash", "timeout", "broken", "incomplete", "flaky")
SILENT = {"skip", "unobservable"}
NOT_ASKED = "not asked"
KNOWN = Path(__file__).with_name("releases.tsv")


def read_torch(folder):
    """Returns (minor version of the torch, {target: {check: its reported result}}). If the folder's name has a version
    of Python ("2.13.0@3.12"), the result has it too ("2.13@3.12")."""
    versions, targets = set(), {}
    for path in sorted(Path(folder).glob("*.json")):
        report = json.loads(path.read_text(encoding="utf-8"))
        versions.add(".".join(report["run"]["torch"]["version"].split(".")[:2]))
        targets.setdefault(report["run"]["target"], {}).update({check["id"]: check for check in report["checks"]})
    if len(versions) != 1:
        sys.exit(f"{folder}: reports of one torch are needed, and these are of {', '.join(sorted(versions)) or 'none'}")
    _, at, python = Path(folder).name.partition("@")
    return versions.pop() + at + python, targets


def read_known(path=KNOWN):
    """Returns {(torch, target, check): verdict}."""
    with open(path, encoding="utf-8") as file:
        return {(row["torch"], row["target"], row["check"]): row["verdict"] for row in csv.DictReader(file, delimiter="\t")}


def verdict_of(checks, name):
    return checks[name]["verdict"] if name in checks else NOT_ASKED


def is_planted(name):
    return name.startswith("upstream.")


def row_of(target, check):
    """All checks of a fleet backend share one row. The checks of the fake device have one row per suite."""
    return target if target in fleet_lists.backends() else f"{target}, {check.partition('.')[0]}"


def table(runs):
    """A Markdown table with the number of each verdict, by target and suite, with one column for each torch."""
    counts = collections.defaultdict(lambda: [collections.Counter() for _ in runs])
    for target in runs[0][1]:
        names = set().union(*(targets.get(target, {}) for _, targets in runs))
        for at, (_, targets) in enumerate(runs):
            for name in names if target in targets else ():
                counts[row_of(target, name)][at][verdict_of(targets[target], name)] += 1
    yield "| on | verdict | " + " | ".join(version for version, _ in runs) + " |"
    yield "|---|---|" + "---|" * len(runs)
    for row, columns in counts.items():
        for verdict in sorted(set().union(*columns), key=lambda word: (word != "pass", word == NOT_ASKED, word)):
            yield f"| {row} | {verdict} | " + " | ".join(str(column[verdict]) if column else "" for column in columns) + " |"


def differs(target, name, verdict, before):
    """True if a person must judge the result: an error was not planted, or the result changed. Two verdicts without a
    result count as equal, because timing may decide between them. The fleet's lists judge its verdicts; here only a
    lost result of the fleet counts."""
    if target in fleet_lists.backends():
        return before == "pass" and verdict not in WRONG and verdict not in ("pass", "noted", "flaky", NOT_ASKED)
    if verdict in WRONG and not (is_planted(name) and verdict == before):
        return True
    if {verdict, before} <= SILENT:
        return False
    return before != NOT_ASKED and verdict not in (before, NOT_ASKED)


def complaints(runs, known):
    """One line for each unexpected result. The lists of the fleet decide about its new failures."""
    said, used = [], set()
    pinned_version, pinned = runs[0]
    for version, targets in runs:
        for target, checks in targets.items():
            reference = pinned.get(target, {}) if version != pinned_version else checks
            for name in sorted(checks.keys() | reference.keys()):
                verdict, before, key = verdict_of(checks, name), verdict_of(reference, name), (version, target, name)
                if not differs(target, name, verdict, before):
                    continue
                if known.get(key) == verdict:
                    used.add(key)
                    continue
                told = "" if reference is checks else f" ({before} on {pinned_version})"
                said.append(f"{version}  {verdict:<12} {target} {name}{told}: {checks[name]['reason']}")
    asked = {(version, target, name) for version, targets in runs for target, checks in targets.items() for name in checks}
    said += [f"{torch}  {target} {name} is no longer {verdict}: take it out of {KNOWN.name}" for (torch, target, name), verdict
             in sorted(known.items()) if (torch, target, name) in asked and (torch, target, name) not in used]  # fmt: skip
    return said


def listed_complaints(runs):
    """Returns reported defects of the fleet that its lists do not contain, and listed defects that are not reported."""
    for version, targets in runs:
        for backend in sorted(targets.keys() & set(fleet_lists.backends())):
            defects = fleet_lists.defects_of(backend)
            lines = [line for line in fleet_lists.read_open() if line.backend == backend]
            comparison = fleet_comparison.compare(defects, list(targets[backend].values()), version.partition("@")[0])
            yield from (f"{version}  {backend}: {text}" for text in fleet_comparison.surprises(comparison, lines))


def not_asked(runs):
    for target in runs[0][1]:
        names = set().union(*(targets.get(target, {}) for _, targets in runs))
        for version, targets in runs:
            absent = sorted(name for name in names - set(targets.get(target, names)) if not name.startswith("opinfo."))
            if absent and target not in fleet_lists.backends():
                yield f"not asked of {version}: {', '.join(absent)}"


def main(folders):
    runs = [read_torch(folder) for folder in folders]
    said = [*complaints(runs, read_known()), *listed_complaints(runs)]
    print("\n".join([*table(runs), "", *not_asked(runs)]))
    print("\n".join(said) if said else "every verdict is as expected")
    return bool(said)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
