# SPDX-License-Identifier: BSD-3-Clause
"""Fixture shared by tests of `assay run` from the outside: a contract of four checks, a target that is nothing,
no torch."""

import json
import os
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
TORTURE = ROOT / "harness" / "engine" / "host" / "torture"

CONFORMANCE = """\
contract: 7
levels:
  must: It must.
  should: It should.
  may: It may.
  advisory: It is seen.
capabilities:
  streams:
    text: Queues.
    probe: sample.streams_work
    refusal: sample.streams_are_refused
profiles:
  smoke:
    text: First look.
    select: must
modules:
  sample:
    prefix: SMP
    title: Samples
    anchors: [sample.h]
"""
# The part that the runner does not look at is taken from the real file.
CONFORMANCE += "gate:" + (ROOT / "conformance.yaml").read_text().partition("\ngate:")[2]
REQUIREMENT = "  - {{id: SMP-00{n}, level: {level}, text: Sentence {n}., why: Because., anchor: sample.h:x}}\n"
CHECKS = """\
checks:
  - {id: sample.passes, covers: [SMP-001], summary: Passes.}
  - {id: sample.stands_on_it, covers: [SMP-002], builds_on: [sample.passes], summary: Stands.}
  - {id: sample.streams_work, covers: [SMP-003], summary: Probe.}
  - {id: sample.streams_are_refused, covers: [SMP-003], summary: Refusal.}
  - {id: sample.uses_streams, covers: [SMP-004], capability: streams, summary: Uses.}
"""
TESTS = '''\
# SPDX-License-Identifier: BSD-3-Clause
import os
import unittest

from assay_host import report


class Sample(unittest.TestCase):
    def test_passes(self):
        """sample.passes"""
        self.assertNotIn("SAMPLE_FAILS", os.environ)

    def test_stands_on_it(self):
        """sample.stands_on_it"""

    def test_streams_work(self):
        """sample.streams_work"""
        report.finding(report.SKIP, "lacks streams", None, "streams")

    def test_streams_are_refused(self):
        """sample.streams_are_refused"""

    def test_uses_streams(self):
        """sample.uses_streams"""
        self.fail("never run")
'''
PROFILE = """\
name: nothing
python: {python}
env: {{ASSAY_HOST_TARGET: torture_target, ASSAY_TORTURE_LIBRARY: {library}, PYTHONPATH: {path}}}
load:
  - exec: "nothing"
"""


class RunCase(unittest.TestCase):
    maxDiff = None

    def setUp(self):
        temporary = tempfile.TemporaryDirectory(prefix="assay-run-")
        self.addCleanup(temporary.cleanup)
        self.folder = Path(temporary.name)
        self.out = self.folder / "run"
        self.write_contract(self.folder / "data")
        (self.folder / "nothing.yaml").write_text(
            PROFILE.format(
                python=sys.executable,
                library=BUILD / "tests" / "torture_checks.so",
                path=os.pathsep.join([str(TORTURE), str(ROOT / "harness" / "engine" / "host")]),
            )
        )

    def write_contract(self, data):
        suite = data / "suites" / "sample"
        suite.mkdir(parents=True)
        levels = ("must", "must", "must", "should")
        rows = [REQUIREMENT.format(n=n, level=level) for n, level in enumerate(levels, 1)]
        (data / "conformance.yaml").write_text(CONFORMANCE)
        (suite / "contract.yaml").write_text("requirements:\n" + "".join(rows) + CHECKS)
        (suite / "test_sample.py").write_text(TESTS)

    def assay(self, *words, **environment):
        command = [str(BUILD / "bin" / "assay"), *map(str, words)]
        result = subprocess.run(
            command, env=self.settings(**environment), capture_output=True, text=True, timeout=120, cwd=self.folder
        )
        self.said = result.stdout + result.stderr
        return result.returncode

    def settings(self, **environment):
        return dict(os.environ, ASSAY_DATA=str(self.folder / "data"), **environment)

    def run_target(self, *words, out=None, **environment):
        return self.assay(
            "run", "--target", "./nothing.yaml", "--out", out or self.out, *words, **environment
        )

    def records(self, event, out=None):
        lines = ((out or self.out) / "journal.jsonl").read_text().splitlines()
        return [row for row in map(json.loads, lines) if row["event"] == event]

    def verdicts(self, out=None):
        return {row["id"]: row["verdict"] for row in self.records("end", out) if row["final"]}

    def write_target(self, body, more=""):
        """The target does `body` when it is loaded; `more` goes into its profile."""
        text = (TORTURE / "torture_target.py").read_text().replace("def load(setup):", "def load_as_ever(setup):")
        lines = textwrap.indent(textwrap.dedent(body), "    ")
        (self.folder / "hostile.py").write_text(f"{text}\n\ndef load(setup):\n{lines}\n    return load_as_ever(setup)\n")
        path = self.folder / "nothing.yaml"
        text = path.read_text().replace("TARGET: torture_target", "TARGET: hostile")
        path.write_text(text.replace("PYTHONPATH: ", f"PYTHONPATH: {self.folder}:") + more)

    good = {
        "sample.passes": "pass",
        "sample.stands_on_it": "pass",
        "sample.streams_work": "skip",
        "sample.streams_are_refused": "pass",
        "sample.uses_streams": "skip",
    }

    def run_clean(self, *words, **more):
        return self.run_target("--isolation=fork-clean", *words, **more)

    def write_check(self, body, more=""):
        """sample.passes does `body`; `more` goes into its entry of the contract."""
        suite = self.folder / "data" / "suites" / "sample"
        text = (suite / "test_sample.py").read_text()
        (suite / "test_sample.py").write_text(text.replace('self.assertNotIn("SAMPLE_FAILS", os.environ)', body))
        text = (suite / "contract.yaml").read_text()
        (suite / "contract.yaml").write_text(text.replace("id: sample.passes,", f"id: sample.passes, {more}"))
