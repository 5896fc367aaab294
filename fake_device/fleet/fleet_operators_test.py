# SPDX-License-Identifier: BSD-3-Clause
"""Compares the sweep over PyTorch's operators on each backend with operators.tsv. The sweep must find and name each
planted defect, and report nothing else.

By default, only operators with a defect run. With ASSAY_FULL=1, `assay ops` runs all operators (FLEET_BACKEND selects
one backend).
"""

import fnmatch
import json
import os
import tempfile
import unittest
from pathlib import Path

import fleet_operators
from fleet_lists import backends, defects_of, read_operators
from fleet_run import assay, profile

DTYPES = "float32,complex64"
SWEPT = ["host_memory"]  # the results of other backends are not completely reviewed


def wrong(found):
    return {aspect: text for aspect, text in found.items() if not text.startswith("refused")}


def explains(row, backend, operator, dtype, aspect):
    return backend in row.backends and row.is_asked and {aspect, "*"} & set(row.aspects) and any(
        fnmatch.fnmatch(f"{operator}.{dtype}", f"{name}.{kind}") for name in row.operators for kind in row.dtypes)


def unexplained(rows, backend, identity, found):
    operator, dtype = identity.rsplit(".", 1)
    return [f"{backend} {identity} {aspect}: {text}" for aspect, text in wrong(found).items()
            if not any(explains(row, backend, operator, dtype, aspect) for row in rows)]


def sweep(backend):
    """Returns {identity: {aspect: text}} of `assay ops` over all operators."""
    with tempfile.TemporaryDirectory(prefix="assay-fleet-") as room:
        path = Path(room, "ops.json")
        said = assay("ops", "--target", profile(backend), "--dtypes", DTYPES, "--out", Path(room, "run"),
                     "--timeout-scale", "5", "--format", "json", "--output", path)
        if not path.is_file():
            raise AssertionError(said.stdout + said.stderr)
        rows = json.loads(path.read_text())["operators"]
    found = {}
    for row in rows:
        if row["verdict"] in ("wrong", "noted", "ended"):
            name = row["name"].replace(".", "_").replace("-", "_")
            found.setdefault(f"{name}.{row['dtype']}", {})[row["aspect"]] = f"{row['verdict']} {row['seen']}"
    return found


class Operators(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        cls.rows = list(read_operators())
        fleet_operators.warm()

    def test_each_defect_of_an_operator_has_a_row(self):
        for backend in backends():
            defects = defects_of(backend)
            mine = {row.defect for row in self.rows if backend in row.backends}
            self.assertEqual(mine - set(defects), set(), f"{backend}: no such defects")
            self.assertEqual({one.name for one in defects.values() if one.module == "operators"} - mine, set(), backend)

    def ask_rows(self, backend):
        answers = {}
        for row in self.rows:
            for identity in row.identities if backend in row.backends else ():
                if identity not in answers:
                    answers[identity] = fleet_operators.ask(backend, identity)
                for aspect in row.aspects:
                    with self.subTest(backend=backend, defect=row.defect, asked=identity, aspect=aspect):
                        self.assertIn(row.words, answers[identity].get(aspect, "right"))
        return answers

    def test_each_defect_is_named_and_nothing_else_is_wrong(self):
        for backend in backends():
            for identity, found in self.ask_rows(backend).items():
                self.assertEqual(unexplained(self.rows, backend, identity, found), [])

    @unittest.skipUnless("ASSAY_FULL" in os.environ, "all operators take long")
    def test_nothing_else_is_wrong_with_any_operator(self):
        for backend in os.environ.get("FLEET_BACKEND", " ".join(SWEPT)).split():
            with self.subTest(backend=backend):
                found = sweep(backend)
                self.assertEqual([line for identity, one in found.items()
                                  for line in unexplained(self.rows, backend, identity, one)], [])


if __name__ == "__main__":
    unittest.main()
