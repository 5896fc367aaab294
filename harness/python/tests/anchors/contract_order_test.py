# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the order of keys in a contract.yaml has no effect on assay list, assay explain and the readers of
anchors, promises and subjects. Three former readers assigned members to the wrong clause if `level` came before `id`."""

import json
import os
import random
import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml
from assay import contract, places
from assay.anchors import readings, requirements
from suites.upstream import causes

SEED = 20261128
EXPLAINED = ("STUB-002", "STUB-003", "DEV-004", "guard.exchange_device_returns_the_previous_device")
RELEASES = ("2.11.0", "2.13.0")


def shuffled(value, generator):
    """The same YAML with the keys of each mapping in another order."""
    if isinstance(value, list):
        return [shuffled(one, generator) for one in value]
    if not isinstance(value, dict):
        return value
    keys = list(value)
    generator.shuffle(keys)
    return {key: shuffled(value[key], generator) for key in keys}


def copy_with_other_order(folder):
    """A copy of the tree's data folder with another order of keys."""
    generator = random.Random(SEED)
    os.symlink(places.data() / "conformance.yaml", folder / "conformance.yaml")
    for suite in (places.data() / "suites").iterdir():
        target = folder / "suites" / suite.name
        if not (suite / "contract.yaml").is_file():
            target.parent.mkdir(exist_ok=True)
            target.symlink_to(suite)
            continue
        target.mkdir(parents=True)
        for path in suite.iterdir():
            if path.name != "contract.yaml":
                (target / path.name).symlink_to(path)
        read = yaml.load((suite / "contract.yaml").read_text(encoding="utf-8"), yaml.CSafeLoader)
        text = yaml.dump(shuffled(read, generator), Dumper=Words, sort_keys=False, allow_unicode=True)
        (target / "contract.yaml").write_text(text, encoding="utf-8")


class Words(yaml.CSafeDumper):
    """Writes truth values as the contracts do, by yes and no."""


Words.add_representer(bool, lambda dumper, value: dumper.represent_scalar("tag:yaml.org,2002:bool", "yes" if value else "no"))


class Order(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.temporary.cleanup)
        cls.folder = Path(cls.temporary.name)
        copy_with_other_order(cls.folder)

    def both(self, answer):
        """Compares the result for the tree with the result for the copy."""
        expected = answer(places.data())
        self.assertTrue(expected)
        self.assertEqual(expected, answer(self.folder))

    def test_the_copy_has_clauses_whose_level_stands_before_the_id(self):
        text = (self.folder / "suites/stubs/contract.yaml").read_text(encoding="utf-8")
        keys = [list(clause) for clause in yaml.load(text, yaml.CSafeLoader)["requirements"]]
        self.assertTrue(any(one.index("level") < one.index("id") for one in keys))

    def test_list_and_explain(self):
        def said(data):
            environment = {**os.environ, "ASSAY_DATA": str(data)}
            rows = [["list", "--format", "json"], *(["explain", name, "--format", "json"] for name in EXPLAINED)]
            return [subprocess.run([places.program(), *words], env=environment, capture_output=True, text=True, check=True).stdout for words in rows]

        self.both(said)

    def test_anchors_and_promises(self):
        self.both(lambda data: requirements.places(data / "suites"))
        self.both(lambda data: readings.clauses_by_place(data / "suites"))
        self.both(lambda data: readings.promises(RELEASES, data / "suites"))

    def test_clauses_to_read_again(self):
        def unread(data):
            table, releases = readings.read_table()
            found = readings.clauses_by_place(data / "suites")
            return readings.unread(table, releases, [], found, readings.promises(releases, data / "suites"))

        self.both(unread)

    def test_clauses_about_a_means(self):
        self.both(causes.clauses_about)

    def test_clauses_of_the_document(self):
        self.both(lambda data: json.dumps(contract.clauses(data)))


if __name__ == "__main__":
    unittest.main()
