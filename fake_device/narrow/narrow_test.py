# SPDX-License-Identifier: BSD-3-Clause
"""The suites on backends with little in them: what is missing is called missing, and never wrong.

The narrow backend keeps what it has; the fixture that is only a Python file breaks a good deal, but a
run on it comes to its end and every check, native ones too, to a verdict of its own.
"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["ASSAY_BUILD"])
MODULES = "guard,allocator,generator,autograd,amp,serialization"
FIXTURES = Path(__file__).resolve().parents[2] / "harness/host/fixtures/backends"
PYTHON_ONLY = f"""\
name: python_only
env: {{PYTHONPATH: {FIXTURES}}}
load:
  - import: fixture_on_import
"""
UNDECIDED = {"broken", "incomplete", "notrun", "timeout"}
# torch.utils.checkpoint asks for get_amp_supported_dtype in any case: who has no autocast fails it.
FAILS = {"autograd.checkpoint_gives_equal_gradients": "fail"}
CALM = {"pass", "skip", "blocked", "unobservable", "fallback", "noted"}


class Run:
    """One run of the six suites, and the text of its report."""

    def __init__(self, target, profile=None):
        with tempfile.TemporaryDirectory(prefix="assay-narrow-") as folder:
            if profile:
                target = Path(folder, "target.yaml")
                target.write_text(profile, encoding="utf-8")
            words = ["run", "--target", target, "--select", MODULES, "--isolation=fork-clean",
                     "--out", f"{folder}/run", "--quiet", "--timeout-scale=4"]
            done = subprocess.run([BUILD / "bin/assay", *words], capture_output=True, text=True,
                                  timeout=600)
            self.status, self.said = done.returncode, done.stdout + done.stderr
            self.verdicts = dict(self.ends(Path(folder, "run", "journal.jsonl")))
            self.report = subprocess.run([BUILD / "bin/assay", "report", f"{folder}/run"],
                                         capture_output=True, text=True, timeout=60).stdout

    @staticmethod
    def ends(journal):
        for line in journal.read_text(encoding="utf-8").splitlines():
            record = json.loads(line)
            if record["event"] == "end" and record["final"]:
                yield record["id"], record["verdict"]

    def of(self, *verdicts):
        return sorted(check for check, verdict in self.verdicts.items() if verdict in verdicts)


class NarrowBackend(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_ = Run("narrow")

    def test_nothing_is_called_wrong(self):
        uncalm = {check: verdict for check, verdict in self.run_.verdicts.items()
                  if verdict not in CALM}
        self.assertEqual(uncalm, FAILS, self.run_.report)
        self.assertEqual(self.run_.status, 1, self.run_.said)

    def test_what_is_there_is_tested(self):
        passed = self.run_.of("pass")
        for check in ("guard.exchange_returns_previous", "allocator.registered"):
            self.assertIn(check, passed)
        for module in ("guard", "allocator"):
            mine = [check for check in self.run_.verdicts if check.startswith(f"{module}.")]
            self.assertGreater(len(set(passed) & set(mine)), len(mine) * 3 // 4)

    def test_what_is_missing_is_proven_to_be_missing(self):
        self.assertEqual(self.run_.verdicts["generator.absence_is_said"], "pass")
        self.assertEqual(self.run_.verdicts["generator.same_seed_same_numbers"], "skip")
        self.assertEqual(self.run_.verdicts["guard.absence_of_from_ptr_is_said"], "pass")
        self.assertEqual(self.run_.verdicts["allocator.from_blob_deletes_once"], "skip")
        self.assertEqual(self.run_.verdicts["serialization.absence_is_said"], "pass")
        self.assertEqual(self.run_.verdicts["serialization.storage_moves_to_each_device"], "skip")

    def test_the_report_reads_like_a_list_of_what_to_do(self):
        _, _, operators = self.run_.report.partition("OPERATORS that are missing")
        operators, _, capabilities = operators.partition("CAPABILITIES that are missing")
        self.assertRegex(operators, r"aten::addmm.out +\d+ checks? blocked")
        self.assertRegex(capabilities, r"rng +\d+ checks skipped, shown by generator.absence_is_said")
        self.assertRegex(capabilities, r"tensor.resize +\d+ checks? skipped, shown by storage.refused_growth_changes_nothing")
        failed = [line.split()[1] for line in self.run_.report.splitlines() if line.startswith("FAIL")]
        self.assertEqual(failed, list(FAILS))


class PythonOnlyBackend(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.run_ = Run(None, PYTHON_ONLY)

    def test_every_check_comes_to_a_verdict(self):
        self.assertEqual(self.run_.of(*UNDECIDED), [], self.run_.report)
        self.assertEqual(self.run_.status, 1, self.run_.said)

    def test_native_checks_are_among_them(self):
        self.assertEqual(self.run_.verdicts["guard.registered"], "pass")
        self.assertEqual(self.run_.verdicts["guard.exchange_round_trips"], "skip")
        self.assertEqual(self.run_.verdicts["allocator.registered"], "fail")


if __name__ == "__main__":
    unittest.main()
