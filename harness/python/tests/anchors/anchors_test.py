# SPDX-License-Identifier: BSD-3-Clause
"""Tests the text of anchors: how it is read, which edits change it, and which clauses must then be verified again. In
this tree, no clause may be unverified."""

import unittest
from importlib.util import find_spec
from pathlib import Path

from assay.anchors import readings as anchors
from assay.anchors.requirements import SUITES, places
from contract_folder import write_contract
from harness.command.fixtures.folder_case import FolderCase

PACKAGES = Path(find_spec("torch").origin).parents[1] if find_spec("torch") else None
RANGE = SUITES.parent / "ci/torch-range"
HEADER = """#pragma once
// a word
#define TWICE(x) \\
    ((x) + (x))
namespace c10 {
enum class Kind : int8_t { A, B };
template <typename T> struct C10_API Allocator final : Base<T> {
  /* of
     lines */
  virtual void* allocate(size_t n) = 0;
  void* allocate(int n) { return map[{n}]; }
  bool operator==(const Allocator& other) const;
  ~Allocator();
 private:
  int left{0}, right = 1;
};
C10_API Allocator<int>* GetAllocator(const Kind& kind = Kind::A);
using DeviceIndex = int8_t;
}
"""
MODULE = '''"""Words."""
import os

@wraps(os)
def f(a: "dict[str, int]", b: int=(1,
          2)) -> tuple[
    int]:
    """More words."""
    return a  # and more


if os:
    class Graph:
        def replay(self):
            return 1
        step = 2
else:
    Graph = None
'''
SCHEMAS = """# words
- func: empty.memory_format(int[] size) -> Tensor
  dispatch:
    CPU: empty_cpu
    CUDA, MPS: empty_cuda
    CompositeExplicitAutograd: empty_any

- func: empty.out(int[] size) -> Tensor
- func: empty_like(Tensor self) -> Tensor
"""
STUB = "class Generator:\n    def seed(self) -> int: ...\ndef _acc() -> int: ...\n"
CLAUSES = [
    {"anchor": "c10/core/A.h:Allocator::allocate; native_functions.yaml:empty"},
    {"anchor": "torch/a.py:f", "since": "2.12"},
    {"anchor": "torch/a.py:Graph.replay", "until": "2.12"},
]


class Tree(FolderCase):
    def setUp(self):
        super().setUp()
        self.packages, self.suites = self.folder / "packages", self.folder / "suites"
        self.write("packages/torch/include/c10/core/A.h", HEADER)
        self.write("packages/torch/a.py", MODULE)
        self.write("packages/torch/_C/__init__.pyi", STUB)
        self.write("packages/torchgen/packaged/ATen/native/native_functions.yaml", SCHEMAS)
        self.write("packages/torch/version.py", "__version__ = '2.13.0+cpu'\n")
        write_contract(self.folder, CLAUSES)

    def read(self, file, name):
        anchors.text_of.__globals__["parsed"].cache_clear()
        return anchors.text_of(self.packages, file, name)


class Text(Tree):
    def test_of_a_header(self):
        rows = (
            ("TWICE", "#define TWICE(x) ((x) + (x)) ;"),
            ("Kind", "enum class Kind : int8_t { A , B } ; ;"),
            ("Allocator::allocate", "virtual void * allocate ( size_t n ) = 0 ; void * allocate ( int n ) { return map [ { n } ] ; } ;"),
            ("Allocator::operator==", "bool operator == ( const Allocator & other ) const ;"),
            ("Allocator::~Allocator", "~Allocator ( ) ;"),
            ("GetAllocator", "C10_API Allocator < int > * GetAllocator ( const Kind & kind = Kind :: A ) ;"),
            ("DeviceIndex", "using DeviceIndex = int8_t ;"),
            ("allocate_more", None),
        )
        for name, expected in rows:
            self.assertEqual(self.read("c10/core/A.h", name), expected, name)
        self.assertIn("int left { 0 } , right = 1", self.read("c10/core/A.h", "Allocator"))

    def test_of_python(self):
        f = "@ wraps ( os ) \n0 def f ( a , b = ( 1 , 2 ) ) : \n4 return a"
        rows = (("torch/a.py", "f", f), ("torch/a.py", "Graph.step", "step = 2"), ("torch/a.py", "g", None),
                ("torch/b.py", "", None), ("", "torch.Generator.seed", "def seed ( self ) : . . ."),
                ("", "torch._C._acc", "def _acc ( ) : . . ."))  # fmt: skip
        for file, name, expected in rows:
            self.assertEqual(self.read(file, name), expected, name)
        self.assertIn("def replay", self.read("torch/a.py", "Graph"))

    def test_of_operators(self):
        only = "- func: empty.memory_format(int[] size) -> Tensor\n  dispatch:\n    CompositeExplicitAutograd: empty_any"
        self.assertEqual(self.read("native_functions.yaml", "empty.memory_format"), only)
        self.assertNotIn("empty_like", self.read("native_functions.yaml", "empty"))
        self.assertIn("empty_like", self.read("", "torch.empty_like"))

    def test_words_and_layout_do_not_count_and_code_does(self):
        header, module = self.read("c10/core/A.h", ""), self.read("torch/a.py", "")
        self.write("packages/torch/include/c10/core/A.h", HEADER.replace("a word", "other words").replace("#pragma once", "#include <map>").replace(" = 0;", "\n = 0;"))
        self.write("packages/torch/a.py", MODULE.replace("ords.", "ord.").replace("(1,\n          2)", "(1, 2)").replace(": int=", "=").replace(" -> tuple[\n    int]:", ":").replace("\n\n\n", "\n"))
        self.assertEqual((header, module), (self.read("c10/core/A.h", ""), self.read("torch/a.py", "")))
        self.write("packages/torch/include/c10/core/A.h", HEADER.replace("int8_t { A, B", "int8_t { A, C"))
        self.write("packages/torch/a.py", MODULE.replace("            return 1", "            pass\n        return 1"))
        self.assertNotEqual(header, self.read("c10/core/A.h", ""))
        self.assertNotEqual(module, self.read("torch/a.py", ""))


class Unread(Tree):
    RELEASES = ["2.11.0", "2.12.0", "2.13.0"]

    def unread(self, readings, **other):
        digests = {"c10/core/A.h:Allocator::allocate": "a", "native_functions.yaml:empty": "b", "torch/a.py:f": "c", "torch/a.py:Graph.replay": "d"}
        table = {place: {release: digest for release in self.RELEASES} for place, digest in digests.items()}
        for place in table:
            table[place].update(other.get(place.rpartition("/")[2].replace(".py:", "_").replace(".", "_"), {}))
        rows = [{"clause": clause, "release": release} for clause, release in readings]
        return anchors.unread(table, self.RELEASES, rows, anchors.clauses_by_place(self.suites), anchors.promises(self.RELEASES, self.suites))

    def test_what_reads_the_same_was_read(self):
        self.assertEqual(self.unread([("*", "2.13.0")]), [])
        self.assertEqual(len(self.unread([])), 3 + 2 + 2)  # each clause is unverified in each release that promises it

    def test_what_reads_differently_is_to_be_read_where_it_is_promised(self):
        changed = {"a_f": {"2.11.0": "-", "2.12.0": "x"}}
        self.assertEqual(self.unread([("*", "2.13.0")], **changed), [("A-002", "2.12.0", ["torch/a.py:f"])])
        self.assertEqual(self.unread([("*", "2.13.0"), ("A-002", "2.12.0")], **changed), [])

    def test_a_reading_of_another_clause_or_release_does_not_do(self):
        changed = {"a_f": {"2.12.0": "x"}}
        for row in (("A-001", "2.12.0"), ("A-002", "2.11.0")):
            self.assertEqual(len(self.unread([("*", "2.13.0"), row], **changed)), 1, row)


class Newer(Tree):
    def setUp(self):
        super().setUp()
        rows = [f"{place}\t{digest}" for place, digest in anchors.digests(self.packages, self.suites).items()]
        self.write("suites/anchors.tsv", "\n".join(["anchor\t2.13.0", *rows, ""]))

    def said(self, version):
        self.write("packages/torch/version.py", f"__version__ = '{version}'\n")
        anchors.text_of.__globals__["parsed"].cache_clear()
        return anchors.sentence(self.packages, self.suites)

    def test_of_what_is_supported_nothing_is_said(self):
        for version in ("2.13.0", "2.13.0+cu132", "2.12.1", "2.11.0.dev1"):
            self.assertEqual(self.said(version), "", version)

    def test_a_newer_one_that_reads_the_same(self):
        for version in ("2.13.1", "2.14.0.dev20260101", "2.13.0a0+git1234567"):
            self.assertEqual(self.said(version), "the contract is verified up to torch 2.13.0; the text of all 4 anchors is the same in this one", version)

    def test_a_newer_one_that_reads_differently_names_the_clauses(self):
        self.write("packages/torch/a.py", MODULE.replace("return a ", "return b "))
        self.assertEqual(self.said("2.14.0"), "the contract is verified up to torch 2.13.0; the text of 1 of 4 anchors differs in this one: "
                         f"verify A-002 again (assay drift anchors {self.packages})")  # fmt: skip

    def test_python_that_cannot_be_read_reads_differently(self):
        self.write("packages/torch/a.py", "def f(:\n")
        self.assertIn("2 of 4 anchors", self.said("2.14.0"))

    def test_stamp_changes_with_a_file_that_an_anchor_names(self):
        before = anchors.stamp(self.packages, self.suites)
        self.assertEqual(before, anchors.stamp(self.packages, self.suites))
        self.write("packages/torch/a.py", MODULE + "\n")
        self.assertNotEqual(before, anchors.stamp(self.packages, self.suites))


class Contract(unittest.TestCase):
    """Tests the tables of the tree itself."""

    def test_releases_are_those_of_the_range(self):
        self.assertEqual(anchors.read_table()[1], RANGE.read_text(encoding="utf-8").split())

    def test_each_anchor_is_in_the_table_and_nothing_else(self):
        table, _ = anchors.read_table()
        wanted = set(map(anchors.label, places()))
        self.assertEqual(wanted ^ set(table), set(), "ci/read_anchors.py update reads them")
        self.assertEqual([place for place, row in table.items() if set(row.values()) <= {anchors.ABSENT, anchors.UNKNOWN}], [])

    def test_each_clause_was_read_for_each_release_that_promises_it(self):
        table, releases = anchors.read_table()
        found = anchors.unread(table, releases, anchors.read_readings(), anchors.clauses_by_place(), anchors.promises(releases))
        self.assertEqual(found, [], "read them (ci/read_anchors.py show), and write it into suites/readings.tsv")

    def test_readings_say_how(self):
        clauses = set().union(*anchors.clauses_by_place().values()) | {anchors.EVERY}
        for row in anchors.read_readings():
            self.assertIn(row["clause"], clauses)
            self.assertIn(row["release"], anchors.read_table()[1])
            self.assertIn(row["shown"], ("run", "header", "source"))

    @unittest.skipUnless(PACKAGES, "there is no torch")
    def test_table_has_what_this_torch_reads(self):
        version = anchors.read_version(PACKAGES / "torch/version.py")[0].partition("+")[0]
        table, releases = anchors.read_table()
        if version not in releases:
            self.skipTest(f"torch {version} is not among the releases of anchors.tsv")
        self.assertEqual({place: row[version] for place, row in table.items()}, anchors.digests(PACKAGES))


if __name__ == "__main__":
    unittest.main()
