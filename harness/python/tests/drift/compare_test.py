# SPDX-License-Identifier: BSD-3-Clause
"""Compares two small dumps. Tests the changes that are found, their ranks and their groups."""

import copy
import json
import unittest
from pathlib import Path

import jsonschema
from assay.drift.cross import cross
from assay.drift.entry import CHANGES, RANKS
from assay.drift.result import as_json, compare_dumps
from assay.facts.dump import Dump
from assay.command import Refused

SCHEMA = Path(__file__).resolve().parents[4] / "reports/schema/drift.schema.json"
HEAD = {"torch": "1", "git": "", "sections": ["cxx", "ops", "python", "symbols"], "macros": [], "std": "c++20", "side": "include"}


def fact(identity, kind, **more):
    place = {"module": "torch/a.py"} if identity.startswith("py:") else {"header": "c10/a.h"}
    return {"id": identity, "kind": kind, "line": 1, **place, **more}


BASE = [
    fact("header:c10/a.h", "header"),
    fact("cxx:c10::A", "class", tag="struct", bases=[]),
    fact("cxx:c10::A::f(int)", "method", returns="void", parameters=[{"name": "x", "type": "int"}], virtual="virtual", symbol="_Z1"),
    fact("cxx:c10::K", "enum", underlying="int"),
    fact("cxx:c10::K::One", "enumerator", value=0),
    fact("cxx:c10::K::NumOptions", "enumerator", value=1),
    fact("cxx:c10::use(c10::A)", "function", returns="void", parameters=[{"name": "a", "type": "A"}]),
    fact("macro:M", "macro", parameters=["a"], body="a"),
    fact("op:aten::f", "op", schema="f(Tensor self, int a) -> Tensor", tags=[], computed="implicit"),
    fact("py:torch.a", "module"),
    fact("py:torch.a.f", "pyfunction", signature="(a, b=1, *, c=2)"),
    fact("py:torch.a.C", "pyclass", bases=["B"]),
    fact("py:torch.a.C.m", "pymethod", signature="(self)"),
    fact("py:torch.a.B", "pyclass"),
]


class Compare(unittest.TestCase):
    def compare(self, remove=(), add=(), change=None, symbols=("_Z1", "_Z1")):
        old = {f["id"]: f for f in BASE}
        new = {key: copy.deepcopy(f) for key, f in old.items() if key not in remove}
        new.update((f["id"], f) for f in add)
        for key, values in (change or {}).items():
            new[key].update(values)
        sides = (Dump(HEAD, facts, {name: "libc10" for name in names.split()}) for facts, names in zip((old, new), symbols))
        return compare_dumps(*sides)

    def changes(self, result):
        return {(e.id.partition(":")[2], e.change, e.rank) for e in result.entries}

    def test_nothing_changed(self):
        result = self.compare()
        self.assertEqual((result.entries, result.groups, result.exit_status), ([], [], 0))

    def test_a_class_with_its_members_and_what_takes_it_is_one_group(self):
        result = self.compare(remove=("cxx:c10::A", "cxx:c10::A::f(int)", "cxx:c10::use(c10::A)"))
        self.assertEqual([(g["rank"], g["count"]) for g in result.groups], [("break", 3)])
        self.assertEqual((result.groups[0]["title"], result.exit_status), ("c10::A: removed", 1))

    def test_an_enumerator_and_the_count_are_one_group(self):
        added = fact("cxx:c10::K::Two", "enumerator", value=1)
        result = self.compare(add=[added], change={"cxx:c10::K::NumOptions": {"value": 2}})
        self.assertEqual(self.changes(result), {("c10::K::Two", "enumerator_added", "adapt"), ("c10::K::NumOptions", "count", "adapt")})
        self.assertEqual((len(result.groups), result.exit_status), (1, 0))

    def test_callers_alone_need_not_change_for_what_fits_them(self):
        """The function is not virtual, so no class overrides it, and every call still compiles."""
        before = fact("cxx:c10::A::g()", "method", returns="void", parameters=[])
        for identity, change in (("cxx:c10::A::g() const", "const"), ("cxx:c10::A::g(int)", "optional_parameter_added")):
            extra = [{"name": "n", "type": "int", "default": "0"}] if "int" in identity else []
            sides = ({**{f["id"]: f for f in BASE}, f["id"]: f} for f in (before, {**before, "id": identity, "parameters": extra}))
            (entry,) = compare_dumps(*(Dump(HEAD, side) for side in sides)).entries
            self.assertEqual((entry.change, entry.rank), (change, "abi"))

    def test_a_reference_to_what_was_returned_by_value_is_for_the_linker(self):
        rows = (("T", "const T &", "", "abi"), ("const T &", "T", "", "abi"), ("T &", "const T &", "", "break"), ("T", "const T &", "virtual", "break"))
        for before, after, virtual, rank in rows:
            sides = ({"cxx:c10::g()": fact("cxx:c10::g()", "method", returns=returned, parameters=[], virtual=virtual)} for returned in (before, after))
            self.assertEqual([entry.rank for entry in compare_dumps(*(Dump(HEAD, side) for side in sides)).entries], [rank], (before, after))

    def test_other_words_for_one_value_are_no_change(self):
        rows = (("int(1 << 20)", "1 << 20", 0), ("is_same<A, B>::value", "is_same_v<A, B>", 0), ("int(1 << 20)", "1 << 21", 1), ("(1 + 2) * 3", "1 + 2 * 3", 1))
        for before, after, count in rows:
            sides = ({"cxx:c10::n": fact("cxx:c10::n", "variable", type="int", default=value)} for value in (before, after))
            self.assertEqual(len(compare_dumps(*(Dump(HEAD, side) for side in sides)).entries), count, before)

    def test_bodies_of_torchscripts_own_types_are_nobodys(self):
        for header, internal in (("ATen/core/jit_type.h", True), ("ATen/core/class_type.h", True), ("c10/core/Allocator.h", False)):
            sides = ({"cxx:c10::A::f()": {**fact("cxx:c10::A::f()", "method", returns="void", parameters=[], virtual="virtual", body=body), "header": header}}
                     for body in ("1", "2"))
            (entry,) = compare_dumps(*(Dump(HEAD, side) for side in sides)).entries
            self.assertEqual((entry.change, entry.internal), ("body", internal))

    def test_a_member_that_a_base_took_over_is_still_there(self):
        """The class is now written in C++. The old name is derived from it or imports it."""
        owner, kept = fact("py:torch.a.D", "pyclass"), fact("py:torch.a.D.dim", "pyattribute")
        base, taken = fact("py:torch.low.D", "pyclass"), fact("py:torch.low.D.dim", "pyattribute")
        derived, imported = fact("py:torch.a.D", "pyclass", bases=["torch.low.D"]), fact("py:torch.a.D", "pyimport", target="py:torch.low.D")
        for now, extra, removed in ((derived, [base, taken], 0), (fact("py:torch.a.D", "pyclass", bases=["torch.low.D[int]"]), [base, taken], 0), (imported, [base, taken], 0), (derived, [base], 1), (owner, [], 1)):
            old, new = ({f["id"]: f for f in side} for side in ([owner, kept, base], [now, *extra]))
            gone = [e.id for e in compare_dumps(Dump(HEAD, old), Dump(HEAD, new)).entries if e.id == kept["id"]]
            self.assertEqual(len(gone), removed, now)

    def test_an_operator_that_core_composes_above_autograd_now_is_news(self):
        old, new = ({"op:aten::f": fact("op:aten::f", "op", schema="f(Tensor self) -> Tensor", tags=[], computed=by)} for by in ("explicit", "implicit"))
        (entry,) = compare_dumps(Dump(HEAD, old), Dump(HEAD, new)).entries
        self.assertEqual((entry.change, entry.rank), ("computed", "behaviour"))

    def test_a_name_that_comes_along_with_all_of_another_module_is_still_there(self):
        def removed(*facts, stars=("py:torch.b",)):
            module = fact("py:torch.a", "module", stars=list(stars))
            old = {one["id"]: one for one in (fact("py:torch.a", "module"), fact("py:torch.a.f", "pyfunction", signature="()"))}
            entries = compare_dumps(Dump(HEAD, old), Dump(HEAD, {one["id"]: one for one in (module, *facts)})).entries
            return [entry.id for entry in entries if entry.change == "removed"]

        there, of_it = fact("py:torch.b", "module"), fact("py:torch.b.f", "pyfunction", signature="()")
        own = fact("py:torch.a.g", "pyfunction", signature="()")
        self.assertEqual(removed(there, of_it), [])
        self.assertEqual(removed(there), ["py:torch.a.f"])
        self.assertEqual(removed(), [], "a module of which no facts are known")
        self.assertEqual(removed(own), ["py:torch.a.f"], "and which is not all that this one is")
        self.assertEqual(removed(stars=()), ["py:torch.a.f"])
        by_way_of = fact("py:torch.c", "module", stars=["py:torch.b"])
        self.assertEqual(removed(there, of_it, by_way_of, stars=["py:torch.c"]), [])

    def test_what_python_says_in_other_words_is_no_change(self):
        cut, named = "(self, how=...)", "(self, type, value)"
        rows = (
            (fact("py:torch.a.E", "pyclass", bases=["B"]), {"bases": ["B[_T]"]}, 0),
            (fact("py:torch.a.E", "pyclass", bases=["B"]), {"bases": ["D[_T]"]}, 1),
            (fact("py:torch.a.E", "pyclass", bases=["Dict[str, int]"]), {"bases": ["dict[str, int]"]}, 0),
            (fact("py:torch.a.E", "pyclass", bases=["torch.b.B"]), {"bases": ["M", "B"]}, 0),
            (fact("py:torch.a.E", "pyclass", bases=["B", "str"]), {"bases": ["B"]}, 1),
            (fact("py:torch.a.E", "pyclass"), {"bases": ["M"]}, 0),
            # A base class from an extension module.
            (fact("py:torch.a.E", "pyclass", bases=["torch._C._B", "M"]), {"bases": ["M"]}, 0),
            (fact("py:torch.a.E.p", "pyattribute"), {"kind": "pymethod", "signature": "(self)", "decorators": ["property"]}, 0),
            (fact("py:torch.a.E.p", "pyattribute"), {"kind": "pymethod", "signature": "(self)"}, 1),
            (fact("py:torch.a.E", "pyattribute"), {"kind": "pyclass"}, 0),
            (fact("py:torch.a.f", "pyfunction", signature="(a=lambda x: True)"), {"signature": "(a=None)"}, 0),
            (fact("py:torch.a.f", "pyfunction", signature="(a=1)"), {"signature": "(a=None)"}, 1),
            (fact("py:torch.a.C.__exit__", "pymethod", signature=named), {"signature": "(self, *args)"}, 0),
            (fact("py:torch.a.E", "pyclass", bases=["Dict[str, int]"]), {"bases": ["list[int]"]}, 1),
            # The text of the default argument is unknown.
            (fact("py:torch.a.C.n", "pymethod", signature=cut), {"signature": "(self, how=1)"}, 0),
            (fact("py:torch.a.C.n", "pymethod", signature="(self, how=Ellipsis)"), {"signature": "(self, how=1)"}, 0),
            (fact("py:torch.a.C.__exit__", "pymethod", signature=named), {"signature": "(self, exc_type, exc_value)"}, 0),
            (fact("py:torch.a.C.__exit__", "pymethod", signature=named), {"signature": "(self, exc_type)"}, 1),
            (fact("py:torch.a.C.p", "pymethod", signature="(self, a, /, b)"), {"signature": "(self, other, /, b)"}, 0),
            (fact("py:torch.a.C.p", "pymethod", signature="(self, a, /, b)"), {"signature": "(self, a, b)"}, 0),
            (fact("py:torch.a.C.p", "pymethod", signature="(self, a, /, b)"), {"signature": "(self, other, /)"}, 1),
            (fact("py:torch.a.C.__init__", "pymethod", signature=named), {"signature": "(self, exc_type, exc_value)"}, 1),
        )
        for before, change, changed in rows:
            sides = ({before["id"]: f} for f in (before, {**before, **change}))
            found = [e for e in compare_dumps(*(Dump(HEAD, side) for side in sides)).entries if e.rank != "info"]
            self.assertEqual(bool(found), bool(changed), (before, change))

    def test_a_base_in_between_is_no_other_base(self):
        """The removal of a private base class is not reported if the base of that class stays."""
        b, between, hidden = (fact(f"py:torch.a.{name}", "pyclass", bases=bases) for name, bases in (("B", []), ("M", ["B"]), ("_H", ["B"])))
        for was, now, changed in ((["B"], ["M"], 0), (["_H"], ["B"], 0), (["M"], ["B"], 1)):
            sides = ([b, between, hidden, fact("py:torch.a.E", "pyclass", bases=bases)] for bases in (was, now))
            (entry,) = compare_dumps(*(Dump(HEAD, {f["id"]: f for f in side}) for side in sides)).entries
            self.assertEqual(entry.rank, "adapt" if changed else "info", (was, now))

    def test_two_underscores_are_private_unless_python_knows_the_name(self):
        for name, internal in (("__update", True), ("__len__", False)):
            gone = fact(f"py:torch.a.C.{name}", "pymethod", signature="(self)")
            (entry,) = compare_dumps(Dump(HEAD, {gone["id"]: gone}), Dump(HEAD, {})).entries
            self.assertEqual(entry.internal, internal, name)

    def test_rows_of_one_change(self):
        f = "cxx:c10::A::f(int)"
        rows = (
            ({f: {"virtual": "pure"}}, "became_pure", "break"),
            ({f: {"returns": "int"}}, "returns", "break"),
            ({f: {"access": "private"}}, "access_narrowed", "break"),
            ({f: {"deprecated": "go"}}, "deprecated", "deprecated"),
            ({f: {"parameters": [{"name": "x", "type": "int", "default": "1"}]}}, "default_added", "info"),
            ({f: {"parameters": [{"name": "y", "type": "int"}]}}, None, None),
            ({"cxx:c10::A": {"final": True}}, "final", "break"),
            ({"cxx:c10::A": {"bases": [{"name": "B", "access": "public"}]}}, "base_added", "abi"),
            ({"macro:M": {"parameters": ["a", "b"]}}, "macro_arity", "break"),
            ({"macro:M": {"parameters": ["z"]}}, None, None),
            ({"header:c10/a.h": {"error": "3: no"}}, "no_longer_parses", "break"),
            ({"op:aten::f": {"schema": "f(Tensor self, int a, int b=1) -> Tensor"}}, "schema_default", "adapt"),
            ({"op:aten::f": {"schema": "f(Tensor self) -> Tensor"}}, "schema", "break"),
            ({"op:aten::f": {"computed": "kernel"}}, "computed_kernel", "adapt"),
            ({"op:aten::f": {"computed": "explicit"}}, "computed", "info"),
            ({"py:torch.a.f": {"signature": "(a, b=1, *, c=2, d)"}}, "required_argument", "break"),
            ({"py:torch.a.f": {"signature": "(a, b=1, *, c=2, d=0)"}}, "optional_argument", "info"),
            ({"py:torch.a.f": {"signature": "(a, b=1)"}}, "argument_removed", "break"),
            ({"py:torch.a.f": {"signature": "(b, a=1, *, c=2)"}}, "argument_order", "break"),
            ({"py:torch.a.f": {"signature": "(a, b=2, *, c=2)"}}, "argument_default", "behaviour"),
            ({"py:torch.a.f": {"signature": "(a, /, b=1, *, c=2)"}}, "positional_only", "break"),
            ({"py:torch.a.f": {"signature": "(a, b=1, /, *, c=2)"}}, "positional_only", "break"),
            ({"py:torch.a.C.m": {"decorators": ["property"]}}, "binding", "break"),
        )
        for change, expected, rank in rows:
            with self.subTest(change):
                found = self.compare(change=change).entries
                if expected is None:
                    self.assertEqual([], found)
                else:
                    self.assertIn((expected, rank), [(e.change, e.rank) for e in found])

    def test_a_method_that_moved_into_a_base_is_still_there(self):
        result = self.compare(remove=("py:torch.a.C.m",), add=[fact("py:torch.a.B.m", "pymethod", signature="(self)")])
        self.assertEqual({c for _, c, _ in self.changes(result)}, {"added"})

    def test_a_symbol_that_a_header_still_declares_is_a_break(self):
        result = self.compare(symbols=("_Z1 _Z2", ""))
        self.assertEqual(self.changes(result), {("c10::A::f(int)", "not_exported", "break"), ("_Z2", "symbol_gone", "abi")})

    def test_a_function_that_the_header_defines_needs_no_library(self):
        key = "cxx:c10::A::f(int)"
        self.assertEqual(self.changes(self.compare(symbols=("_Z1", ""), change={key: {"inline": True}})), set())

    def test_what_ctags_still_sees_is_behind_a_condition(self):
        seen = {**fact("cxx:c10::use", "function"), "seen": "ctags"}
        result = self.compare(remove=("cxx:c10::use(c10::A)",), add=[seen])
        self.assertEqual(self.changes(result), {("c10::use(c10::A)", "inactive", "break")})

    def test_an_overload_goes_while_the_name_stays(self):
        """Of two overloads, the deprecated overload is removed. The other overload is unchanged."""
        two, one = "cxx:c10::isFloat(c10::K)", "cxx:c10::isFloat(c10::K, bool)"
        overloads = [fact(id, "function", returns="bool", parameters=[], deprecated="" if id == one else "say whether") for id in (two, one)]
        sides = ({f["id"]: f for f in [*BASE, *overloads[at:]]} for at in (0, 1))
        result = compare_dumps(*(Dump(HEAD, side) for side in sides))
        self.assertEqual(self.changes(result), {("c10::isFloat(c10::K)", "removed", "break")})

    def test_an_argument_that_slides_into_a_new_parameter_compiles(self):
        """f(unsigned seed = 1) becomes f(int how, unsigned seed = 1): the call f(seed) gets another meaning. Without
        the default or with another type, the call breaks."""
        seed, how, name = ({"name": n, "type": t} for n, t in (("seed", "unsigned int"), ("how", "int"), ("name", "const char *")))
        defaulted = {**seed, "default": "1"}
        rows = ((defaulted, [how, defaulted], "parameter_slides", "break"), (seed, [how, seed], "parameter_added", "break"),
                (defaulted, [name, defaulted], "parameter_added", "break"), (defaulted, [how, seed], "parameter_added", "break"))  # fmt: skip
        for before, after, change, rank in rows:
            sides = [{f["id"]: f for f in [*BASE, fact(f"cxx:c10::f({', '.join(p['type'] for p in own)})", "function", returns="int", parameters=own)]}
                     for own in ([before], after)]  # fmt: skip
            result = compare_dumps(*(Dump(HEAD, side) for side in sides))
            self.assertIn((change, rank), [(e.change, e.rank) for e in result.entries], after)
            self.assertEqual("default_removed" in [e.change for e in result.entries], after[-1] == seed and before == defaulted)

    def test_a_new_virtual_says_whether_its_default_refuses(self):
        for more, change in (({"throws": True}, "virtual_refuses"), ({}, "virtual_added")):
            new = fact("cxx:c10::A::g()", "method", returns="void", parameters=[], virtual="virtual", **more)
            self.assertEqual(self.changes(self.compare(add=[new])), {("c10::A::g()", change, "adapt")})

    def test_an_override_that_went_leaves_its_base(self):
        derived = [fact("cxx:c10::D", "class", tag="struct", bases=[{"name": "c10::A", "access": "public"}])]
        override = fact("cxx:c10::D::f(int)", "method", returns="void", virtual="override", overrides=["c10::A::f(int)"])
        sides = ({f["id"]: f for f in [*BASE, *derived, *more]} for more in ([override], []))
        self.assertEqual(compare_dumps(*(Dump(HEAD, side) for side in sides)).entries, [])

    def test_what_becomes_a_thing_alike_must_be_looked_at(self):
        alias = fact("cxx:c10::A", "alias", target="c10::B", canonical="c10::B")
        result = self.compare(remove=("cxx:c10::A", "cxx:c10::A::f(int)"), add=[alias])
        self.assertEqual(self.changes(result), {("c10::A", "kind_alike", "adapt")})

    def test_a_header_that_nobody_brings_along_any_more_is_still_there(self):
        umbrella = fact("header:c10/all.h", "header", includes=["c10/a.h"], integration=True)
        sides = [{f["id"]: f for f in [*BASE, umbrella]}, {f["id"]: f for f in [BASE[0], {**umbrella, "includes": []}]}]
        result = compare_dumps(*(Dump({**HEAD, "sections": ["cxx"]}, side) for side in sides))
        self.assertIn(("c10::A", "unreached", "break"), self.changes(result))
        self.assertEqual({e.change for e in result.entries}, {"unreached"})
        self.assertIn("Include c10/a.h", result.entries[0].advice)

    def test_what_pytorch_is_compiled_with_is_told_where_both_sides_say_it(self):
        def built(name, value):
            return {f"build:{name}": fact(f"build:{name}", "build", value=value)}

        rows = (("cxx_standard", "17", "20", ("cxx_standard", "adapt")), ("cxx_standard", "20", "17", ("lower_standard", "info")),
                ("cxx11_abi", "0", "1", ("library_abi", "adapt")), ("cxx11_abi", "1", "1", None), ("cxx_standard", "17", None, None))  # fmt: skip
        for name, was, now, expected in rows:
            result = compare_dumps(Dump(HEAD, built(name, was)), Dump(HEAD, built(name, now) if now else {}))
            self.assertEqual([(e.change, e.rank) for e in result.entries], [expected] if expected else [], (name, was, now))
            jsonschema.validate(as_json(result), json.loads(SCHEMA.read_text()))

    def test_operator_of_a_library_is_compared_where_both_sides_have_some(self):
        def own(**schemas):
            return [fact(f"op:c10d::{name}", "op", schema=f"c10d::{name}({schema}) -> ()", tags=[], computed="kernel", defined_in="libtorch_cpu") for name, schema in schemas.items()]

        head = {**HEAD, "sections": ["ops"]}
        for old, new, expected in (
            (own(f="int a", g=""), own(f="int b", g=""), [("c10d::f", "schema")]), (own(f="", g=""), own(g=""), [("c10d::f", "removed")]), (own(f=""), [], []),
            ([], own(f=""), []), (own(g=""), own(f="", g=""), [("c10d::f", "added")]),
        ):  # fmt: skip
            result = compare_dumps(*(Dump(head, {one["id"]: one for one in side}) for side in (old, new)))
            self.assertEqual([(entry.name, entry.change) for entry in result.entries], expected)

    def test_a_header_that_brings_along_less_is_told_once(self):
        """Reports the header that dropped the include, not all headers that include it."""
        def headers(*includes):
            rows = {"c10/a.h": [], "c10/b.h": ["c10/c.h", *includes], "c10/c.h": [], "c10/top.h": ["c10/b.h"]}
            return {f"header:{name}": fact(f"header:{name}", "header", integration=True, header=name, includes=found) for name, found in rows.items()}

        result = compare_dumps(Dump(HEAD, headers("c10/a.h")), Dump(HEAD, headers()))
        self.assertEqual([(e.name, e.change, e.rank, e.after) for e in result.entries], [("c10/b.h", "brings_less", "info", "c10/a.h")])

    def test_a_template_that_lost_an_argument_is_one_group_wherever_it_is_named(self):
        def registries(argument):
            return {f"cxx:at::{name}Hooks()": fact(f"cxx:at::{name}Hooks()", "function", parameters=[],
                    returns=f"c10::Registry<std::string, std::unique_ptr<at::{name}>{argument(name)}> *") for name in ("A", "B")}  # fmt: skip

        sides = (registries(lambda name: f", at::{name}Args"), registries(lambda name: ""))
        result = compare_dumps(*(Dump(HEAD, side) for side in sides))
        self.assertEqual([group["count"] for group in result.groups], [2])

    def test_one_type_for_another_is_one_group_inside_other_types_too(self):
        def holders(pointer):
            return {name: fact(name, "function", parameters=[], returns=kind) for name, kind in (
                ("cxx:at::one()", f"std::{pointer}<at::N>"), ("cxx:at::many()", f"std::vector<std::{pointer}<at::N>>"))}  # fmt: skip

        result = compare_dumps(*(Dump(HEAD, holders(pointer)) for pointer in ("shared_ptr", "unique_ptr")))
        self.assertEqual([group["count"] for group in result.groups], [2])

    def test_what_a_module_imports_for_itself_is_nobodys_interface(self):
        own = fact("py:torch.a.Tuple", "pyimport", target="py:typing.Tuple")
        sides = [{f["id"]: f for f in [*BASE, *more]} for more in ([own], [])]
        (entry,) = compare_dumps(*(Dump(HEAD, side) for side in sides)).entries
        self.assertTrue(entry.internal)

    def test_removed_command_line_program_is_information_except_for_backends_that_import_it(self):
        names = ("tool", "tool.__main__", "tool.__main__.main", "library", "library.__main__", "library.f")
        old = [fact(f"py:torch.{name}", "pyfunction" if name[-1] in "fn" else "module", signature="()") for name in names]
        result = compare_dumps(Dump(HEAD, {one["id"]: one for one in old}), Dump(HEAD, {}))
        ranks = {entry.name.removeprefix("torch."): entry.rank for entry in result.entries}
        self.assertEqual(ranks, {**dict.fromkeys(names, "info"), "library": "break", "library.f": "break"})
        (backend,) = cross(result.entries, [{"name": "b", "entries": [{"id": "py:torch.tool", "ways": {"name": ["python"]}}]}])
        self.assertEqual(backend["breaks"], 1)

    def test_dumps_with_other_macros_are_not_compared(self):
        other = {**HEAD, "macros": ["USE_CUDA"]}
        with self.assertRaisesRegex(Refused, "different macros"):
            compare_dumps(Dump(HEAD, {}), Dump(other, {}))

    def test_a_section_of_one_side_alone_is_undecided(self):
        result = compare_dumps(Dump(HEAD, {}), Dump({**HEAD, "sections": ["cxx"]}, {}))
        self.assertEqual((len(result.undecided), result.exit_status), (3, 2))

    def test_every_change_has_a_rank_and_its_sentence_can_be_said(self):
        for name, change in CHANGES.items():
            self.assertIn(change.rank, RANKS, name)
            self.assertLessEqual(set(change.hits.values()), set(RANKS), name)
            change.advice.format(name="n", leaf="l", owner="o", before="b", after="a")

    def test_json_has_what_the_schema_asks_for(self):
        document = as_json(self.compare(remove=("macro:M",)))
        jsonschema.validate(document, json.loads(SCHEMA.read_text()))
        self.assertEqual(document["schema"], "assay/drift/1")
        self.assertEqual(document["entries"][0]["name"], "M")
        self.assertEqual(document["groups"][0]["count"], 1)


if __name__ == "__main__":
    unittest.main()
