# SPDX-License-Identifier: BSD-3-Clause
"""Finds private names of PyTorch in product code. Two tables give the reason for each name.

A name is private if a part of it begins with an underscore or, in C++, if a scope is called detail, impl or internal.
PyTorch may remove such a name in any release. Called by rules.py, which verifies that each use has a row and that each
row has a use, and by private_names_test.py, which verifies that the installed release has the names. Must not import
torch.

assay.uses.python reads the Python code. A pattern finds names in C++ code and in strings of Python code, because checks
start programs from text. For an attribute of an object of unknown type (x._version), only the last part of the name is
known."""

import ast
import csv
import re
from collections import defaultdict
from pathlib import Path

from assay.uses.entries import Entries
from assay.uses.python import read_file

FOLDER = Path(__file__).parent
PYTHON, CXX = "private_python.tsv", "private_cxx.tsv"
SEPARATOR = {PYTHON: ".", CXX: "::"}
IN_TEXT = re.compile(r"\btorch(?:\.\w+)*\._[a-zA-Z]\w*(?:\.\w+)*")
IN_CXX = re.compile(r"\b(?:c10|at|torch)(?:::\w+)*?::(?:detail|impl|internal|_\w+)\b(?:::\w+)*")
TEST = re.compile(r"_test\.|/(tests|test_runs|testdata|torture|fixtures|testplugins|replay|abi_test)/")
MEMBER = re.compile(r"torch\.(?:\w+\.)*[A-Z]\w+\._\w+")


def rows(table):
    """One row per name: the releases that have the name ("from 2.12, before 2.15"; all if empty), for C++ the header,
    and the reason."""
    with open(FOLDER / table, encoding="utf-8") as file:
        return [{**row, "name": name} for row in csv.DictReader(file, delimiter="\t") for name in row["names"].split()]


def is_private(part):
    return part.startswith("_") and not part.endswith("__")


class Uses(Entries):
    """Receives the uses from the reader of Python. An operator of torch.ops also counts as a name."""

    def __init__(self):
        super().__init__("/")
        self.lines = defaultdict(set)

    def add(self, way, id, by, file="", line=0, flags=(), arguments=None):
        name = f"torch.ops.{id[3:].replace('::', '.')}" if id.startswith("op:") else id[3:]
        if way not in ("copy", "register") and any(map(is_private, name.split("."))):
            self.lines[re.sub(r"\.(\*|__\w+__)$", "", name)].add(line)


def in_python(path):
    """Returns {name: lines}. An attribute of an object of unknown type is "._name"."""
    uses = Uses()
    read_file(path, uses)
    tree = ast.parse(path.read_text(encoding="utf-8"))
    # A string as a statement is a docstring.
    statements = {node.value for node in ast.walk(tree) if isinstance(node, ast.Expr)}
    for node in ast.walk(tree):
        if isinstance(node, ast.Constant) and isinstance(node.value, str) and node not in statements:
            for name in IN_TEXT.findall(node.value):
                uses.lines[name].add(node.lineno)
        elif isinstance(node, ast.Attribute) and is_private(node.attr) and getattr(node.value, "id", "") not in ("self", "cls"):
            uses.lines[f".{node.attr}"].add(node.lineno)
    return uses.lines


def in_cxx(lines):
    found = defaultdict(set)
    for number, line in lines:
        for name in IN_CXX.findall(line):
            found[name].add(number)
    return found


def used(files, root, code_lines):
    """Returns {table: {name: places}} of product code. In a folder `foo`, torch.foo is the backend's own module."""
    found = {PYTHON: defaultdict(list), CXX: defaultdict(list)}
    for path in files:
        place = path.relative_to(root).as_posix()
        if path.suffix in (".py", ".cc", ".h") and not TEST.search(f"/{place}"):
            table = PYTHON if path.suffix == ".py" else CXX
            for name, lines in (in_python(path) if table == PYTHON else in_cxx(code_lines(path))).items():
                if name.split(".")[1:2] != place.split("/")[-2:-1]:
                    found[table][name] += [f"{place}:{line}" for line in sorted(lines)]
    return found


def places_of(row, found, separator):
    """Returns the uses of a row's name, of its members, and of objects that may have this member."""
    member = "." + row.rpartition(".")[2] if MEMBER.fullmatch(row) else None
    return [place for name, places in found.items() if name in (row, member) or name.startswith(row + separator) for place in places]


def disagreements(found, tables):
    """`found` is the result of used(); `tables` is {table: rows}. A module that is only imported needs no row, because
    its names have rows."""
    for table, uses in found.items():
        names, separator = [row["name"] for row in tables[table]], SEPARATOR[table]
        for name, places in sorted(uses.items()):
            if not name.startswith("._") and not any((name + separator).startswith(row + separator) or row.startswith(name + separator) for row in names):
                yield f"{places[0]}: {name} is private to PyTorch: use a public name, or add it to ci/lint/{table} with the reason"
        yield from (f"ci/lint/{table}:1: {row} is not used any more: delete the row" for row in names if not places_of(row, uses, separator))
