# SPDX-License-Identifier: BSD-3-Clause
"""Converts the JSON report of a run (reports/schema/report.schema.json) to the rows of a history."""

import json
import os
import re
import subprocess

from assay.command import Refused

from .events import BAD, GOOD
from .reading import Answer, Change, Run, Series
from .writing import cut

UNDECIDED = frozenset(("broken", "incomplete", "notrun"))
ASKED_MOST = 511  # bytes


class Unreadable(Refused):
    """The report of a run could not be made. The message comes from the program that failed."""


def read_report(folder):
    done = subprocess.run([os.environ["ASSAY_PROGRAM"], "report", "--format", "json", "--", folder], capture_output=True,
                          check=False)
    if done.returncode:
        raise Unreadable(done.stderr.decode(errors="replace").strip().removeprefix("assay: "), done.returncode)
    return json.loads(done.stdout)


def asked_of(run):
    """The part of the contract that a run covered: "" for all of it, else the selection and the shard."""
    parts = [] if run["select"] in (None, "all") else [run["select"]]
    if run["shards"] > 1:
        parts.append(f"shard {run['shard']}/{run['shards']}")
    return cut(", ".join(parts), ASKED_MOST)


def release_of(torch):
    """2.13 for 2.13.0+cpu; the whole text if it does not begin with two numbers."""
    match = re.match(r"[0-9]+\.[0-9]+", torch)
    return match.group() if match else torch


def state_of(report):
    """The state of the backend, which depends only on the musts."""
    musts = [check for check in report["checks"] if check["level"] == "must" and not check["support"]]
    if any(check["verdict"] in BAD or check.get("follows") for check in musts):
        return "incompatible"
    if not report["run"]["complete"] or any(check["verdict"] in UNDECIDED for check in musts):
        return "undecided"
    return "partial" if asked_of(report["run"]) else "compatible"


def run_of(report, backend):
    """The Run of a report. The Series in this Run has only names."""
    run = report["run"]
    torch = run["torch"]["version"] or ""
    musts = [clause["verdict"] in GOOD for clause in report["requirements"] if clause["level"] == "must"]
    return Run(run["date"] or "", torch, run["torch"]["git"] or "", backend, run["contract"]["version"],
               run["contract"]["digest"] or "", state_of(report), sum(musts), len(musts), run["promised"]["must"], True,
               Series(run["target"], release_of(torch), asked_of(run)))


def changes_of(report):
    """All facts of the run, without checks that another shard counts."""
    for check in report["checks"]:
        if not check["support"]:
            answer = Answer(check["level"], check["verdict"], tuple(check["covers"]), check.get("cause_key", ""))
            yield Change("check", check["id"], answer, check["seen"] or check["reason"] or "")
    for clause in report["requirements"]:
        yield Change("clause", clause["id"], Answer(clause["level"], clause["verdict"], (), ""), clause["text"])
    for capability in report["capabilities"]:
        yield Change("capability", capability["name"], Answer("", capability["standing"], (), ""), capability["source"] or "")
    if report["run"]["stage"]:
        yield Change("stage", "reached", Answer("", report["run"]["stage"], (), ""), "")
