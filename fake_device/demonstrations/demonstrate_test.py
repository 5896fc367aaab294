# SPDX-License-Identifier: BSD-3-Clause
"""Every fault has a demonstration; each passes on the clean device and misbehaves with its fault."""

import os
import sys
import unittest
from pathlib import Path

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"
sys.path.insert(0, str(Path(__file__).parent))
sys.path.append(str(Path(__file__).resolve().parents[2] / "ci"))
import change  # noqa: E402
import demonstrate  # noqa: E402

DEVICE = tuple(f"fake_device/{part}/" for part in ("demonstrations", "driver", "faults", "integration", "torch_fakedev"))
SHARE = 5  # one in so many, by lot


def chosen():
    """All with ASSAY_FULL=1 and for a change of the device; else those that the lot falls on."""
    changed = change.changed_paths()
    is_whole = os.environ.get("ASSAY_FULL") or changed is None or any(path.startswith(DEVICE) for path in changed)
    return [one for one in demonstrate.load_all().values() if is_whole or change.is_drawn(change.seed(), one.fault, SHARE)]


class Demonstrations(unittest.TestCase):
    def test_every_fault_is_demonstrated(self):
        self.assertEqual(set(demonstrate.known_faults()), set(demonstrate.load_all()))

    def test_each_misbehaves_only_with_its_fault(self):
        self.assertTrue(chosen())
        for outcome in demonstrate.run(chosen()):
            state = "on" if outcome.fault_on else "off"
            with self.subTest(fault=outcome.fault, state=state):
                self.assertEqual(outcome.expected, outcome.seen, outcome.output[-3000:])


if __name__ == "__main__":
    unittest.main()
