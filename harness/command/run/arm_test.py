# SPDX-License-Identifier: BSD-3-Clause
"""Tests assay run --arm: in every job, the switch of an instrumented target is on after the target was loaded."""

import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin/assay"
CHECK = "guard.exchange_device_returns_the_previous_device"


class Arm(unittest.TestCase):
    def run_armed(self, name, target="fakedev_faulty", check=CHECK, **environment):
        """Returns exit status, verdict and reason of the check, and the command in the journal."""
        with tempfile.TemporaryDirectory(prefix="assay-arm-") as folder:
            done = subprocess.run(
                [ASSAY, "run", "--target", target, "--select", f"check:{check}", "--quiet", "--no-block",
                 "--isolation=fork-loaded", "--timeout-scale=4", "--arm", name, "--out", f"{folder}/run"],
                capture_output=True, text=True, timeout=300, env={**os.environ, **environment},
            )
            self.assertIn(done.returncode, (0, 1, 2), done.stderr)
            journal = Path(folder, "run", "journal.jsonl").read_text(encoding="utf-8")
        self.records = [json.loads(line) for line in journal.splitlines()]
        end = next(one for one in self.records if one["event"] == "end" and one["id"] == check)
        return end["verdict"], end.get("reason", "")

    def test_armed_fault_fails_the_check_that_claims_it(self):
        self.assertEqual("fail", self.run_armed("guard.exchange_returns_new")[0])
        self.assertIn("--arm=guard.exchange_returns_new", json.dumps(self.records[0]["command"]))

    def test_another_fault_leaves_it_alone(self):
        self.assertEqual("pass", self.run_armed("event.query_always_true")[0])

    def test_operator_and_python_faults_are_armed_after_loading(self):
        for fault, check in (("amp.has_no_effect", "amp.low_precision_ops_return_low_precision"),
                             ("python.count_one_too_many", "guard.python_device_counts_equal_guard_and_hooks")):
            with self.subTest(fault):
                self.assertEqual("fail", self.run_armed(fault, check=check)[0])

    def test_unknown_switch_is_broken_in_words(self):
        verdict, reason = self.run_armed("guard.nothing")
        self.assertEqual("broken", verdict)
        self.assertIn("the target's switchboard has no switch guard.nothing", reason)

    def test_switch_of_loading_needs_the_environment(self):
        verdict, reason = self.run_armed("guard.not_registered")
        self.assertEqual("broken", verdict)
        self.assertIn("set FAKEDEV_FAULT=guard.not_registered instead of --arm", reason)

    def test_clean_library_cannot_be_armed(self):
        verdict, reason = self.run_armed("guard.exchange_returns_new", target="fakedev")
        self.assertEqual("broken", verdict)
        self.assertIn("cannot arm guard.exchange_returns_new", reason)

    def test_target_without_switches_is_refused_before_anything_runs(self):
        profile = (Path(__file__).parents[3] / "ci/targets/fakedev.yaml").read_text()
        with tempfile.TemporaryDirectory(prefix="assay-arm-") as folder:
            bare = Path(folder, "bare.yaml")
            bare.write_text("".join(line for line in profile.splitlines(True) if not line.startswith("adapter:")))
            done = subprocess.run(
                [ASSAY, "run", "--target", bare, "--select", f"check:{CHECK}", "--arm", "guard.exchange_returns_new",
                 "--out", f"{folder}/run"], capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 64, done)
            self.assertIn("has no switches", done.stderr)
            self.assertFalse(Path(folder, "run", "journal.jsonl").exists())

    def test_missing_adapter_is_said_before_anything_runs(self):
        profile = (Path(__file__).parents[3] / "ci/targets/fakedev.yaml").read_text()
        with tempfile.TemporaryDirectory(prefix="assay-arm-") as folder:
            wrong = Path(folder, "wrong.yaml")
            wrong.write_text(profile.replace("fakedev_adapter.so", "my_adapter.so"))
            done = subprocess.run([ASSAY, "run", "--target", wrong, "--select", f"check:{CHECK}", "--out", f"{folder}/run"],
                                  capture_output=True, text=True, timeout=300)
            self.assertEqual(done.returncode, 65, done)
            self.assertIn("there is no file my_adapter.so beside the profile of fakedev", done.stderr)
            self.assertFalse(Path(folder, "run", "journal.jsonl").exists())


class Faulty(unittest.TestCase):
    def test_package_with_faults_that_was_not_built_does_not_load_the_clean_one(self):
        """ci/quickstart builds only the package without faults."""
        source = Path(__file__).resolve().parents[3] / "fake_device/faults/python/torch_fakedev_faulty.py"
        with tempfile.TemporaryDirectory() as folder:
            package = Path(folder, "torch_fakedev_faulty")
            package.mkdir()
            (package / "__init__.py").write_text(source.read_text(encoding="utf-8"), encoding="utf-8")
            done = subprocess.run(
                [sys.executable, "-c", "import torch_fakedev_faulty"], capture_output=True, text=True, timeout=300,
                env=os.environ | {"PYTHONPATH": f"{folder}:{ASSAY.parents[1]}/python", "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"})  # fmt: skip
        self.assertEqual(done.returncode, 1)
        self.assertIn("ImportError: torch_fakedev_faulty is not built", done.stderr)


if __name__ == "__main__":
    unittest.main()
