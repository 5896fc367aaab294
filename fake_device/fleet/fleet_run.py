# SPDX-License-Identifier: BSD-3-Clause
"""Runs the suites on one backend of the fleet and reads the report."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from fleet_lists import ASKED_MODULES, BUILD

RUN_SECONDS = 1500  # enough for a busy machine; each check also has a deadline
# The backend waits ten seconds in each process by default, which tests do not need.
os.environ.setdefault("SLOW_START_SECONDS", "1")
# Most checks of slow_start only wait for the runtime's start. If the start is slow, more checks can run in parallel.
FOR_EACH_PROCESSOR = 4 if float(os.environ["SLOW_START_SECONDS"]) < 5 else 8
MORE_AT_ONCE = {"slow_start": ("--jobs", str(FOR_EACH_PROCESSOR * (os.cpu_count() or 1)))}


class RunError(Exception):
    """The run did not complete. The message is the output of the run."""


class Run:
    """A finished run of one backend. The run's folder is deleted with this object."""

    def __init__(self, backend, *words):
        self._room = tempfile.TemporaryDirectory(prefix="assay-fleet-")
        self.folder = Path(self._room.name, "run")
        said = assay("run", "--target", profile(backend), "--out", self.folder, "--quiet", "--timeout-scale=3",
                     *MORE_AT_ONCE.get(backend, ()), *words)
        if not (self.folder / "journal.jsonl").is_file():
            raise RunError(f"assay run left no journal in {self.folder}: {said.stdout}{said.stderr}")

    def report(self, form):
        told = assay("report", self.folder, "--format", form)
        if told.returncode:
            raise RunError(f"assay report: {told.stderr}")
        return told.stdout

    def advice(self):
        told = assay("next", self.folder, "--format", "json")
        if told.returncode != 1:  # exit status 0 would mean that a backend reached every stage
            raise RunError(f"assay next: {told.stderr}")
        return json.loads(told.stdout)["advice"]

    @property
    def checks(self):
        return json.loads(self.report("json"))["checks"]

    @property
    def by_long_work(self):
        """Checks that depend on long work on a stream. In another run the work may end too early."""
        rows = map(json.loads, (self.folder / "journal.jsonl").read_text(encoding="utf-8").splitlines())
        return {row["id"] for row in rows if row["event"] == "end" and "behind long work" in str(row.get("notes"))}

    @property
    def torch(self):
        return json.loads(self.report("json"))["run"]["torch"]["version"]

    @property
    def capabilities(self):
        """name of a capability -> verdict of its probe check, if it has one"""
        return {one["name"]: one["probe"] for one in json.loads(self.report("json"))["capabilities"] if one["probe"]}


def run_of(backend, checks=ASKED_MODULES):
    """Runs the suites on the backend. `checks` are ids or modules."""
    return Run(backend, "--select", ",".join(sorted(checks)))


def known_checks():
    """Every check as `assay list` prints it."""
    return json.loads(assay("list", "--format", "json").stdout)["checks"]


def looks_of(backend):
    """capability -> answer of `assay probe`: yes, no or unknown"""
    said = assay("probe", "--target", profile(backend), "--format", "json")
    if said.returncode:
        raise RunError(f"assay probe: {said.stdout}{said.stderr}")
    return {name: one["probed"] for name, one in json.loads(said.stdout)["capabilities"].items()}


def profile(backend):
    return BUILD / "fleet" / backend / "profile.yaml"


def assay(*words):
    return subprocess.run([BUILD / "bin/assay", *map(str, words)], capture_output=True, text=True, timeout=RUN_SECONDS)
