# SPDX-License-Identifier: BSD-3-Clause
"""Tests changes inside a class without added or removed names: the order and defaults of fields, export macros,
defaults of arguments."""

import unittest

from assay.drift.result import compare_dumps
from assay.facts.dump import Dump

HEAD = {"torch": "1", "git": "", "sections": ["cxx"], "macros": [], "std": "c++20", "side": "include"}
WITH_LIBRARIES = {**HEAD, "sections": ["cxx", "symbols"]}


def fact(name, kind, line=1, **more):
    return {"id": f"cxx:{name}", "kind": kind, "header": "c10/a.h", "line": line, **more}


def method(name, **more):
    return fact(f"{name}(int)", "method", returns="void", parameters=[{"name": "x", "type": "int", **more.pop("parameter", {})}], **more)


def fields(*names, **more):
    return [fact("c10::S", "class", bases=[]), *(fact(f"c10::S::{name}", "field", line, type="int", **more) for line, name in enumerate(names))]


def compare(old, new, head=HEAD):
    return compare_dumps(*(Dump(head, {one["id"]: one for one in side}) for side in (old, new)))


def changes(result):
    return [(entry.name, entry.change, entry.rank, entry.after) for entry in result.entries]


class Members(unittest.TestCase):
    def test_a_field_that_moved_among_the_others(self):
        rows = ((("b", "c", "a"), "a", "behind c"), (("c", "a", "b"), "c", "first"))
        for now, moved, place in rows:
            self.assertEqual(changes(compare(fields("a", "b", "c"), fields(*now))), [(f"c10::S::{moved}", "layout", "abi", place)])

    def test_fields_in_the_middle_that_came_or_went_move_nobody(self):
        for old, new, change in ((("a", "c"), ("a", "b", "c"), "field_added"), (("a", "b", "c"), ("a", "c"), "removed")):
            self.assertEqual([change], [entry.change for entry in compare(fields(*old), fields(*new)).entries])

    def test_where_a_field_stands_is_known_of_what_a_compiler_saw(self):
        """ctags records names without lines. Here ctags and the compiler read the same class."""
        seen = {"id": "cxx:c10::S::only", "kind": "field", "header": "c10/a.h", "seen": "ctags"}
        self.assertEqual(changes(compare([*fields("a", "b"), seen], [*fields("a", "b"), seen])), [])
        self.assertEqual([one[1] for one in changes(compare([*fields("a", "b"), seen], [seen, *fields("b", "a")]))], ["layout"])

    def test_a_field_of_another_default(self):
        rows = (("true", "false", "behaviour"), ("true", None, "behaviour"), (None, "true", None), ("1", "1", None))
        for before, after, rank in rows:
            old, new = (fields("a", **({"default": value} if value else {})) for value in (before, after))
            self.assertEqual([entry.rank for entry in compare(old, new).entries], [rank] if rank else [], (before, after))

    def test_one_decision_about_many_defaults_is_one_group(self):
        """Twelve functions of a class, or the same field of many structs."""
        functions = [[fact("c10::P", "class", bases=[]), *(method(f"c10::P::{name}", parameter={"default": value}) for name in "fgh")] for value in "12"]
        options = [[method(f"c10::P::{name}", parameter={"type": f"const {name.upper()}Options &", "default": f"{name.upper()}Options()"} if there else
                    {"type": f"const {name.upper()}Options &"}) for name in "fgh"] for there in (True, False)]  # fmt: skip
        structs = [[fact(f"c10::{name}::wait", "field", type="bool", default=value) for name in "AB"] for value in ("true", "false")]
        for sides in (functions, options, structs):
            result = compare(*sides)
            self.assertEqual([group["count"] for group in result.groups], [len(result.entries)])

    def test_another_name_for_the_same_is_one_group(self):
        rows = ((method("c10::S::f"), method("c10::S::g"), 1), (method("c10::S::f"), method("c10::S::g", virtual="pure"), 2),
                (method("c10::S::f"), method("c10::T::g"), 2), (method("c10::S::f"), method("c10::T::f"), 1))  # fmt: skip
        owners = [fact("c10::S", "class", bases=[]), fact("c10::T", "class", bases=[])]
        for old, new, count in rows:
            self.assertEqual(len(compare([*owners, old], [*owners, new]).groups), count, new)

    def test_parameter_that_takes_any_type_now_takes_the_old_one(self):
        old = fact("c10::f(const T &)", "function", returns="void", parameters=[{"name": "x", "type": "const T &"}])
        for template, change in (("typename U", "taken_alike"), ("typename U, enable_if_t<is_small_v<U>, int> = 0", "signature")):
            new = {**old, "id": "cxx:c10::f(const type-parameter-0-0 &)", "template": template, "parameters": [{"name": "x", "type": "const U &"}]}
            self.assertEqual([entry.change for entry in compare([old], [new]).entries if entry.rank != "info"][:1], [change])

    def test_names_of_template_parameters_are_nobodys_business(self):
        rows = (("typename T, typename U=T", "typename A, typename B=A", []), ("typename T", "typename T, typename U", ["template"]), ("typename T", "int T", ["template"]),
                ("class...Args", "class...Others", []), ("typename T, typename U=T", "typename T, typename U=int", ["template_default"]))  # fmt: skip
        for was, now, expected in rows:
            found = compare(*([fact("c10::A", "class", bases=[], template=text)] for text in (was, now)))
            self.assertEqual([entry.change for entry in found.entries], expected, (was, now))

    def test_a_macro_that_names_another_anew_belongs_to_it(self):
        sides = [[{**fact("", "macro", parameters=["a"], body="inner"), "id": f"macro:{name}"},
                  {**fact("", "macro", body=f"{name}(1)"), "id": "macro:OUTER"}] for name in ("ONE", "OTHER")]  # fmt: skip
        self.assertEqual([(group["title"], group["count"]) for group in compare(*sides).groups], [("ONE: removed", 3)])

    def test_a_default_argument_of_a_template_belongs_to_the_template_it_names(self):
        sides = [[fact("c10::Block", "class", bases=[], template=parameters),
                  fact("c10::Pool", "class", bases=[], template=f"typename S, typename B=Block<{arguments}>")]
                 for parameters, arguments in (("typename S", "S"), ("typename S, typename E", "S, S"))]  # fmt: skip
        result = compare(*sides)
        self.assertEqual([(g["rank"], g["count"]) for g in result.groups], [("break", 2)])
        self.assertIn(("c10::Pool", "template_default", "behaviour"), [one[:3] for one in changes(result)])

    def test_a_header_that_went_takes_along_who_still_includes_it(self):
        """Errors that follow from the removed header belong to its group. Another change in the including header is a
        separate group."""
        def header(name, **more):
            return {"id": f"header:{name}", "kind": "header", "header": name, "integration": True, **more}

        user = {"header": "c10/b.h"}
        old = [header("c10/a.h"), header("c10/b.h", includes=["c10/a.h"]), fact("c10::Kind", "enum", underlying="int"),
               {**fact("c10::use()", "function", returns="Kind", parameters=[]), **user}, {**fact("c10::gone()", "function", returns="void", parameters=[]), **user}]
        new = [header("c10/b.h", error="1: 'c10/a.h' file not found"), {**fact("c10::use()", "function", returns="int", parameters=[]), **user}]
        self.assertEqual([group["count"] for group in compare(old, new).groups], [4, 1])

    def test_other_defaults_of_one_class_are_groups_of_their_own(self):
        sides = [[method("c10::P::f", parameter={"default": one}), method("c10::P::g", parameter={"default": two})] for one, two in ("12", "34")]
        self.assertEqual(len(compare(*sides).groups), 2)

    def test_what_is_no_longer_declared_as_exported(self):
        marked, plain = ([fact("c10::use()", "function", returns="void", parameters=[], **more)] for more in ({"exported": True}, {}))
        self.assertEqual(changes(compare(marked, plain))[0][1:3], ("not_exported", "break"))
        self.assertEqual(changes(compare(marked, plain, WITH_LIBRARIES))[0][1:3], ("export_mark", "abi"))
        for more in ({"inline": True}, {"body": "1"}):
            self.assertEqual(changes(compare([{**marked[0], **more}], [{**plain[0], **more}])), [], more)

    def test_a_class_is_exported_for_what_a_library_holds_of_it(self):
        for more, count in (({}, 1), ({"virtual": "pure"}, 0), ({"inline": True}, 0)):
            old, new = ([fact("c10::S", "class", bases=[], **mark), method("c10::S::f", **more)] for mark in ({"exported": True}, {}))
            self.assertEqual(len(compare(old, new).entries), count, more)

    def test_an_optional_parameter_breaks_the_overrides_of_a_virtual(self):
        for virtual, rank in (("virtual", "break"), (None, "abi")):
            more = {"virtual": virtual} if virtual else {}
            old = fact("c10::S::f()", "method", returns="void", parameters=[], **more)
            (entry,) = compare([old], [method("c10::S::f", parameter={"default": "1"}, **more)]).entries
            self.assertEqual((entry.change, entry.rank), ("optional_parameter_added", rank))


if __name__ == "__main__":
    unittest.main()
