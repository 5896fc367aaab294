# SPDX-License-Identifier: BSD-3-Clause
"""The parts of the comparison with a compiler, on small texts; the comparison itself takes minutes."""

import tempfile
import unittest
from pathlib import Path

HERE = Path(__file__).resolve().parent
from assay.uses.database import Unit
from compiler_truth import Complaint, complaints_of, edits_behind, is_abstract_template, with_tree
from edit_tree import linked_tree
from seeded_edits import Draw, SeededEdit, changed_headers, leaf_of

HEADER = """struct Allocator {
  virtual ~Allocator() = default;
  virtual void* allocate(int n, bool (*f)(int)) const = 0;
  virtual void clear();
};
enum class Kind { A,
  B,
};
"""


def edit(kind, line, leaf, id="", new=""):
    return SeededEdit(kind, id or f"cxx:Allocator::{leaf}()", "c10/a.h", line, leaf, new)


class Edits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.include = Path(folder.name, "include")
        (self.include / "c10").mkdir(parents=True)
        (self.include / "c10/a.h").write_text(HEADER)
        (self.include / "c10/b.h").write_text("// other\n")
        self.folder = Path(folder.name)

    def text(self, *edits, **options):
        return changed_headers(self.include, edits, **options)["c10/a.h"]

    def test_each_kind_changes_its_place(self):
        self.assertIn("(int)) = 0;", self.text(edit("const", 3, "allocate")))
        self.assertIn("clear() const;", self.text(edit("const", 4, "clear")))
        self.assertIn("allocate(int seeded_parameter, int n,", self.text(edit("parameter", 3, "allocate")))
        self.assertIn("clear(int seeded_parameter);", self.text(edit("parameter", 4, "clear")))
        self.assertIn("void clear_gone();", self.text(edit("removed", 4, "clear")))
        self.assertIn("seeded_1() const = 0;\n  virtual void clear", self.text(edit("pure virtual", 4, "clear", new="seeded_1")))
        self.assertIn("  Seeded1,\n  B,", self.text(edit("enumerator", 7, "B", new="Seeded1")))

    def test_edits_of_one_header_do_not_move_each_other(self):
        both = self.text(edit("pure virtual", 3, "allocate", new="seeded_1"), edit("removed", 4, "clear"))
        self.assertIn("seeded_1() const = 0;\n  virtual void* allocate", both)
        self.assertIn("clear_gone", both)

    def test_moved_header_is_gone_or_says_so(self):
        moved = SeededEdit("header moved", "header:c10/a.h", "c10/a.h", 1, "c10/a.h")
        self.assertIsNone(self.text(moved))
        self.assertIn('#error "c10/a.h is not here any more"\nstruct', self.text(moved, stub=True))

    def test_tree_is_the_old_one_but_for_the_changes(self):
        tree = linked_tree(self.include, self.folder / "new", {"c10/a.h": "new"})
        self.assertEqual(((tree / "c10/a.h").read_text(), (tree / "c10/b.h").read_text()), ("new", "// other\n"))
        gone = linked_tree(self.include, self.folder / "gone", {"c10/a.h": None})
        self.assertEqual(sorted(path.name for path in (gone / "c10").iterdir()), ["b.h"])

    def test_same_seed_draws_the_same(self):
        facts = {f"cxx:C{i}::m{i}()": {"id": f"cxx:C{i}::m{i}()", "kind": "method", "header": "c10/a.h", "line": 4} for i in range(9)}
        counts = dict.fromkeys((leaf_of(id) for id in facts), 1)
        self.assertEqual(Draw(facts, self.include, set(), counts).draw(7, 3), Draw(facts, self.include, set(), counts).draw(7, 3))


    def test_a_pure_virtual_comes_into_interfaces_alone(self):
        facts = {id: {"id": id, "kind": "method", "virtual": "virtual", "header": "c10/a.h", "line": 4} for id in ("cxx:A::f()", "cxx:B::f()")}
        facts |= {"cxx:A": {"id": "cxx:A", "kind": "class", "header": "c10/a.h", "abstract": True}, "cxx:B": {"id": "cxx:B", "kind": "class", "header": "c10/a.h"}}
        drawn = Draw(facts, self.include, set(), {"f": 2}).candidates("pure virtual")
        self.assertEqual([edit.id for edit in drawn], ["cxx:A"])


class Trees(unittest.TestCase):
    def test_units_of_every_torch_read_the_edited_headers(self):
        with tempfile.TemporaryDirectory() as folder:
            theirs = Path(folder, "theirs/include")
            (theirs / "c10/core").mkdir(parents=True)
            (theirs / "c10/core/Allocator.h").write_text("")
            unit = Unit("own.cc", ["-I", "own", "-isystem", str(theirs), "-isystem", f"{theirs}/torch/csrc/api/include", "-std=c++17"])
            self.assertEqual(with_tree(unit, "new", "c++20"), ["-I", "own", "-isystem", "new", "-isystem", "new/torch/csrc/api/include", "-std=c++20"])


class Complaints(unittest.TestCase):
    SAID = (
        "own.cc:1:2: error: non-virtual member function marked 'override' hides virtual member function\n"
        "tree/c10/a.h:3:4: note: hidden overloaded virtual function 'Allocator::allocate' declared here\n"
        "own.cc:9:1: warning: something\n"
        "own.cc:5:2: error: no member named 'clear' in 'Allocator'\n"
        "own.cc:7:2: error: who knows\n"
    )

    def test_errors_come_with_their_notes(self):
        found = complaints_of(self.SAID)
        self.assertEqual([(one.line, len(one.notes)) for one in found], [(1, 1), (5, 0), (7, 0)])

    def test_a_file_that_was_not_read_at_all_is_said(self):
        said = "error: C++20 was enabled in PCH file but is currently disabled\nclang: error: no such file: 'own.cc'\n1 error generated.\n"
        self.assertEqual([(one.file, edits_behind(one, [edit("const", 3, "allocate")], "tree")) for one in complaints_of(said)], [("", []), ("", [])])

    def test_a_template_of_pytorch_that_is_abstract_is_not_the_backends(self):
        rows = (("allocating an object of abstract class type 'CppNode<Own>'", True), ("'at::CppNode<int>' is an abstract class", False),
                ("allocating an object of abstract class type 'torch::autograd::CppNode<Own>'", True),
                ("allocating an object of abstract class type 'Own'", False), ("allocating an object of abstract class type 'Own<int>'", False))
        for text, is_theirs in rows:
            self.assertEqual(is_abstract_template(Complaint("a.cc", 1, text), {"CppNode"}), is_theirs, text)

    def test_complaint_belongs_to_the_edit_it_tells_of(self):
        allocate, clear = edit("const", 3, "allocate"), edit("removed", 40, "clear")
        behind = [edits_behind(one, [allocate, clear], "tree") for one in complaints_of(self.SAID)]
        self.assertEqual(behind, [[allocate], [clear], []])

    def test_macro_of_the_backend_leads_to_the_edit(self):
        with tempfile.NamedTemporaryFile("w", suffix=".cc") as own:
            own.write("#define MINE(...) KERNEL(__VA_ARGS__, x)\nMINE(1)\n")
            own.flush()
            said = f"{own.name}:2:1: error: use of undeclared identifier 'x'\n{own.name}:1:35: note: expanded from macro 'MINE'\n"
            gone = edit("removed", 40, "KERNEL", "macro:KERNEL")
            self.assertEqual([edits_behind(one, [gone], "tree") for one in complaints_of(said)], [[gone]])


if __name__ == "__main__":
    unittest.main()
