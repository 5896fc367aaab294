# SPDX-License-Identifier: BSD-3-Clause
"""Every place that ends a check as skip, unobservable or blocked needs a row in silences.tsv. The row states what the
check must have observed, and why the place hides no defect.

A place without a row fails this test, and so does a row without a place.
"""

import ast
import re
import unittest
from pathlib import Path

import yaml

SUITES = Path(__file__).resolve().parent
PACKAGE = SUITES.parent / "harness/python/assay"
IMPORTED = ("checks", "host", "operators", "programs", "refusals", "values")  # packages that the code of checks imports
ENDS = {"lacks", "supported", "does_not_apply", "cannot_observe", "block", "_give_up", "undecided_if_mostly_refused"}
HEADER = ["file", "function", "seen", "why no defect hides there"]
FUNCTION = re.compile(r"(?:static )?[a-z].*?\b(\w+)\(.*[^;]$")


def rows():
    lines = (SUITES / "silences.tsv").read_text(encoding="utf-8").splitlines()
    return [line.split("\t") for line in lines]


def in_python(node, function):
    """The functions below `node` that end a check without a verdict."""
    for child in ast.iter_child_nodes(node):
        inner = child.name if isinstance(child, ast.FunctionDef) else function
        if isinstance(child, ast.Call) and isinstance(child.func, ast.Attribute) and child.func.attr in ENDS:
            yield inner
        yield from in_python(child, inner)


def in_c(text):
    function = ""
    for line in text.splitlines():
        begins = FUNCTION.match(line)
        function = begins[1] if begins else function
        if "assay_skip(" in line:
            yield function


def places():
    for folder, base in [(SUITES, SUITES)] + [(PACKAGE / part, PACKAGE.parent) for part in IMPORTED]:
        for path in folder.rglob("*.py"):
            if not path.name.endswith("_test.py"):
                for function in in_python(ast.parse(path.read_text(encoding="utf-8")), ""):
                    yield str(path.relative_to(base)), function
    for path in SUITES.rglob("check_*.c"):
        for function in in_c(path.read_text(encoding="utf-8")):
            yield str(path.relative_to(SUITES)), function


def checks():
    for path in SUITES.glob("*/contract.yaml"):
        yield from (check["id"] for check in yaml.safe_load(path.read_text(encoding="utf-8")).get("checks") or ())


class Silences(unittest.TestCase):
    def test_every_place_has_a_row_and_every_row_a_place(self):
        listed = {tuple(row[:2]) for row in rows()[1:]}
        self.assertEqual(sorted(set(places()) - listed), [], "no row in silences.tsv: add one that says why no defect hides there")
        self.assertEqual(sorted(listed - set(places())), [], "a row of silences.tsv has no place in the code: delete it")

    def test_every_row_is_whole(self):
        self.assertEqual(rows()[0], HEADER)
        for row in rows()[1:]:
            self.assertEqual([bool(cell.strip()) for cell in row], [True] * len(HEADER), row)

    def test_checks_that_are_to_see_the_defect_are_there(self):
        known = set(checks())
        modules = "|".join({name.partition(".")[0] for name in known})
        named = {name for row in rows()[1:] for name in re.findall(rf"\b(?:{modules})\.[a-z_]+\b(?!\()", row[3])}
        self.assertEqual(sorted(name for name in named - known if name.count("_") > 1), [])


if __name__ == "__main__":
    unittest.main()
