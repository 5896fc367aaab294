# SPDX-License-Identifier: BSD-3-Clause
"""Tests ci/test --shard: each test is in exactly one part, and the workflow runs all parts."""

import os
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml

ROOT = Path(__file__).resolve().parents[1]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
WORKFLOW = ROOT / ".github" / "workflows" / "test.yml"


def says_its_words(path):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text('#!/bin/sh\necho "$(basename "$0")" "$@"\n')
    path.chmod(0o755)


def run_test(*words):
    """Runs ci/test in a project whose setup, ctest and Python only record their arguments. Returns these records."""
    with tempfile.TemporaryDirectory(prefix="assay-shard-") as folder:
        place = Path(folder)
        for name in ("ci/setup", "bin/ctest", ".venv/bin/python"):
            says_its_words(place / name)
        shutil.copy(ROOT / "ci" / "test", place / "ci" / "test")
        return subprocess.run(
            [place / "ci" / "test", *words], capture_output=True, text=True,
            env={**os.environ, "PATH": f"{place}/bin:{os.environ['PATH']}"},
        )


def tests_of(*words):
    told = subprocess.run(["ctest", "--test-dir", BUILD, "-N", *words], capture_output=True, text=True, check=True)
    return re.findall(r"^ *Test +#\d+: (\S+)$", told.stdout, re.M)


class Shards(unittest.TestCase):
    def test_a_part_is_asked_of_ctest_and_goes_with_a_name(self):
        for part, count in ((1, 3), (3, 3), (10, 12)):
            said = run_test("--shard", f"{part}/{count}", "fleet").stdout
            self.assertRegex(said, "(?m)^setup test$")
            self.assertRegex(said, f"(?m)^ctest .*--tests-information {part},,{count} --tests-regex fleet$")

    def test_without_one_all_are_run(self):
        self.assertNotIn("--tests-information", run_test("fleet").stdout)

    def test_anything_else_is_refused_before_anything_is_done(self):
        for word in ("0/3", "4/3", "10/9", "1/0", "2", "1/3/4", "x"):
            told = run_test("--shard", word)
            self.assertEqual((told.returncode, told.stdout), (64, ""), word)
            self.assertIn(f'not "{word}"', told.stderr)

    def test_each_test_is_in_one_part(self):
        """Apart from tests that ctest adds because a test of the part needs their results."""
        parts = [name for part in (1, 2, 3)
                 for name in tests_of("--tests-information", f"{part},,3", "--fixture-exclude-any", ".")]
        self.assertEqual(sorted(parts), sorted(tests_of()))

    def test_the_workflow_runs_all_parts(self):
        job = yaml.safe_load(WORKFLOW.read_text())["jobs"]["test"]
        (step,) = [step for step in job["steps"] if "run" in step]
        self.assertEqual(step["run"], 'ci/test --shard "$SHARD"')
        count = int(re.fullmatch(r"\$\{\{ matrix\.part \}\}/(\d+)", step["env"]["SHARD"])[1])
        self.assertEqual(job["strategy"]["matrix"]["part"], list(range(1, count + 1)))


if __name__ == "__main__":
    unittest.main()
