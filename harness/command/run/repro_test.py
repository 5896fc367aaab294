# SPDX-License-Identifier: BSD-3-Clause
"""Tests assay repro on the fake device: one native and one Python failure, each alone in the foreground. run_test.py
has the tests without torch."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin/assay"


def repro(*words, fault=""):
    return subprocess.run(
        [ASSAY, "repro", *(["--target", "fakedev_faulty"] if fault and "--target" not in words else []), *words],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "FAKEDEV_FAULT": fault},
    )


class Repro(unittest.TestCase):
    def test_another_loader_of_the_target_is_used_as_in_a_run(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "my_target.py").write_text("raise SystemExit('loaded by my_target')\n")
            profile = Path(folder, "mine.yaml")
            profile.write_text(f"name: mine\nenv: {{ASSAY_HOST_TARGET: my_target, PYTHONPATH: {folder}}}\n"
                               "load:\n  - import: torch_fakedev\n")
            done = repro("guard.is_registered", "--target", str(profile))
        self.assertIn("loaded by my_target", done.stdout + done.stderr)

    def test_preflight_says_why_the_check_was_not_reached(self):
        with tempfile.TemporaryDirectory() as folder:
            profile = Path(folder, "stray.yaml")
            library = ASSAY.parents[1] / "tests/preflight/libstray.so"
            profile.write_text(f"name: stray\nload:\n  - dlopen: {library}\n    flags: [now]\n")
            done = repro("guard.is_registered", "--target", str(profile))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"preflight error: {library} is built for another torch", done.stderr)

    def test_what_the_profile_claims_is_demanded_as_in_a_run(self):
        found, name = {}, "serialization.metadata_can_be_set_and_read"
        with tempfile.TemporaryDirectory() as folder:
            for claims in ("", "capabilities: {meta: yes}\n", "capabilities: {meta: no}\n"):
                profile = Path(folder, "mine.yaml")
                profile.write_text(f"name: mine\n{claims}load:\n  - import: torch_fakedev_faulty\n")
                done = repro(name, "--target", str(profile),
                             fault="meta.not_restored")
                said = [line for line in done.stdout.splitlines() if line.endswith(" " + name)]
                found[claims] = said[-1], done.returncode
        self.assertEqual([(f"SKIP {name}", 2), (f"FAIL {name}", 1), (f"SKIP {name}", 2)],
                         list(found.values()))

    def test_native_failure_shows_demand_values_and_place(self):
        done = repro("guard.exchange_device_returns_the_previous_device", fault="guard.exchange_returns_new")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("wanted   exchange returns the previous device", done.stdout)
        self.assertIn("is device 1, expected 0", done.stdout)
        self.assertIn("at       suites/guard/check_exchange.c:", done.stdout)

    def test_crash_shows_where_it_was_as_a_report_does(self):
        done = repro("operators.nested_tensors_with_gradients_do_not_crash", fault="ops.nested_sizes_missing")
        said = " ".join(done.stdout.split())
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("set_history (libtorch_cpu.so)", said)
        self.assertNotIn("_ZN5torch", said)
        self.assertIn("Could not run 'aten::_nested_tensor_size'", done.stderr)

    def test_python_failure_shows_demand_values_and_place(self):
        done = repro("generator.wrong_state_is_rejected", fault="generator.state_size_unchecked")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("wanted   set_state refuses a state of another size", done.stdout)
        self.assertIn("at       suites/generator/test_generator_api.py:", done.stdout)

    def test_sound_device_gives_nothing(self):
        done = repro("guard.exchange_device_returns_the_previous_device")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nothing found by guard.exchange_device_returns_the_previous_device", done.stdout)

    def test_unknown_check_is_a_usage_error(self):
        done = repro("guard.no_such_check")
        self.assertEqual(done.returncode, 64)
        self.assertIn('there is no check "guard.no_such_check"', done.stderr)

    def test_check_of_another_release_of_torch_is_a_usage_error(self):
        done = repro("distributed.timeout_of_a_backend_can_be_set")  # its clause applies since 2.14
        self.assertEqual(done.returncode, 64)
        self.assertIn("its clauses apply to other releases of torch", done.stderr)


if __name__ == "__main__":
    unittest.main()
