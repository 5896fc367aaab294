# SPDX-License-Identifier: BSD-3-Clause
"""Kills a process in the middle of a build. The next process must still work.

If a backend has its own cache of builds, the profile may name the environment variable: `env: {ASSAY_CACHE:
"FOO_CACHE"}`. Caches that follow XDG_CACHE_HOME, TORCH_EXTENSIONS_DIR or TRITON_CACHE_DIR are found without it.
"""

import os
import sys
import tempfile
import unittest

from assay.checks import Case
from suites.autoload import killed_builds

CACHES = ("XDG_CACHE_HOME", "TORCH_EXTENSIONS_DIR", "TRITON_CACHE_DIR")
USE = """
run_steps()
import torch
SAMPLE.to(torch._C._get_privateuse1_backend_name()).cpu()
"""


class AutoloadKilled(Case):
    def program(self):
        return self.steps_as_code() + USE.replace("SAMPLE", self.sample_as_code())

    def environment(self, folder):
        """An environment in which every cache is below the folder, in a subfolder that does not exist yet."""
        path = os.pathsep.join(filter(None, sys.path))
        caches = {name: os.path.join(folder, "not", "there") for name in (*CACHES, os.environ.get("ASSAY_CACHE")) if name}
        return {**os.environ, "PYTHONPATH": path, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0", **caches}

    def test_killed(self):
        """autoload.interrupted_build_does_not_block_the_next_one"""
        what = "after a process was killed while it held a lock, the next process loads the backend and uses it"
        with tempfile.TemporaryDirectory(prefix="assay-cache-") as folder:
            environment = self.environment(folder)
            lock = killed_builds.killed_at_a_lock(self.program(), environment, folder, self.seconds_left / 2)
            if lock is None:
                self.cannot_observe("ASSAY_CACHE", "no lock was made in a cache of the backend")
            self.note("killed at", lock.relative_to(folder))
            process = killed_builds.started(self.program(), environment)
            try:
                waits = killed_builds.waits(process, self.seconds_left * 0.8)
            finally:
                killed_builds.end(process)
            self.expect(not waits, what, f"the process waits and does nothing; the lock is {lock.relative_to(folder)}")
            if waits is False:
                self.expect_equal(process.poll(), 0, f"{what}, and ends with status 0")
            if waits is None:
                self.cannot_observe("more time", "the process was still running when the time of the check was up")


if __name__ == "__main__":
    unittest.main()
