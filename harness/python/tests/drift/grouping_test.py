# SPDX-License-Identifier: BSD-3-Clause
"""Tests that one upstream decision gives exactly one group."""

import unittest

from assay.drift.entry import leaf_of
from assay.drift.result import compare_dumps
from assay.facts.dump import Dump

HEAD = {"torch": "1", "git": "", "sections": ["cxx", "ops", "symbols"], "macros": [], "std": "c++20", "side": "include"}


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

    def test_macros_that_differ_only_in_numbers_are_one_group(self):
        names = ("IS_3_9_PLUS", "IS_3_10_PLUS", "IS_3_11_PLUS", "HAS_3_11")
        sides = ([{"id": f"macro:{name}", "kind": "macro", "header": "c10/a.h", "line": 1, "body": form.format(number)} for number, name in enumerate(names)]
                 for form in ("HEX >= {}", "(HEX >= {})"))  # fmt: skip
        self.assertEqual(sorted(groups(*sides)), [1, 3])

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


def titles(old, new):
    return [group["title"] for group in compare_dumps(*(Dump(HEAD, {one["id"]: one for one in side}) for side in (old, new))).groups]


def of_class(name, **more):
    return {"id": f"cxx:c10::{name}", "kind": "class", "header": "c10/a.h", "line": 1, "bases": [], **more}


class Titles(unittest.TestCase):
    """The title of a group names the change, not the member that comes first in alphabetical order."""

    def test_ten_virtuals_of_one_class_are_one_group_of_that_name(self):
        names = [f"f{number}" for number in range(10)]
        self.assertEqual(titles([of_class("A")], [of_class("A"), *(virtual(f"c10::A::{name}") for name in names)]), ["c10::A: new virtual: f0, f1, f2 and 7 more"])

    def test_one_function_in_many_classes_is_named(self):
        sides = ([virtual(f"c10::{owner}::run", words) for owner in "ABC"] for words in ("", " const"))
        self.assertEqual(titles(*sides), ["run in 3 classes: const changed"])

    def test_type_that_became_another_is_named(self):
        sides = ([function(f"c10::{name}", returns=f"std::vector<{kind}<Node>>") for name in "abcd"] for kind in ("std::shared_ptr", "c10::intrusive_ptr"))
        self.assertEqual(titles(*sides), ["std::shared_ptr became c10::intrusive_ptr, in 4 places"])

    def test_class_that_went_names_its_group(self):
        old = [of_class("Zed"), *(function(f"c10::Zed::{name}", "method") for name in "abc"), function("c10::a_function", returns="c10::Zed")]
        self.assertEqual(titles(old, []), ["c10::Zed: removed"])

    def test_functions_of_a_namespace_are_named_by_their_header(self):
        old = [{**function(f"c10::{name}"), "deleted": False} for name in "abcd"]
        self.assertEqual(titles(old, []), ["c10/a.h: removed: a, b, c and 1 more"])

    def test_what_is_left_of_two_types_is_no_title(self):
        sides = ([function(f"c10::{name}", returns=f"std::pair<{kind}>") for name in "abcd"] for kind in ("A<int>, B<X>", "A<long>, C<X>"))
        self.assertNotIn("became", titles(*sides)[0])

    def test_last_part_of_an_operator(self):
        for identity, leaf in (("cxx:c10::u::operator==(c10::u::b, c10::u::b)", "operator=="), ("cxx:c10::A::operator()(int) const", "operator()"),
                               ("cxx:c10::A::operator std::string() const", "operator std::string"), ("cxx:c10::operator<<(std::ostream &, c10::A)", "operator<<"),
                               ("cxx:c10::operators::f(int)", "f"), ("py:torch.a.C.m", "m"), ("cxx:c10::A", "A")):  # fmt: skip
            self.assertEqual(leaf_of(identity), leaf)

    def test_single_change_is_named_by_itself(self):
        self.assertEqual(titles([virtual("c10::A::f")], [virtual("c10::A::f", " const")]), ["c10::A::f(T): const changed"])


class Successors(unittest.TestCase):
    def advice(self, old, new):
        return [entry.advice for entry in compare_dumps(*(Dump(HEAD, {one["id"]: one for one in side}) for side in (old, new))).entries if entry.change in ("removed", "deprecated")]

    def test_what_came_in_its_place_is_told(self):
        (advice,) = self.advice([virtual("c10::A::before_hook")], [virtual("c10::A::after_hook")])
        self.assertIn("c10::A::after_hook(T) came in its place", advice)

    def test_words_of_the_deprecation_are_told_then_and_when_it_goes(self):
        marked = function("c10::f", deprecated="use c10::g instead")
        self.assertIn('PyTorch says: "use c10::g instead"', self.advice([function("c10::f")], [marked])[0])
        self.assertIn('PyTorch said before: "use c10::g instead"', self.advice([marked], [])[0])

    def test_deprecation_without_words_is_told_without_any(self):
        self.assertNotIn("PyTorch says", self.advice([function("c10::f")], [function("c10::f", deprecated="")])[0])


class Unrelated(unittest.TestCase):
    """Two similar edits with different causes stay two groups, in any order."""

    def apart(self, one, other, count=2):
        """`one` and `other` are (facts before, facts after)."""
        for first, second in ((one, other), (other, one)):
            found = groups([*first[0], *second[0]], [*first[1], *second[1]])
            self.assertEqual(len(found), count, found)

    def test_const_of_methods_that_only_share_a_name(self):
        sides = [([virtual(name, header=header)], [virtual(name, " const", header=header)]) for name, header in (("c10::A::f", "c10/a.h"), ("at::B::f", "ATen/b.h"))]
        self.apart(*sides)

    def test_bodies_and_const(self):
        bodies = [([virtual(f"c10::{owner}::f", body="1")], [virtual(f"c10::{owner}::f", body="2")]) for owner in "AB"]
        const = [virtual("c10::C::f")], [virtual("c10::C::f", " const")]
        self.apart(*bodies)
        self.apart(bodies[0], const)

    def test_templates_of_different_traits_or_parameters_alike_by_chance(self):
        rows = ((("is_small_v<T>", "c10::is_small_v<T>"), ("is_large_v<T>", "c10::is_large_v<T>")), (("", "int N"), ("", "int N")))
        for pair in rows:
            sides = []
            for (before, after), name in zip(pair, ("a", "b")):
                heads = (f"typename T{', ' + text if text else ''}" for text in (before, after))
                sides.append(tuple([function(f"c10::{name}", header=f"c10/{name}.h", template=head)] for head in heads))
            self.apart(*sides)

    def test_the_same_change_of_a_type_of_the_language(self):
        sides = [([returning(name, "int")], [returning(name, "c10::Status")]) for name in ("a", "b")]
        self.assertEqual(groups(*([*sides[0][side], *sides[1][side]] for side in (0, 1))), [2], "a type of PyTorch's is one decision")
        self.apart(*([([returning(name, "int")], [returning(name, "char *")]) for name in ("a", "b")]))

    def test_defaults_of_functions_of_one_namespace(self):
        self.apart(*(tuple([function(f"c10::{name}", header=f"c10/{name}.h", parameters=[{"name": "x", "type": "bool", "default": text}])]
                           for text in ("false", "true")) for name in "fg"))  # fmt: skip

    def test_a_type_that_went_and_another_of_its_last_name(self):
        gone = [klass("c10d::Backend::Options")], []
        other = ([returning("p", "c10d::ProcessGroup::Options")], [returning("p", "int")])
        self.apart(gone, other)
        self.assertEqual(groups([*gone[0], returning("p", "Backend::Options")], [returning("p", "int")]), [2])

    def test_operators_that_both_bring_something_new(self):
        """New names in one header form one group, but do not join two other groups."""
        sides = [([operator(name, "Tensor self")], [operator(name, "Tensor self, int dim"), operator(f"{name}.fresh", "Tensor self")]) for name in ("sort", "topk")]
        self.apart(*sides)
        fresh = [operator(name, "Tensor self") for name in ("one", "two", "three")]
        self.assertEqual(groups([], fresh), [3])

    def test_two_classes_that_a_library_hides(self):
        facts = [virtual(f"c10::{owner}::f{number}", symbol=f"_Z{owner}{number}") for owner in "AB" for number in range(15)]
        exported = [fact["symbol"] for fact in facts]
        self.assertEqual(groups(facts, facts, ((*exported, "_Zother"), ("_Zother",))), [15, 15])

    def test_a_header_that_refuses_by_itself(self):
        heads = [{"id": f"header:{name}", "kind": "header", "header": name, "includes": more, "integration": True} for name, more in (("c10/a.h", ["c10/b.h"]), ("c10/b.h", []))]
        for message, expected in (("C++23 is required", 2), ("no type named 'g' in 'c10'", 1)):
            before = [*heads, function("c10::g", header="c10/b.h")]
            after = [{**heads[0], "error": message}, heads[1]]
            self.assertEqual(len(groups(before, after)), expected, message)


def returning(name, kind):
    return {**function(f"c10::{name}", header=f"c10/{name}.h"), "returns": kind}


def klass(name):
    return {"id": f"cxx:{name}", "kind": "class", "header": "c10/z.h", "line": 1, "bases": []}


def operator(name, arguments):
    return {"id": f"op:aten::{name}", "kind": "op", "header": "native_functions.yaml", "line": 1, "schema": f"{name}({arguments}) -> Tensor",
            "computed": "kernel", "tags": []}  # fmt: skip


if __name__ == "__main__":
    unittest.main()
