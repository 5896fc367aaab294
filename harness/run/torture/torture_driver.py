# SPDX-License-Identifier: BSD-3-Clause
"""Starts torture_run for the tests in this folder, and looks for processes that it leaves behind."""

import json
import os
import subprocess
import sys
import tempfile
import time
import uuid
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
PACKAGES = ROOT / "harness" / "python"
CASES = ROOT / "harness" / "host" / "torture"
MARK = "ASSAY_TORTURE_MARK"
_SCHEMA = json.loads((ROOT / "reports/schema/journal.schema.json").read_text(encoding="utf-8"))
MODES = tuple(_SCHEMA["$defs"]["isolation"]["properties"]["mode"]["enum"])


def read_cases(name):
    """Reads a case file as {id: expected verdict}."""
    lines = (CASES / name).read_text(encoding="utf-8").splitlines()
    words = [line.split() for line in lines if line.strip() and not line.startswith("#")]
    return {word[0]: word[1] for word in words}


class Run:
    """A folder and the runs in it. All processes have a mark in their environment."""

    def __init__(self, case, python=False):
        self.temporary = tempfile.TemporaryDirectory(prefix="assay-torture-")
        case.addCleanup(self.temporary.cleanup)
        self.out = Path(self.temporary.name) / "run"
        self.mark = uuid.uuid4().hex
        self.python = python

    def _environment(self):
        path = os.pathsep.join([str(PACKAGES), str(CASES)])
        return dict(
            os.environ,
            **{MARK: self.mark},
            PYTHONPATH=path,
            PYTHONDONTWRITEBYTECODE="1",
            ASSAY_LIBRARIES=str(BUILD / "lib"),
            ASSAY_HOST_TARGET="torture_target",
            ASSAY_TORTURE_LIBRARY=str(BUILD / "tests" / "torture_checks.so"),
        )

    def _command(self, options):
        words = [str(BUILD / "tests" / "torture_run"), f"--out={self.out}"]
        if self.python:
            words += [f"--python={sys.executable} -m assay.host", f"--module={CASES}"]
        else:
            words += [f"--host={BUILD / 'tests' / 'torture_host'}"]
        names = [(name.replace("_", "-"), value) for name, value in options.items()]
        return words + [f"--{name}={value}" for name, value in names]

    def start(self, **options):
        return subprocess.Popen(
            self._command(options), env=self._environment(), stdout=subprocess.PIPE, text=True
        )

    def finish(self, process):
        """Returns the exit status and {id: verdict}."""
        out, _ = process.communicate(timeout=280)
        rows = [line.split() for line in out.splitlines() if not line.startswith("incomplete:")]
        return process.returncode, dict(rows)

    def run(self, **options):
        return self.finish(self.start(**options))

    def records(self):
        lines = (self.out / "journal.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def set_aside(self):
        """Checks with an attempt that was not final."""
        return {r["id"] for r in self.records() if r["event"] == "end" and not r["final"]}

    def left_over(self):
        """Command lines of running processes with the mark."""
        wanted, found = f"{MARK}={self.mark}".encode(), []
        for folder in Path("/proc").iterdir():
            if not folder.name.isdigit():
                continue
            try:
                if wanted in (folder / "environ").read_bytes():
                    found.append((folder / "cmdline").read_bytes().replace(b"\0", b" ").decode())
            except (OSError, UnicodeDecodeError):
                continue  # the process has ended, or belongs to another user
        return found

    def left_over_in_the_end(self, patience=20):
        """Processes that still exist after `patience` seconds. Hosts of a killed supervisor need a moment to end."""
        deadline = time.monotonic() + patience
        while (found := self.left_over()) and time.monotonic() < deadline:
            os.sched_yield()
        return found
