# SPDX-License-Identifier: BSD-3-Clause
"""Tests virtual functions that a class inherits from a new base or from a class inserted in between, also in headers
that are not compiled."""

import unittest

from assay.drift.cross import cross
from assay.drift.result import compare_dumps
from assay.facts.dump import Dump

HEAD = {"torch": "1", "git": "", "sections": ["cxx"], "macros": [], "std": "c++20", "side": "include"}


def of_class(name, *bases):
    return {"id": f"cxx:c10::{name}", "kind": "class", "header": "c10/a.h", "line": 1, "bases": [{"name": f"c10::{base}", "access": "public"} for base in bases]}


def virtual(name, how="virtual", **more):
    return {"id": f"cxx:c10::{name}()", "kind": "method", "header": "c10/a.h", "line": 2, "returns": "void", "parameters": [], "virtual": how, **more}


OLD = [of_class("Root"), virtual("Root::run", "pure"), of_class("Hooks", "Root"), virtual("Hooks::run", "override")]


class Bases(unittest.TestCase):
    def compare(self, new, old=OLD):
        self.sides = [Dump(HEAD, {one["id"]: one for one in side}) for side in (old, new)]
        return compare_dumps(*self.sides)

    def virtuals(self, new, old=OLD):
        return [(entry.id, entry.change, entry.rank, entry.owner) for entry in self.compare(new, old).entries if "virtual" in entry.change]

    def test_virtual_of_a_new_base_is_to_be_adapted(self):
        new = [of_class("Root"), virtual("Root::run", "pure"), of_class("Extra"), virtual("Extra::more"), of_class("Hooks", "Root", "Extra"),
               virtual("Hooks::run", "override")]  # fmt: skip
        self.assertEqual(self.virtuals(new), [("cxx:c10::Extra::more()", "virtual_added", "adapt", "cxx:c10::Hooks")])

    def test_virtual_of_a_class_in_between_is_to_be_adapted(self):
        new = [OLD[0], OLD[1], of_class("Middle", "Root"), virtual("Middle::more"), virtual("Middle::run", "override"), of_class("Hooks", "Middle"), OLD[3]]
        result = self.compare(new)
        self.assertIn(("cxx:c10::Middle::more()", "virtual_added"), [(entry.id, entry.change) for entry in result.entries])
        self.assertNotIn(("base_removed", "break"), [(entry.change, entry.rank) for entry in result.entries])
        (backend,) = cross(result.entries, [{"name": "b", "entries": [{"id": "cxx:c10::Hooks", "ways": {"derive": ["source"]}}]}], *self.sides)
        self.assertEqual([(made["id"], made["verdict"]) for made in backend["entries"]], [("cxx:c10::Middle::more()", "look")])

    def test_pure_virtual_of_a_new_base_breaks_who_derives_unless_the_class_has_it(self):
        for more, change in (([], [("pure_virtual_added", "break")]), ([virtual("Hooks::more", "override")], [])):
            new = [*OLD[:2], of_class("Extra"), virtual("Extra::more", "pure"), of_class("Hooks", "Root", "Extra"), OLD[3], *more]
            self.assertEqual([entry[1:3] for entry in self.virtuals(new)], change)

    def test_function_that_moved_up_is_no_news(self):
        old = [*OLD, virtual("Hooks::same")]
        new = [*OLD[:2], of_class("Extra"), virtual("Extra::same"), of_class("Hooks", "Root", "Extra"), OLD[3]]
        self.assertEqual(self.virtuals(new, old), [])

    def test_pure_virtual_that_only_another_backend_compiles_is_told_to_who_derives(self):
        """In headers that are not compiled, ctags finds names and whether a function is pure."""
        seen = [{"id": "cxx:c10::cuda::A", "kind": "class", "header": "c10/cuda/A.h", "seen": "ctags"}]
        pure = {"id": "cxx:c10::cuda::A::more", "kind": "function", "header": "c10/cuda/A.h", "seen": "ctags", "virtual": "pure"}
        (entry,) = self.compare([*seen, pure], seen).entries
        self.assertEqual((entry.change, entry.rank, entry.internal), ("pure_virtual_added", "break", True))
        (backend,) = cross([entry], [{"name": "b", "entries": [{"id": "cxx:c10::cuda::A", "ways": {"derive": ["source"]}}]}])
        self.assertEqual(backend["breaks"], 1)


class Macros(unittest.TestCase):
    def change(self, before, after, **more):
        sides = [{"macro:M": {"id": "macro:M", "kind": "macro", "header": "c10/a.h", "line": 1, "body": body, **more}} for body in (before, after)]
        return [(entry.change, entry.rank) for entry in compare_dumps(*(Dump(HEAD, side) for side in sides)).entries]

    def test_another_value_is_other_behaviour(self):
        for before, after in (("64", "120"), ("(1 << 3)", "(1 << 4)"), ('"a"', '"b"'), ("true", "false"), ("~0u", "0u"), ("INT64_C(5)", "INT64_C(6)"), ("(MANY + 1)", "(MANY + 2)"),
                              ("static_cast<int>(5)", "static_cast<int>(6)")):  # fmt: skip
            self.assertEqual(self.change(before, after), [("constant", "behaviour")], before)

    def test_another_text_is_none(self):
        for before, after, more in (("do { f(1); } while (0)", "do { f(2); } while (0)", {}), ("f(1)", "g(1)", {"parameters": ["a"]}), ("[[a]]", "[[b]]", {})):
            self.assertEqual(self.change(before, after, **more), [("macro_body", "info")], before)


if __name__ == "__main__":
    unittest.main()
