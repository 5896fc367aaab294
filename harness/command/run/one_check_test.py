# SPDX-License-Identifier: BSD-3-Clause
"""Tests that `assay run` with one check costs at most twice as much as `import torch`, if the target was run before.
Measured in processor time, which depends less on the load than elapsed time."""

import os
import resource
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin/assay"
CHECK = "guard.exchange_device_returns_the_previous_device"
TRIES = 2


def cost(words, environment):
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(words, env=environment, check=True, stdout=subprocess.DEVNULL)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


class OneCheck(unittest.TestCase):
    def test_one_check_costs_at_most_two_imports_of_torch(self):
        with tempfile.TemporaryDirectory(prefix="assay-one-") as folder:
            environment = dict(os.environ, XDG_CACHE_HOME=folder)

            def run(number):
                words = [ASSAY, "run", "--select", f"check:{CHECK}", "--out", f"{folder}/{number}"]
                return cost(words, environment)

            first = run("first")
            ours = min(run(number) for number in range(TRIES))
            torch = min(cost([sys.executable, "-c", "import torch"], environment) for _ in range(TRIES))
        print(f"first {first:.2f} s, then {ours:.2f} s; import torch {torch:.2f} s")
        self.assertLessEqual(ours, 2 * torch)


if __name__ == "__main__":
    unittest.main()
