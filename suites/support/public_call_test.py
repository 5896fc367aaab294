# SPDX-License-Identifier: BSD-3-Clause
"""Each call of the bridge that a suite expects something of has a name of PyTorch."""

import re
import unittest
from pathlib import Path

SUITES = Path(__file__).resolve().parents[1]
EXPECTATION = re.compile(r"\b(?:expect|require)_(?!means)[a-z]+\(\s*check,\s*(?:\"[^\"]*\",\s*)?bridge_([a-z_]+)\(")


class Names(unittest.TestCase):
    def test_every_call_that_a_report_may_show_is_in_the_table(self):
        table = set(re.findall(r'^    \{"([a-z_]+)", "', (SUITES / "support/public_call.c").read_text(), re.MULTILINE))
        used = {name for path in SUITES.glob("*/*.c") for name in EXPECTATION.findall(path.read_text())}
        self.assertGreater(len(used), 40)
        self.assertEqual(used - table, set())


if __name__ == "__main__":
    unittest.main()
