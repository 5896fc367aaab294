# SPDX-License-Identifier: BSD-3-Clause
"""Reads every anchor of the contract in every supported torch, and lists the clauses that no person has verified
there.

    read_anchors.py update PACKAGES...      reads the torch in each folder into suites/anchors.tsv
    read_anchors.py unread                  one line for each clause that is to be read again; exit status 1 if there is any
    read_anchors.py show CLAUSE OLD NEW     what changed of its anchors; OLD and NEW are such folders
    read_anchors.py run RELEASE REPORT      adds a reading ("run") of each clause whose checks passed on RELEASE

A row in suites/readings.tsv records that a person verified a clause: clause, release, the evidence (run, header or
source), and any difference. ci/release_torch fetches releases: build/torch/RELEASE/packages.
"""

import csv
import difflib
import json
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
import torch_range
from assay.anchors import readings as anchors
from assay.anchors.requirements import SUITES, places
from assay.anchors.text import text_of
from assay.facts.side import read_version


def update(folders):
    table = anchors.read_table()[0] if (SUITES / anchors.TABLE).exists() else {}
    wanted = {anchors.label(place) for place in places()}
    for folder in map(Path, folders):
        release = read_version(folder / "torch/version.py")[0].partition("+")[0]
        if release not in torch_range.releases():
            sys.exit(f"{folder}: {release} is not in {torch_range.FILE}")
        for place, digest in anchors.digests(folder).items():
            table.setdefault(place, {})[release] = digest
    with open(SUITES / anchors.TABLE, "w", encoding="utf-8") as file:
        writer = csv.writer(file, delimiter="\t", lineterminator="\n")
        writer.writerow(["anchor", *torch_range.releases()])
        for place in sorted(wanted):
            writer.writerow([place, *(table.get(place, {}).get(release, anchors.UNKNOWN) for release in torch_range.releases())])


def unread(_):
    table, releases = anchors.read_table()
    found = anchors.unread(table, releases, anchors.read_readings(), anchors.clauses_by_place(), anchors.promises(releases))
    for clause, release, where in found:
        print(f"{clause}  {release}  {'; '.join(where)}")
    return bool(found)


def show(words):
    clause, *folders = words
    for place in places():
        if place.requirement == clause:
            old, new = (pieces(text_of(Path(folder), place.file, place.name) or "") for folder in folders)
            print(f"==== {anchors.label(place)}")
            print("\n".join(difflib.unified_diff(old, new, n=1, lineterm="")))


def pieces(text):
    return re.split(r"\n|(?<=[;{}]) ", text)


def run(words):
    """Adds a row for each unverified clause whose checks all passed."""
    release, report = words[0], json.loads(Path(words[1]).read_text(encoding="utf-8"))
    if report["run"]["torch"]["version"].partition("+")[0] != release or not report["run"]["complete"]:
        sys.exit(f"{words[1]}: no complete run on torch {release}")
    passed = {row["id"] for row in report["requirements"] if row["checks"] and row["verdict"] == "pass"}
    table, releases = anchors.read_table()
    found = anchors.unread(table, releases, anchors.read_readings(), anchors.clauses_by_place(), anchors.promises(releases))
    with open(SUITES / anchors.READINGS, "a", encoding="utf-8") as file:
        for clause, where, _ in found:
            if where == release and clause in passed:
                file.write(f"{clause}\t{release}\trun\t\n")


COMMANDS = {"update": update, "unread": unread, "show": show, "run": run}

if __name__ == "__main__":
    if sys.argv[1:2] == [] or sys.argv[1] not in COMMANDS:
        sys.exit(__doc__)
    sys.exit(COMMANDS[sys.argv[1]](sys.argv[2:]))
