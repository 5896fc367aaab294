# SPDX-License-Identifier: BSD-3-Clause
"""Runs the six suites on one backend of the fleet and reads the report."""

import json
import os
import subprocess
import tempfile
from pathlib import Path

from fleet_lists import SIX_MODULES

BUILD = Path(os.environ.get("ASSAY_BUILD", Path(__file__).resolve().parents[2] / "build"))
RUN_SECONDS = 1500  # a busy machine takes long; each check has a deadline of its own
# Ten seconds in each process are the backend's own default; a test of this tree need not wait for them.
os.environ.setdefault("SLOW_START_SECONDS", "1")


class RunError(Exception):
    """The run did not come to its end; the message is what it said."""


def checks_of(backend):
    """The checks of a run, as `assay report --format json` has them, and how long it took."""
    with tempfile.TemporaryDirectory(prefix="assay-fleet-") as folder:
        out = Path(folder, "run")
        said = assay("run", "--target", profile(backend), "--select", ",".join(SIX_MODULES), "--out", out,
                     "--quiet", "--timeout-scale=3")
        if not (out / "journal.jsonl").is_file():
            raise RunError(f"assay run left no journal in {out}: {said.stdout}{said.stderr}")
        told = assay("report", out, "--format", "json")
        if told.returncode:
            raise RunError(f"assay report: {told.stderr}")
        return json.loads(told.stdout)["checks"]


def profile(backend):
    return BUILD / "fleet" / backend / "profile.yaml"


def assay(*words):
    return subprocess.run([BUILD / "bin/assay", *map(str, words)], capture_output=True, text=True,
                          timeout=RUN_SECONDS)
