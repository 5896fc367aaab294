# SPDX-License-Identifier: BSD-3-Clause
"""Tests probes with a small PyTorch: a correct rank is confirmed, a wrong rank is reported. Needs libclang."""

import os
import tempfile
import unittest
from pathlib import Path

FACTS = Path(os.environ["ASSAY_BUILD"]) / "bin/assay-facts"
os.environ["ASSAY_FACTS"] = str(FACTS)
from assay.drift.confirm import confirm, verdict
from assay.drift.entry import Entry
from assay.drift.probes import probe_of
from assay.drift.result import compare_dumps
from assay.facts.dump import Dump
from assay.facts.make_dump import dump_of
from assay.facts.settings import Settings
from assay.facts.side import find_side

OLD = """#pragma once
namespace c10 {
enum class Kind { A, B, Count };
struct Base { virtual ~Base() = default; virtual void wait() = 0; };
struct Allocator : Base {
  virtual int* get(int n, bool (*f)(int)) const noexcept = 0;
  virtual int size(int n) const { return n; }
  int total(long n, int more = 1) const;
 protected:
  int kept;
};
struct Final {};
struct Length { int n; bool operator<(int other) const { return n < other; } auto later(); };
struct Old { int a; };
int free_function(const Allocator& a, int n);
int numbers(int n);
int spare(int n);
int spare(long n);
using Number = long;
#define C10_TWO(a, b) nothing(a, b)
#define C10_GONE 1
#define C10_BRIEF 1
#undef C10_BRIEF
}
"""
SETTINGS = Settings(sections=("cxx",), headers=("c10/core/Allocator.h",))


@unittest.skipUnless(FACTS.is_file(), "built without libclang")
class Confirm(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.folder = Path(folder.name)
        cls.old = cls.side("old", OLD)
        cls.base = dump_of(cls.old, SETTINGS)

    @classmethod
    def side(cls, name, text):
        header = cls.folder / name / "c10/core/Allocator.h"
        header.parent.mkdir(parents=True)
        header.write_text(text)
        return find_side(str(cls.folder / name), None)

    def confirmed(self, find, replace, stored=False):
        """Returns {change: confirmation} after one edit."""
        self.assertIn(find, OLD)
        new = self.side(f"new{len(os.listdir(self.folder))}", OLD.replace(find, replace))
        dumps = (self.base, dump_of(new, SETTINGS))
        result = compare_dumps(*dumps)
        confirm(result, dumps, (None if stored else self.old, new), SETTINGS)
        self.ranks = {entry.change: entry.rank for entry in result.entries} | {"groups": {group["rank"] for group in result.groups}}
        return {entry.change: entry.confirmed for entry in result.entries if entry.confirmed}

    def test_what_a_backend_writes_no_longer_compiles(self):
        rows = (
            ("const noexcept = 0", "noexcept = 0", "const", "override"),
            ("get(int n, bool (*f)(int))", "get(int n)", "parameter_removed", "override"),
            ("virtual int size", "virtual void more() = 0; virtual int size", "pure_virtual_added", "abstract"),
            ("virtual int size(int n) const {", "virtual int size(int n) const final {", "final", "final"),
            ("virtual int size", "int size", "no_longer_virtual", "override"),
            ("virtual int size", "virtual long size", "returns_number", "int"),
            ("int more = 1", "int more", "default_removed", "few"),
            ("Count }", "Other, Count }", "enumerator_added", "Other"),
            ("int kept;", "", "removed", "kept"),
            ("int free_function(const Allocator& a, int n);", "", "removed", "free_function"),
            ("free_function(const Allocator& a, int n)", "free_function(const Allocator& a, int n, int m)", "parameter_added", "too few arguments"),
            ("struct Final {};", "struct Final final {};", "final", "final"),
            ("int a;", "char* a;", "type", "static assertion"),
            ("#define C10_GONE 1\n", "", "removed", "C10_GONE"),
            ("C10_TWO(a, b)", "C10_TWO(a)", "macro_arity", "too many arguments"),
        )
        for find, replace, change, words in rows:
            with self.subTest(change, find=find):
                said = self.confirmed(find, replace)
                self.assertTrue(said[change].startswith("clang: "), said)
                self.assertIn(words, said[change])

    def test_what_compiles_all_the_same_asks_for_a_new_build(self):
        said = self.confirmed("int numbers(int n);", "int numbers(double n);")
        self.assertEqual(said["signature"], "not confirmed: the probe compiles with NEW")
        self.assertEqual((self.ranks["signature"], self.ranks["groups"]), ("abi", {"abi"}))
        self.confirmed("int spare(int n);\n", "")  # the remaining overload accepts every call
        self.assertEqual((self.ranks["removed"], self.ranks["groups"]), ("abi", {"abi"}))

    def test_a_macro_that_its_header_takes_back_is_nobodys(self):
        said = self.confirmed("#define C10_BRIEF 1\n#undef C10_BRIEF\n", "")
        self.assertIn("the probe does not compile with OLD either", said["removed"])
        self.assertEqual(self.ranks["groups"], {"abi"})

    def test_an_operator_that_stands_outside_now_compiles(self):
        member, free = "bool operator<(int other) const { return n < other; }", "inline bool operator<(const Length& a, int b) { return a.n < b; }"
        inside = f"struct Length {{ int n; {member} auto later(); }};"
        self.confirmed(inside, f"{inside.replace(member, '')} {free}")
        self.assertEqual(self.ranks["removed"], "abi")
        self.assertTrue(self.confirmed(member, "")["removed"].startswith("clang: "))

    def test_a_result_that_no_header_tells_is_nobodys(self):
        self.confirmed("auto later();", "")
        self.assertEqual(self.ranks["groups"], {"abi"})

    def test_what_no_compiler_sees_says_why(self):
        said = self.confirmed("virtual int size", "virtual void hook() {} virtual int size")
        self.assertEqual(said["virtual_added"], "not confirmed: it compiles in either case")

    def test_a_base_that_is_only_stored_confirms_what_clang_names(self):
        self.assertIn("clang: ", self.confirmed("#define C10_GONE 1\n", "", stored=True)["removed"])

    def test_an_enumerator_that_no_compiler_saw_has_no_value(self):
        kinds = {"cxx:K::A": {"kind": "enumerator", "value": 0}, "cxx:K::Hidden": {"kind": "enumerator", "seen": "ctags"}}
        old = Dump({}, {id: {"id": id, "header": "k.h", **fact} for id, fact in kinds.items()})
        (line,) = probe_of(Entry("cxx:K::B", "enumerator", "enumerator_added"), old)
        self.assertIn("switch (value) { case ::K::A: return", line)

    def test_a_probe_that_the_base_does_not_take_proves_nothing(self):
        entry = Entry("cxx:c10::A", "class", "removed")
        self.assertEqual(verdict(entry, {0: "odd"}, {0: "odd"}, 0), "not confirmed: the probe does not compile with OLD either: odd")
        self.assertIn("reports something else", verdict(entry, None, {0: "odd"}, 0))


if __name__ == "__main__":
    unittest.main()
