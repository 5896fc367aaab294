# SPDX-License-Identifier: BSD-3-Clause
"""Tests a target whose device module has a _lazy_init: the target is started before a native check, but not before a
check of the first use."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin/assay"
PROFILE = """
name: fakedev
env: {{FAKEDEV_DEVICES: "2", STARTED: "{started}"}}
load:
  - import: torch_fakedev
  - exec: |
      import os, sys, torch
      def _lazy_init():
          frame, names = sys._getframe(), []
          while frame:
              names.append(frame.f_code.co_name)
              frame = frame.f_back
          if "start" in names:
              open(os.environ["STARTED"], "a").write("started")
              {more}
      torch.fakedev._lazy_init = _lazy_init
timeouts: {{load: 60, check: 30}}
"""


class FirstUse(unittest.TestCase):
    def repro(self, check, more="pass"):
        """Returns the exit status, and whether the target was started for the check."""
        with tempfile.TemporaryDirectory(prefix="assay-first-use-") as folder:
            started = Path(folder, "started")
            Path(folder, "lazy.yaml").write_text(PROFILE.format(started=started, more=more))
            done = subprocess.run([ASSAY, "repro", check, "--target", "./lazy.yaml"], cwd=folder, text=True,
                                  capture_output=True, timeout=300)
            self.said = done.stdout + done.stderr
            return done.returncode, started.exists()

    def test_check_in_c_finds_the_target_started(self):
        self.assertEqual(self.repro("guard.exchange_device_returns_the_previous_device"), (0, True), self.said)

    def test_check_about_the_first_use_does_not(self):
        self.assertEqual(self.repro("hooks.is_available_creates_no_context"), (0, False), self.said)

    def test_check_in_python_begins_as_it_likes(self):
        self.assertEqual(self.repro("guard.python_device_counts_equal_guard_and_hooks"), (0, False), self.said)

    def test_start_that_raises_is_told_by_what_the_check_sees(self):
        raises = 'raise RuntimeError("not today")'
        self.assertEqual(self.repro("guard.exchange_device_returns_the_previous_device", raises), (0, True), self.said)


if __name__ == "__main__":
    unittest.main()
