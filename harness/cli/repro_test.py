# SPDX-License-Identifier: BSD-3-Clause
"""assay repro: the printed command, and one native and one Python failure alone in the foreground."""

import os
import subprocess
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
