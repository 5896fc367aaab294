# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the torch of this Python has the private names in the two tables. ci/test runs it on the pinned release,
ci/releases on each supported release."""

import importlib
import os
import tempfile
import unittest
from pathlib import Path

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # `import torch` reads this variable

import private_names
import rules
import torch
from assay.anchors.cxx_text import tokens_of
from assay.anchors.text import file_of
from assay.operators import torch_testing
from assay.releases import is_of

PACKAGES = Path(torch.__file__).parents[1]
# Classes whose private members are used on objects of unknown type.
CLASSES = (torch.Tensor, torch.UntypedStorage, torch.autograd.graph.Node, torch.Generator, torch.nn.Module)


def value_of(name):
    """The value of a dotted name; AttributeError or ImportError if torch has none."""
    value, at = torch, "torch"
    for part in name.split(".")[1:]:
        at += f".{part}"
        value = getattr(value, part) if hasattr(value, part) else importlib.import_module(at)
    return value


def has_python(row):
    try:
        value_of(row["name"])
    except (AttributeError, ImportError):
        return False
    return True


def has_cxx(row):
    header = file_of(PACKAGES, row["header"])
    return header.is_file() and row["name"].rpartition("::")[2] in tokens_of(header.read_text(encoding="utf-8"))


HAS = {private_names.PYTHON: has_python, private_names.CXX: has_cxx}


def surprises(tables, found, version=torch.__version__):
    """Sentences about rows that do not match this torch."""
    for table, rows in tables.items():
        for row in rows:
            has, name = HAS[table](row), row["name"]
            if has and not is_of(row["releases"], version):
                yield f"torch {version} has {name}, and {table} says: {row['releases']}"
            elif not has and is_of(row["releases"], version):
                users = private_names.places_of(name, found[table], private_names.SEPARATOR[table])
                yield f"torch {version} lacks {name}, used by {', '.join(users)}: {row['reason']}"


class Names(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        torch_testing.prepare()
        cls.tables = {table: private_names.rows(table) for table in HAS}
        cls.found = private_names.used(rules.tracked(), rules.ROOT, rules.code_lines)

    def test_torch_has_the_names_of_its_release(self):
        self.assertEqual("", "\n".join(surprises(self.tables, self.found)))

    def test_private_members_of_objects_are_listed(self):
        listed = {row["name"].rpartition(".")[2] for row in self.tables[private_names.PYTHON]}
        used = {name[1:]: places[0] for name, places in self.found[private_names.PYTHON].items() if name.startswith("._")}
        unlisted = {name: place for name, place in used.items() if name not in listed and any(hasattr(kind, name) for kind in CLASSES)}
        self.assertEqual({}, unlisted, f"add the member of torch.Tensor or of another class to {private_names.PYTHON}")

    def test_row_of_a_module_stands_for_no_name_in_it(self):
        for row in self.tables[private_names.PYTHON]:
            below = [name for name in self.found[private_names.PYTHON] if name.startswith(row["name"] + ".")]
            self.assertFalse(below and isinstance(value_of(row["name"]), type(torch)), f"{row['name']} is a module; list {below}")

    def test_each_name_stands_once_and_has_a_reason(self):
        for table, rows_of in self.tables.items():
            self.assertEqual(len(rows_of), len({row["name"] for row in rows_of}), table)
            self.assertTrue(all(row["reason"] for row in rows_of), table)


class RowsThatDoNotFit(unittest.TestCase):
    def said(self, table, **row):
        found = {table: {row["name"]: ["a/b.py:3"]}}
        return list(surprises({table: [{"releases": "", "reason": "why", **row}]}, found, "2.13.0"))

    def test_name_that_the_release_lacks_is_reported_with_its_users(self):
        self.assertEqual(["torch 2.13.0 lacks torch._C._gone, used by a/b.py:3: why"], self.said(private_names.PYTHON, name="torch._C._gone"))
        for header in ("c10/core/Device.h", "c10/gone.h"):
            self.assertEqual(["torch 2.13.0 lacks c10::detail::gone, used by a/b.py:3: why"],
                             self.said(private_names.CXX, name="c10::detail::gone", header=header))

    def test_releases_of_a_row_are_exact(self):
        self.assertEqual([], self.said(private_names.PYTHON, name="torch._C._gone", releases="before 2.13"))
        self.assertEqual(["torch 2.13.0 has torch._C._has_storage, and private_python.tsv says: from 2.14"],
                         self.said(private_names.PYTHON, name="torch._C._has_storage", releases="from 2.14"))


class UsesThatDoNotFit(unittest.TestCase):
    SOURCE = {
        "mine/a.py": '"""torch._C._doc"""\nimport torch\nfrom torch import _C\nimport torch._dynamo\ntorch.mine._own\n_C._a\n'
                     'run("torch._C._b.c()")\ngetattr(torch, "_d")\ntorch.ops.aten._e.out\nx._version\n',
        "mine/a.cc": "// at::detail::doc\nint x = at::detail::a(c10::impl::B::c);\n",
        "mine/a_test.py": "import torch\ntorch._C._test\n",
    }
    ROWS = {private_names.PYTHON: ["torch.Tensor._version", "torch._C._a", "torch._C._b", "torch._d", "torch._dynamo.x", "torch.ops.aten._e"],
            private_names.CXX: ["at::detail::a", "c10::impl::B"]}  # fmt: skip

    def said(self, without=""):
        with tempfile.TemporaryDirectory() as folder:
            files = [Path(folder, name) for name in self.SOURCE]
            for path, text in zip(files, self.SOURCE.values()):
                path.parent.mkdir(exist_ok=True)
                path.write_text(text, encoding="utf-8")
            found = private_names.used(files, Path(folder), rules.code_lines)
        tables = {table: [{"name": name} for name in names if name != without] for table, names in self.ROWS.items()}
        return list(private_names.disagreements(found, tables))

    def test_row_that_nothing_uses_is_reported(self):
        self.assertEqual(["ci/lint/private_python.tsv:1: torch._dynamo.x is not used any more: delete the row"], self.said())

    def test_each_use_without_a_row_is_reported(self):
        uses = {"torch._C._a": "mine/a.py:6: torch._C._a ", "torch._C._b": "mine/a.py:7: torch._C._b.c ", "torch._d": "mine/a.py:8: torch._d ",
                "torch.ops.aten._e": "mine/a.py:9: torch.ops.aten._e.out ", "at::detail::a": "mine/a.cc:2: at::detail::a ",
                "c10::impl::B": "mine/a.cc:2: c10::impl::B::c "}  # fmt: skip
        for name, begin in uses.items():
            self.assertTrue(any(sentence.startswith(begin + "is private to PyTorch") for sentence in self.said(name)), self.said(name))


if __name__ == "__main__":
    unittest.main()
