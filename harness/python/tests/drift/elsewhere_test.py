# SPDX-License-Identifier: BSD-3-Clause
"""Tests that code which still compiles is not reported as broken: names that are found in another scope, and equal
declarations with another spelling."""

import unittest

from assay.drift.result import compare_dumps
from assay.facts.dump import Dump

HEAD = {"torch": "1", "git": "", "sections": ["cxx"], "macros": [], "std": "c++20", "side": "include"}


def fact(name, kind, header="c10/a.h", **more):
    return {"id": f"cxx:{name}", "kind": kind, "header": header, "line": 1, **more}


def function(name, types="int", kind="function", **more):
    parameters = more.pop("parameters", [{"name": f"p{at}", "type": one} for at, one in enumerate(types.split(", ")) if one])
    return fact(f"{name}({types})", kind, returns=more.pop("returns", "void"), parameters=parameters, **more)


def with_default(types, count):
    """Gives the last `count` parameters a default."""
    names = types.split(", ")
    return [{"name": f"p{at}", "type": one, **({"default": "0"} if at >= len(names) - count else {})} for at, one in enumerate(names)]


def header(name, *includes, **more):
    return {"id": f"header:{name}", "kind": "header", "header": name, "includes": list(includes), **more}


def changes(old, new):
    result = compare_dumps(*(Dump(HEAD, {one["id"]: one for one in side}) for side in (old, new)))
    return [(entry.change, entry.rank) for entry in result.entries if entry.rank != "info"]


CLASS = fact("c10::A", "class", bases=[])


class Reached(unittest.TestCase):
    def test_a_using_declaration_brings_a_function_back(self):
        using = fact("at::f", "alias", target="using at::inner::f")
        for types, expected in (("int", [("brought", "abi")]), ("long", [("removed", "break")])):
            self.assertEqual(expected, changes([function("at::f")], [using, function("at::inner::f", types)]), types)

    def test_an_alias_of_the_same_name_elsewhere_is_the_same_thing(self):
        for kind in ("enum", "class"):
            for target, expected in (("using Tag=headeronly::Tag", ("brought", "abi")), ("using headeronly::Tag", ("brought", "abi")),
                                     ("using Tag=headeronly::Mark", ("kind_alike", "adapt"))):  # fmt: skip
                self.assertEqual([expected], changes([fact("at::Tag", kind, bases=[])], [fact("at::Tag", "alias", target=target)]), target)

    def test_another_overload_takes_the_same_call(self):
        kept = "int, long"
        for defaults, expected in ((1, [("overload_merged", "abi")]), (0, [("removed", "break")])):
            old = [function("c10::f"), function("c10::f", kept)]
            new = [function("c10::f", kept, parameters=with_default(kept, defaults))]
            self.assertEqual(expected, [one for one in changes(old, new) if one[0] != "default_added"], defaults)

    def test_a_member_of_a_base(self):
        base = fact("c10::B", "class", bases=[])
        held = function("c10::B::size", "", "method")
        old = [CLASS, function("c10::A::size", "", "method")]
        for access, expected in (("public", "held_by_base"), ("private", "removed")):
            new = [{**CLASS, "bases": [{"name": "B<T>", "access": access}]}, base, held]
            self.assertIn(expected, [change for change, _ in changes(old, new)], access)

    def test_a_member_of_a_class_of_the_standard_library_that_is_a_base_now(self):
        size = function("c10::A::size", "", "method")
        less = function("c10::operator<", "c10::A, c10::A")
        for base in ("std::view<char>", "A<type-parameter-0-0>"):  # std::A in a template argument is another class
            with_base = {**CLASS, "bases": [{"name": base, "access": "public"}]}
            self.assertEqual([("brought", "abi"), ("held_by_base", "abi")], sorted(one for one in changes([CLASS, size, less], [with_base]) if one[0] != "base_added"), base)
        of_torch = {**CLASS, "bases": [{"name": "B<T>", "access": "public"}]}
        self.assertEqual(2, changes([CLASS, size, less], [of_torch, fact("at::B", "class", bases=[])]).count(("removed", "break")))
        # The class was a base before, so the removed members were its own.
        self.assertEqual([("removed", "break")] * 2, changes([with_base, size, less], [with_base]))

    def test_a_constructor_that_the_compiler_writes(self):
        plain, moving, other = (function("c10::A::A", types, "constructor") for types in ("", "c10::A &&", "int"))
        self.assertEqual([], changes([CLASS, plain, moving], [CLASS]))
        self.assertEqual([("removed", "break")], changes([CLASS, plain, other], [CLASS, other]))
        self.assertEqual([("removed", "break")], changes([CLASS, other], [CLASS]))

    def test_the_standard_library_hashes_enumerations(self):
        hashed = fact("std::hash<c10::E>", "class", bases=[])
        for kind, expected in (("enum", []), ("class", [("removed", "break")])):
            tag = fact("c10::E", kind, bases=[])
            self.assertEqual(expected, changes([tag, hashed], [tag]), kind)

    def test_an_overload_that_a_tag_chose(self):
        plain, chosen = function("c10::f"), function("c10::f", "int, std::integral_constant<bool, true>")
        self.assertEqual([], changes([plain, chosen], [plain]))
        self.assertEqual([("removed", "break")], changes([chosen], []))

    def test_a_specialisation_that_a_condition_chose(self):
        find, chosen = fact("c10::find", "class", bases=[]), fact("c10::find<T, std::enable_if_t<C<T>::value>>", "class", bases=[])
        self.assertEqual([], changes([find, chosen], [find]))
        self.assertIn(("removed", "break"), changes([find, chosen], []))

    def test_a_header_that_everybody_includes_by_way_of_another(self):
        old = [header("c10/a.h", "c10/a-inl.h", integration=True), header("c10/a-inl.h"), function("c10::f", header="c10/a-inl.h") | {"header": "c10/a-inl.h"}]
        moved = function("c10::f") | {"header": "c10/b.h"}
        along = [header("c10/a.h", "c10/b.h", integration=True), header("c10/a-inl.h"), header("c10/b.h"), moved]
        gone = [header("c10/a.h", integration=True), header("c10/a-inl.h"), header("c10/b.h"), moved]
        self.assertEqual([], changes(old, along))
        self.assertEqual([("moved", "break")], changes(old, gone))


class SameInOtherWords(unittest.TestCase):
    def test_arguments_by_value_or_by_reference_to_const(self):
        old = function("c10::f", "const c10::S &")
        self.assertEqual([("taken_alike", "abi")], changes([old], [function("c10::f", "c10::S")]))
        self.assertEqual([("signature", "break")], changes([old], [function("c10::f", "c10::T")]))
        for before, after in (("c10::S &&", "c10::S"), ("type-parameter-0-0...", "type-parameter-0-0 &&..."), ("type-parameter-0-0 &&", "const type-parameter-0-0 &")):
            self.assertEqual([("taken_alike", "abi")], changes([function("c10::f", before)], [function("c10::f", after)]), after)
        virtual = [CLASS, *(function("c10::A::f", "const c10::S &", "method", virtual="virtual"),)]
        self.assertEqual([("signature", "break")], changes(virtual, [CLASS, function("c10::A::f", "c10::S", "method", virtual="virtual")]))

    def test_results_and_aliases_by_another_spelling(self):
        rows = (("enable_if_t<is_same<A, B>::value>", "enable_if_t<is_same_v<A, B>>", []), ("enable_if_t<!(is_int_v<A>), A>", "enable_if_t<!is_int_v<A>, A>", []),
                ("decltype(auto)", "auto", [("returns_alike", "abi")]), ("c10::S", "c10::T", [("returns", "break")]))  # fmt: skip
        for before, after, expected in rows:
            self.assertEqual(expected, changes([function("c10::f", returns=before)], [function("c10::f", returns=after)]), after)
        self.assertEqual([], changes([fact("c10::X", "alias", target=rows[0][0])], [fact("c10::X", "alias", target=rows[0][1])]))
        for after, expected in (("using typename Base::X", []), ("using typename Base::Y", [("alias", "break")])):
            self.assertEqual(expected, changes([fact("c10::X", "alias", target="unsigned long")], [fact("c10::X", "alias", target=after)]), after)

    def test_a_field_that_may_be_written_now(self):
        for before, after, expected in (("const int", "int", []), ("int", "const int", [("type_number", "behaviour")])):
            fields = ([CLASS, fact("c10::A::n", "field", type=kind)] for kind in (before, after))
            self.assertEqual(expected, changes(*fields), after)

    def test_a_default_by_another_spelling(self):
        for default, expected in (("Base::npos", []), ("0", [("default", "behaviour")])):
            sides = ([function("c10::f", parameters=[{"name": "n", "type": "int", "default": one}])] for one in ("npos", default))
            self.assertEqual(expected, changes(*sides), default)

    def test_specialisations_by_another_spelling(self):
        base = {"bases": [], "size": 1}
        for before, after, expected in (("at::Half", "c10::Half", []), ("at::Half", "c10::Bits", [("removed", "break")])):
            self.assertEqual(expected, changes([fact(f"c10::Trait<{before}>", "class", **base)], [fact(f"c10::Trait<{after}>", "class", **base)]))

    def test_specialisations_that_a_more_general_one_takes_over(self):
        base = {"bases": [], "size": 1}
        old = [fact("c10::Trait", "class", **base), fact("c10::Trait<c10::Half, true>", "class", **base), function("c10::Trait<c10::Half, true>::f", kind="method")]
        for general, is_news in (("c10::Trait<T, true>", False), ("c10::Trait<T, false>", True), ("c10::Trait<c10::Bits, true>", True)):
            found = changes(old, [old[0], fact(general, "class", template="typename T", **base)])
            self.assertEqual(is_news, ("removed", "break") in found, general)

    def test_template_parameters_that_nobody_must_write(self):
        rows = (("typename T, int N=2", "template_alike"), ("typename T, int N", "template"), ("typename T, enable_if_t<is_int_v<T>, int> =0", "template"))
        for after, expected in rows:
            found = changes([function("c10::f", template="typename T")], [function("c10::f", template=after)])
            self.assertEqual([expected], [change for change, _ in found], after)

    def test_a_default_that_refuses_as_before(self):
        for throws, expected in (({"throws": True}, []), ({}, [("body", "behaviour")])):
            old, new = ([CLASS, function("c10::A::f", kind="method", virtual="virtual", body=body, **throws)] for body in "12")
            self.assertEqual(expected, changes(old, new))

    def test_an_empty_container_by_default(self):
        for kind, before, after, expected in (("std::map<int, int>", "{}", None, []), ("std::map<int, int>", "std::map<int, int>()", "{}", []),
                                              ("int", "1", None, [("field_default", "behaviour")])):  # fmt: skip
            old, new = ([CLASS, fact("c10::A::m", "field", type=kind, **({"default": value} if value else {}))] for value in (before, after))
            self.assertEqual(expected, changes(old, new), (before, after))


class Breaks(unittest.TestCase):
    """Changes that look harmless but break code."""

    def test_an_overload_as_good_as_another(self):
        one = function("c10::f")
        rows = (("int, int", 1, "overload_ambiguous"), ("int, int", 0, None), ("long", 0, None))
        for types, defaults, expected in rows:
            found = changes([one], [one, function("c10::f", types, parameters=with_default(types, defaults))])
            self.assertEqual([(expected, "break")] if expected else [], found, types)

    def test_an_explicit_constructor(self):
        made, known = (function(f"c10::A::A{words}", types, "constructor") for words, types in (("", "int"), ("", "long")))
        for mark, expected in (({"explicit": True}, [("explicit", "break")]), ({}, [])):
            old = [CLASS, made, {**known, **mark}]  # a dump without `knows_explicit` lacks this fact
            self.assertEqual(expected, changes(old, [CLASS, {**made, "explicit": True}, {**known, "explicit": True}]))

    def test_a_scoped_enumeration(self):
        old, new = (fact("c10::E", "enum", underlying="int", **mark) for mark in ({}, {"scoped": True}))
        self.assertEqual([("scoped", "break")], changes([old], [new]))


class Comparisons(unittest.TestCase):
    """C++20 synthesises `!=` from `==` and the ordering operators from `<=>`. Callers compile unchanged."""

    def change(self, gone, left, std="c++20"):
        sides = [{f"cxx:c10::A::operator{name}(const c10::A &) const": {
            "id": f"cxx:c10::A::operator{name}(const c10::A &) const", "kind": "method", "header": "c10/a.h", "line": 1, "returns": "bool",
            "parameters": [{"name": "o", "type": "const A &"}]} for name in names} for names in ([gone, *left], left)]  # fmt: skip
        head = {"torch": "1", "git": "", "sections": ["cxx"], "macros": [], "std": std, "side": "include"}
        return [(entry.change, entry.rank) for entry in compare_dumps(*(Dump(head, side) for side in sides)).entries]

    def test_what_the_compiler_writes_is_no_news(self):
        for gone, left, change in (("!=", ["=="], ("overload_merged", "abi")), ("<", ["<=>"], ("overload_merged", "abi")), (">=", ["<=>"], ("overload_merged", "abi")),
                                   ("!=", [], ("removed", "break")), ("<", ["=="], ("removed", "break"))):  # fmt: skip
            self.assertEqual(self.change(gone, left), [change], (gone, left))

    def test_operands_may_stand_the_other_way_round(self):
        def equal(*types):
            id = f"cxx:c10::operator==({', '.join(types)})"
            return {"id": id, "kind": "function", "header": "c10/a.h", "line": 1, "returns": "bool", "parameters": [{"name": "x", "type": one} for one in types]}

        head = {"torch": "1", "git": "", "sections": ["cxx"], "macros": [], "std": "c++20", "side": "include"}
        old, new = [equal("const A &", "int"), equal("int", "const A &")], [equal("const A &", "int")]
        result = compare_dumps(*(Dump(head, {one["id"]: one for one in side}) for side in (old, new)))
        self.assertEqual([(entry.change, entry.rank) for entry in result.entries], [("overload_merged", "abi")])

    def test_operator_goes_along_with_the_class_of_its_operands(self):
        def operator(space):
            id = f"cxx:{space}::operator==({space}::bits, {space}::bits)"
            return {"id": id, "kind": "function", "header": "c10/a.h", "line": 1, "returns": "bool", "parameters": [{"name": "a", "type": "bits"}, {"name": "b", "type": "bits"}]}

        def bits(space, kind, **more):
            return {"id": f"cxx:{space}::bits", "kind": kind, "header": "c10/a.h", "line": 1, "bases": [], **more}

        head = {"torch": "1", "git": "", "sections": ["cxx"], "macros": [], "std": "c++20", "side": "include"}
        alias = bits("c10", "alias", target="using torch::bits")
        standard = bits("c10", "alias", target="using bits=std::bits<64>")
        for new, change in (([standard], "brought"), ([bits("torch", "class"), alias, operator("torch")], "brought"), ([bits("torch", "class"), alias], "removed")):
            sides = [bits("c10", "class"), operator("c10")], new
            result = compare_dumps(*(Dump(head, {one["id"]: one for one in side}) for side in sides))
            self.assertEqual([entry.change for entry in result.entries if "operator" in entry.id and entry.id.startswith("cxx:c10")], [change])

    def test_an_older_language_writes_none(self):
        self.assertEqual(self.change("!=", ["=="], "c++17"), [("removed", "break")])


if __name__ == "__main__":
    unittest.main()
