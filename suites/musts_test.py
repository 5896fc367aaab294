# SPDX-License-Identifier: BSD-3-Clause
"""Every must that a backend can break has a fault that breaks it and a check that claims to see that.

The row of the fault names the clause, the check covers it and claims the fault; that it fails then, the proof
shows (claimed_faults_are_killed). Of clauses that only listed checks ask (`listed:`), the tests of those have the faults
(opinfo/sweep_test.py). Clauses about PyTorch alone (`subject: core`) no fault of a device can break.
"""

import re
import sys
import unittest
from pathlib import Path

import yaml

SUITES = Path(__file__).resolve().parent
sys.path.insert(0, str(SUITES.parent / "fake_device/driver/faults"))
import fault_table_test  # noqa: E402

EXCEPT = {
    "DEV-032": "threads that switch at once show only what comes of a race; the race itself is for a sanitizer",
    "EVT-020": "an override of another signature overrides nothing: that is how a backend without timing looks",
    "HOOK-020": "it shows only beside another release of PyTorch",
    "OPS-018": "core's copy_ returns its own argument, whatever a kernel gives back",
    "STUB-010": "a library that cannot be loaded is refused before any check is planned",
}


def contracts():
    """module -> its contract, of those that have checks"""
    for path in sorted(SUITES.glob("*/contract.yaml")):
        contract = yaml.safe_load(path.read_text(encoding="utf-8"))
        if contract.get("checks"):
            yield path.parent.name, contract


def without_a_fault():
    """Musts of which no check claims a fault that breaks them."""
    every = dict(contracts())
    violates = {name: re.findall(r"[A-Z]+-\d+", row[2]) for name, row in fault_table_test.rows().items()}
    shown = {
        clause
        for contract in every.values()
        for check in contract["checks"]
        for fault in check.get("faults", [])
        for clause in set(check["covers"]) & set(violates.get(fault, []))
    }
    asked = list(every.values())
    musts = [clause for contract in asked for clause in contract["requirements"] if clause["level"] == "must"]
    listed = {clause for contract in asked for clause in contract.get("listed", {}).get("covers", [])}
    return {clause["id"] for clause in musts if clause.get("subject") != "core"} - shown - listed


class Faults(unittest.TestCase):
    def test_every_fault_is_claimed_by_a_check(self):
        claimed = {fault for _, contract in contracts() for check in contract["checks"] for fault in check.get("faults", [])}
        self.assertEqual(set(fault_table_test.rows()), claimed)


class Musts(unittest.TestCase):
    def test_every_must_has_a_fault_that_breaks_it_or_a_reason(self):
        self.assertEqual(without_a_fault(), set(EXCEPT))


if __name__ == "__main__":
    unittest.main()
