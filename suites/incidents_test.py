# SPDX-License-Identifier: BSD-3-Clause
"""Every incident of incidents.tsv has its check, and every incident that a contract names is in the table."""

import json
import re
import unittest
from pathlib import Path

import yaml

SUITES = Path(__file__).resolve().parent
INCIDENT = re.compile(r"INC-\d+")


def listed():
    for line in (SUITES / "incidents.tsv").read_text(encoding="utf-8").splitlines():
        if not line.startswith("#"):
            incident, check = line.split("\t")
            yield incident, check


def contracts():
    """The incidents that each requirement names, and the requirements that each check covers."""
    named, covers = {}, {}
    for path in SUITES.glob("*/contract.yaml"):
        read = yaml.load(path.read_text(encoding="utf-8"), yaml.CSafeLoader)
        named |= {clause["id"]: set(INCIDENT.findall(json.dumps(clause))) for clause in read["requirements"]}
        covers |= {check["id"]: check["covers"] for check in read.get("checks") or ()}
    return named, covers


class Incidents(unittest.TestCase):
    def setUp(self):
        self.named, self.covers = contracts()

    def test_contracts_were_understood(self):
        self.assertGreater(len(self.named), 800)
        self.assertGreater(len(self.covers), 250)

    def test_each_listed_incident_is_named_by_what_its_check_covers(self):
        for incident, check in listed():
            with self.subTest(incident):
                self.assertIn(check, self.covers)
                named = set().union(*(self.named[one] for one in self.covers[check]))
                self.assertIn(incident, named)

    def test_each_incident_that_a_contract_names_is_listed(self):
        named = set().union(*self.named.values())
        self.assertEqual(sorted(named), sorted(incident for incident, _ in listed()))


if __name__ == "__main__":
    unittest.main()
