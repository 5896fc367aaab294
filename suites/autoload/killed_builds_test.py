# SPDX-License-Identifier: BSD-3-Clause
"""Tests whether a process is recognized as waiting, active or ended."""

import subprocess
import sys
import unittest

from suites.autoload import killed_builds

ASLEEP = "import threading; print(flush=True); threading.Event().wait()"
LOOKS_AGAIN = "import threading; print(flush=True)\nwhile not threading.Event().wait(0.05): pass"
AT_WORK = "print(flush=True)\nwhile True: pass"
ASLEEP_BESIDE_WORK = f"import subprocess, sys; subprocess.run([sys.executable, '-c', {AT_WORK!r}])"


class KilledBuilds(unittest.TestCase):
    def seen(self, program):
        process = subprocess.Popen([sys.executable, "-c", program], start_new_session=True, stdout=subprocess.PIPE)
        self.addCleanup(process.stdout.close)
        self.addCleanup(killed_builds.end, process)
        process.stdout.readline()  # the process has started its loop
        return killed_builds.waits(process, 2)

    def test_one_that_sleeps_waits(self):
        self.assertIs(self.seen(ASLEEP), True)
        self.assertIs(self.seen(LOOKS_AGAIN), True)

    def test_one_at_work_does_not(self):
        self.assertIsNone(self.seen(AT_WORK))
        self.assertIsNone(self.seen(ASLEEP_BESIDE_WORK))

    def test_one_that_ends_does_not(self):
        self.assertIs(self.seen("print()"), False)

    def test_few_looks_tell_nothing(self):
        self.addCleanup(setattr, killed_builds, "_LOOKS", killed_builds._LOOKS)
        killed_builds._LOOKS = 1000
        self.assertIsNone(self.seen(ASLEEP))


if __name__ == "__main__":
    killed_builds._LOOK_EVERY_S = 0.005  # short, so that enough samples are right even on a busy machine
    unittest.main()
