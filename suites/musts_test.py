# SPDX-License-Identifier: BSD-3-Clause
"""Every must that a backend can violate has a fault that violates it and a check that claims to detect the fault.

The row of the fault names the clause, and a check that covers the clause claims the fault. The proof
(claimed_faults_are_killed) shows that the check fails with the fault. If only listed checks cover a clause (`listed:`),
the tests of these checks have the faults (opinfo/sweep_test.py). No fault of a device can violate a clause about
PyTorch alone (`subject: core`).
"""

import re
import unittest
from pathlib import Path

import yaml
from fake_device.driver.faults.driver_programs import table

SUITES = Path(__file__).resolve().parent

EXCEPT = {
    "DEV-032": "a test with switching threads shows only consequences of a race; a sanitizer must find the race",
    "EVT-020": "an override with another signature overrides nothing, which looks like a backend without timing",
    "HOOK-020": "it shows only with another release of PyTorch",
    "OPS-018": "core's copy_ returns its own argument, not the return value of the kernel",
    "STUB-010": "a library that cannot be loaded is refused before any check is planned",
}


def contracts():
    """Maps each module that has checks to its contract."""
    for path in sorted(SUITES.glob("*/contract.yaml")):
        contract = yaml.safe_load(path.read_text(encoding="utf-8"))
        if contract.get("checks"):
            yield path.parent.name, contract


def without_a_fault():
    """Musts for which no check claims a fault."""
    every = dict(contracts())
    violates = {name: re.findall(r"[A-Z]+-\d+", ids) for name, _layer, _summary, ids, _source in table("faults")}
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
        self.assertEqual({row[0] for row in table("faults")}, claimed)


class Musts(unittest.TestCase):
    def test_every_must_has_a_fault_that_breaks_it_or_a_reason(self):
        self.assertEqual(without_a_fault(), set(EXCEPT))


if __name__ == "__main__":
    unittest.main()
