# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the table lists exactly the faults that occur in code.

The driver queries a fault with fd_fault("name"). C++ code in ../../faults queries it with armed("name") or
names it in a table. Python has a row "python.name": function. The tests also cover fd_variant_is_on("name"),
and check that each fault names the requirements it violates.
"""

import re
import unittest
from pathlib import Path

from fake_device.driver.faults.driver_programs import table

TABLES = Path(__file__).resolve().parent
FAKE_DEVICE = TABLES.parents[1]
IDENTIFIER = re.compile(r"[A-Z]+-\d{3}")


def rows():
    """name -> (layer, summary, violates, source)"""
    return {name: fields for name, *fields in table("faults")}


def sources(*suffixes):
    for path in sorted(FAKE_DEVICE.rglob("*")):
        if path.suffix in suffixes and not re.search(r"_test\.|/tests/|fakedev(_faults)?\.h", str(path)):
            yield path


def used(pattern, *suffixes):
    """name -> folders in which the fault acts"""
    result = {}
    for path in sources(*suffixes):
        for name in re.findall(pattern, path.read_text(encoding="utf-8"), re.M):
            result.setdefault(name, set()).add(path.relative_to(FAKE_DEVICE).parts[0])
    return result


class FaultTable(unittest.TestCase):
    def setUp(self):
        self.rows = rows()
        driver = used(r'\bfd_fault\(\s*"([^"]+)"', ".c", ".h")
        integration = used(r'"([a-z]+\.[a-z_0-9]{3,})"', ".cc")
        python = used(r'^    "([a-z]+\.[a-z_0-9]+)": ', ".py")
        self.acting = {"driver": driver, "integration": integration, "python": python}

    def test_every_fault_that_acts_is_in_the_table(self):
        areas = {name.split(".")[0] for name in self.rows}  # excludes names of operators such as "bmm.out"
        acting = {name for name in set().union(*self.acting.values()) if name.split(".")[0] in areas}
        self.assertEqual(set(), acting - set(self.rows))

    def test_every_row_acts_in_its_layer(self):
        for name, (layer, *_) in self.rows.items():
            with self.subTest(name):
                folders = self.acting[layer].get(name, set())
                self.assertIn("driver" if layer == "driver" else "faults", folders)

    def test_every_refusal_acts(self):
        table = (TABLES / "refusal_table.c").read_text(encoding="utf-8")
        methods = (FAKE_DEVICE / "faults/refusing.h").read_text(encoding="utf-8")
        known = re.findall(r'REFUSAL\("([^"]+)"\)', table)
        self.assertGreater(len(known), 20)
        self.assertEqual(known, sorted(re.findall(r'refused\("([^"]+)"\)', methods)))

    def test_every_fault_violates_a_requirement(self):
        for name, (_, _, violates, _) in self.rows.items():
            for identifier in violates.split(","):
                with self.subTest(name):
                    self.assertRegex(identifier, IDENTIFIER)

    def test_variants_asked_for_are_in_the_table(self):
        text = (TABLES / "variant_table.c").read_text(encoding="utf-8")
        known = set(re.findall(r'\{\{\s*"([a-z_]+)"', text))
        asked = set(used(r'\bfd_variant_is_on\(\s*"([^"]+)"', ".c", ".cc", ".h"))
        self.assertGreater(len(known), 5)
        self.assertEqual(set(), asked - known)


if __name__ == "__main__":
    unittest.main()
