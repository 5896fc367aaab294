# SPDX-License-Identifier: BSD-3-Clause
"""assay repro: the printed command, and one native and one Python failure alone in the foreground."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin/assay"


def repro(*words, fault=""):
    return subprocess.run(
        [ASSAY, "repro", *words],
        capture_output=True,
        text=True,
        timeout=300,
        env={**os.environ, "FAKEDEV_FAULT": fault},
    )


class Repro(unittest.TestCase):
    def test_print_names_the_whole_command(self):
        done = repro("guard.registered", "--print")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("-m assay_host.alone --step import torch_fakedev ''", done.stdout)
        self.assertTrue(done.stdout.endswith("suites/guard.so guard.registered\n"), done.stdout)

    def test_command_gives_the_check_what_a_run_gives_it(self):
        command = repro("guard.registered", "--print").stdout
        for setting in ("OMP_NUM_THREADS=1", "TORCH_DEVICE_BACKEND_AUTOLOAD=0", "FAKEDEV_DEVICES=2"):
            self.assertIn(f" {setting} ", command)
        again, other, third = (repro(name, "--print", *words).stdout for name, words in
                               (("guard.registered", ()), ("guard.registered", ("--seed=2",)),
                                ("guard.exchange_returns_previous", ())))
        seeds = [text.split("--seed ")[1].split()[0] for text in (command, again, other, third)]
        self.assertEqual(seeds[0], seeds[1])
        self.assertEqual(len(set(seeds)), 3, "a seed per run and check")

    def test_another_loader_of_the_target_is_used_as_in_a_run(self):
        with tempfile.TemporaryDirectory() as folder:
            Path(folder, "my_target.py").write_text("raise SystemExit('loaded by my_target')\n")
            profile = Path(folder, "mine.yaml")
            profile.write_text(f"name: mine\nenv: {{ASSAY_HOST_TARGET: my_target, PYTHONPATH: {folder}}}\n"
                               "load:\n  - import: torch_fakedev\n")
            done = repro("guard.registered", "--target", str(profile))
        self.assertIn("loaded by my_target", done.stderr)

    def test_preflight_says_beside_the_command_why_the_check_may_not_be_reached(self):
        with tempfile.TemporaryDirectory() as folder:
            profile = Path(folder, "stray.yaml")
            library = ASSAY.parents[1] / "tests/preflight/libstray.so"
            profile.write_text(f"name: stray\nload:\n  - dlopen: {library}\n    flags: [now]\n")
            done = repro("guard.registered", "--target", str(profile))
        self.assertNotEqual(done.returncode, 0)
        self.assertIn(f"preflight error: {library} is built for another torch", done.stderr)

    def test_what_the_profile_claims_is_demanded_as_in_a_run(self):
        found, name = {}, "serialization.marks_are_kept"
        with tempfile.TemporaryDirectory() as folder:
            for claims in ("", "capabilities: {meta: yes}\n", "capabilities: {meta: no}\n"):
                profile = Path(folder, "mine.yaml")
                profile.write_text(f"name: mine\n{claims}load:\n  - import: torch_fakedev\n")
                done = repro(name, "--target", str(profile),
                             fault="meta.not_restored")
                said = [line for line in done.stdout.splitlines() if line.endswith(" " + name)]
                found[claims] = said[-1], done.returncode
        self.assertEqual([(f"SKIP {name}", 2), (f"FAIL {name}", 1), (f"SKIP {name}", 2)],
                         list(found.values()))

    def test_native_failure_shows_demand_values_and_place(self):
        done = repro("guard.exchange_returns_previous", fault="guard.exchange_returns_new")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("demand   exchange returns what was current", done.stdout)
        self.assertIn("is device 1, expected 0", done.stdout)
        self.assertIn("at       suites/guard/check_exchange.c:", done.stdout)

    def test_python_failure_shows_demand_values_and_place(self):
        done = repro("generator.wrong_state_is_refused", fault="generator.state_size_unchecked")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertIn("demand   set_state refuses a state of another size", done.stdout)
        self.assertIn("at       suites/generator/test_generator_api.py:", done.stdout)

    def test_sound_device_gives_nothing(self):
        done = repro("guard.exchange_returns_previous")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("nothing found by guard.exchange_returns_previous", done.stdout)

    def test_unknown_check_is_a_usage_error(self):
        done = repro("guard.no_such_check")
        self.assertEqual(done.returncode, 64)
        self.assertIn("there is no check guard.no_such_check", done.stderr)


if __name__ == "__main__":
    unittest.main()
