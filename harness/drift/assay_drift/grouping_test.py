# SPDX-License-Identifier: BSD-3-Clause
"""What is one decision upstream is one group: not more of them, and not fewer."""

import sys
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1]))
from assay_drift.dump import Dump  # noqa: E402
from assay_drift.result import compare_dumps  # noqa: E402

HEAD = {"torch": "1", "git": "", "sections": ["cxx", "symbols"], "macros": [], "std": "c++20", "side": "include"}


def function(name, kind="function", words="", **more):
    return {"id": f"cxx:{name}(T){words}", "kind": kind, "header": "c10/a.h", "line": 1, "returns": "void",
            "parameters": [{"name": "x", "type": "T"}], **more}  # fmt: skip


def virtual(name, words="", **more):
    return function(name, "method", words, virtual="virtual", **more)


def groups(old, new, symbols=((), ())):
    sides = (Dump(HEAD, {one["id"]: one for one in side}, dict.fromkeys(exported, "libc10")) for side, exported in zip((old, new), symbols))
    return [group["count"] for group in compare_dumps(*sides).groups]


class Grouping(unittest.TestCase):
    def test_templates_that_name_one_thing_anew_are_one_group(self):
        sides = ([function(f"c10::{name}", template=f"typename T, enable_if_t<{trait}<T>, {number}> = 0") for number, name in enumerate("fgh")]
                 for trait in ("is_small_v", "c10::is_small_v"))  # fmt: skip
        self.assertEqual(groups(*sides), [3])

    def test_templates_that_differ_otherwise_are_news_of_their_own(self):
        old = [function(f"c10::{name}", template="typename T") for name in "fg"]
        new = [function(f"c10::{name}", template=f"typename T, {kind} N") for name, kind in (("f", "int"), ("g", "bool"))]
        self.assertEqual(groups(old, new), [1, 1])

    def test_bodies_of_one_class_are_one_group(self):
        sides = ([virtual(f"c10::{name}", body=body) for name in ("A::f", "A::g", "B::f")] for body in "12")
        self.assertEqual(sorted(groups(*sides)), [1, 2])

    def test_one_method_made_const_in_several_classes_is_one_group(self):
        plain = [virtual(f"c10::{owner}::{name}") for owner, name in (("A", "f"), ("B", "f"), ("A", "g"))]
        const = [virtual(f"c10::{owner}::{name}", " const") for owner, name in (("A", "f"), ("B", "f"), ("A", "g"))]
        self.assertEqual(sorted(groups(plain, const)), [1, 2])

    def test_a_library_that_hides_its_symbols_is_one_group(self):
        for count, expected in ((3, [1, 1, 1]), (20, [20])):
            facts = [virtual(f"c10::C{number}::f", symbol=f"_Zf{number}") for number in range(count)]
            exported = [fact["symbol"] for fact in facts]
            self.assertEqual(groups(facts, facts, ((*exported, "_Zother"), ("_Zother",))), expected)


if __name__ == "__main__":
    unittest.main()
