# SPDX-License-Identifier: BSD-3-Clause
"""Tests that a dump is written in one step, is read back unchanged, and is rejected if it is not a dump."""

import lzma
import unittest

from assay.facts.dump import owner_of, plain_name
from assay.facts.dump_file import SCHEMA, read_dump, write_dump
from assay.command import Refused
from harness.command.fixtures.folder_case import FolderCase

FACTS = {
    "cxx:A::f(int)": {"id": "cxx:A::f(int)", "kind": "method", "header": "a.h", "symbol": "_ZN1A1fEi"},
    "py:torch.a": {"id": "py:torch.a", "kind": "module", "module": "torch/a.py", "line": 1},
    "py:torch.a.C.m": {"id": "py:torch.a.C.m", "kind": "pymethod", "module": "torch/a.py", "line": 7},
    "macro:M": {"id": "macro:M", "kind": "macro", "header": "a.h"},
}
HEAD = {"torch": "2.13.0", "git": "cf3", "sections": ["cxx"], "macros": [], "std": "c++20"}


class Dumps(FolderCase):
    def setUp(self):
        super().setUp()
        self.path = self.folder / "a.drift.xz"

    def test_what_is_written_is_read(self):
        write_dump(self.path, HEAD, FACTS, {"libc10": ["_ZN1A1fEi", "_ZN1B1gEv"]})
        dump = read_dump(self.path)
        self.assertEqual(dump.name, "2.13.0 (cf3)")
        self.assertEqual(dump.symbols, {"_ZN1A1fEi": "libc10", "_ZN1B1gEv": "libc10"})
        for identity in ("macro:M", "py:torch.a", "py:torch.a.C.m"):
            self.assertEqual(dump.facts[identity], FACTS[identity])
        self.assertEqual([f["id"] for f in dump.by_name["cxx:A::f"]], ["cxx:A::f(int)"])
        self.assertEqual([path.name for path in self.path.parent.iterdir()], [self.path.name])

    def test_same_facts_are_the_same_bytes(self):
        write_dump(self.path, HEAD, FACTS, {})
        first = self.path.read_bytes()
        write_dump(self.path, HEAD, dict(reversed(FACTS.items())), {})
        self.assertEqual(first, self.path.read_bytes())

    def test_operator_of_a_library_comes_back_beside_its_symbols(self):
        fact = {"id": "op:c10d::f", "kind": "op", "header": "libtorch_cpu", "line": 0, "schema": "c10d::f() -> ()", "tags": [], "computed": "kernel", "defined_in": "libtorch_cpu"}
        write_dump(self.path, HEAD, {fact["id"]: fact}, {"libtorch_cpu": ["_Z1f"]})
        self.assertEqual(read_dump(self.path).facts[fact["id"]], fact)

    def test_what_is_no_dump_is_refused_in_a_sentence(self):
        head = b'{"schema": "%s", "sections": []}\n' % SCHEMA.encode()
        bad = b"", b"[1]", b'{"schema": "x"}', head + b"5\n", head + b"[" * 100000, head + b"{}\n", head + b'{"id": "a"\n'
        for content in (b"no xz", lzma.compress(head)[:-4], *map(lzma.compress, bad)):
            with self.subTest(content[:30]), self.assertRaisesRegex(Refused, "a.drift.xz: "):
                self.path.write_bytes(content)
                read_dump(self.path)

    def test_names(self):
        rows = {
            "cxx:c10::A::f(int) const": ("cxx:c10::A::f", "cxx:c10::A"),
            "cxx:c10::A::operator()(int)": ("cxx:c10::A::operator()", "cxx:c10::A"),
            "cxx:A<x::y>::f()": ("cxx:A<x::y>::f", "cxx:A<x::y>"),
            "cxx:free": ("cxx:free", ""),
            "py:torch.A.f": ("py:torch.A.f", "py:torch.A"),
        }
        for identity, expected in rows.items():
            self.assertEqual((plain_name(identity), owner_of(identity)), expected)


if __name__ == "__main__":
    unittest.main()
