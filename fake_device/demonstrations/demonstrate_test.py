# SPDX-License-Identifier: BSD-3-Clause
"""Every fault has a demonstration; each passes on the clean device and misbehaves with its fault."""

import os
import sys
import unittest
from pathlib import Path

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
sys.path.insert(0, str(Path(__file__).parent))
import demonstrate  # noqa: E402


class Demonstrations(unittest.TestCase):
    def test_every_fault_is_demonstrated(self):
        self.assertEqual(set(demonstrate.known_faults()), set(demonstrate.load_all()))

    def test_each_misbehaves_only_with_its_fault(self):
        chosen = list(demonstrate.load_all().values())
        self.assertTrue(chosen)
        for outcome in demonstrate.run(chosen):
            state = "on" if outcome.fault_on else "off"
            with self.subTest(fault=outcome.fault, state=state):
                self.assertEqual(outcome.expected, outcome.seen, outcome.output[-3000:])


if __name__ == "__main__":
    unittest.main()
