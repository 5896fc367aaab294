# SPDX-License-Identifier: BSD-3-Clause
"""Tests `assay repro` on ten faults of the six suites. The command must repeat one failure with all its information.

The ten faults are a sample, with a fixed seed, of the faults that backend checks claim. ASSAY_REPRO_SEED selects
another sample. The output must contain the expectation, both values, the line of the check and the hint. On a device
without the fault, the same command must find nothing.
"""

import json
import os
import random
import re
import unittest
from pathlib import Path

from suites.fixtures.run_case import assay

ROOT = Path(__file__).resolve().parents[1]
MODULES = "guard,allocator,generator,autograd,amp,serialization"
SEED = int(os.environ.get("ASSAY_REPRO_SEED", "2130"))
FAULTS = 10


def pairs():
    """(fault, check) of every claim, sorted, so that the sample does not depend on the order of files."""
    listed = json.loads(assay("list", MODULES, "--format", "json").stdout)
    return sorted(
        (fault, check["id"]) for check in listed["checks"] if check["subject"] == "backend" and check["level"] != "advisory"
        for fault in check["faults"]
    )


def flat(text):
    return " ".join(text.split())


class ReproOfTenFaults(unittest.TestCase):
    def check_words(self, check, told):
        explained = json.loads(assay("explain", check, "--format", "json").stdout)
        self.assertRegex(told, r"demand +\S")
        # a process may crash between two expectations, and then no hint belongs to the crash
        crashed = told.startswith("CRASH")
        if not crashed:
            self.assertRegex(told, r"wanted +\S")
        self.assertRegex(told, r"seen +\S")
        place = re.search(r"at +(suites/\S+):(\d+)", told)
        self.assertTrue(place, told)
        lines = (ROOT / place[1]).read_text(encoding="utf-8").splitlines()
        self.assertLessEqual(int(place[2]), len(lines))
        raised = "Traceback" in told or re.search(r"seen +(raised )?\w+(Error|Exception): ", told)
        if not crashed and not raised:  # the text of an exception names its cause
            self.assertIn(flat(explained["likely"]), flat(told))

    def test_each_failure_is_shown_alone_with_demand_values_place_and_hint(self):
        chosen = random.Random(SEED).sample(pairs(), FAULTS)
        for fault, check in chosen:
            with self.subTest(fault=fault, check=check):
                done = assay("repro", check, "--target", "fakedev_faulty", FAKEDEV_FAULT=fault)
                self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
                self.check_words(check, done.stdout)


if __name__ == "__main__":
    unittest.main()
