# SPDX-License-Identifier: BSD-3-Clause
"""Tests changes that do not affect existing code: other spellings of a number or name, and calls that still compile."""

import ast
import unittest

from assay.drift.compare_python import entry
from assay.drift.result import compare_dumps
from assay.facts.dump import Dump
from assay.facts.pyfacts import Reader
from compare_test import HEAD
from elsewhere_test import fact, function


def python(name, kind, **more):
    return {"id": f"py:torch.{name}", "kind": kind, "module": "torch/a.py", "line": 1, **more}


def breaks(old, new):
    result = compare_dumps(*(Dump(HEAD, {one["id"]: one for one in side}) for side in (old, new)))
    return [one.change for one in result.entries if one.rank in ("break", "adapt", "behaviour")]


class Cxx(unittest.TestCase):
    def test_a_whole_number_is_taken_as_a_wider_one(self):
        for was, now, is_news in (("int", "long", False), ("int", "unsigned long", False), ("long", "int", True), ("int", "float", True), ("int", "bool", True)):
            self.assertEqual(is_news, bool(breaks([function("c10::f", was)], [function("c10::f", now)])), (was, now))

    def test_a_pointer_is_taken_as_one_that_is_only_read(self):
        for was, now, is_news in (("void *", "const void *", False), ("const void *", "void *", True)):
            self.assertEqual(is_news, bool(breaks([function("c10::f", was)], [function("c10::f", now)])), (was, now))

    def test_a_macro_that_takes_any_rest_takes_the_old_calls(self):
        rest = [".", ".", "."]
        for was, now, is_news in ((["a", "b"], rest, False), (["a", "b"], ["a", *rest], False), (["a"], ["a", "b", *rest], True), (rest, ["a"], True)):
            old, new = ({"id": "macro:M", "kind": "macro", "header": "a.h", "line": 1, "parameters": one, "body": "x"} for one in (was, now))
            self.assertEqual(is_news, bool(breaks([old], [new])), (was, now))

    def test_an_override_has_to_be_written_anew(self):
        one, other = (function("c10::A::f", kind, kind="method", virtual="virtual") for kind in ("int", "long"))
        self.assertTrue(breaks([one], [other]))

    def test_names_that_stood_for_those_of_the_standard_are_these(self):
        for now, is_news in (("std::nullopt", False), ("::std::nullopt", False), ("5", True)):
            old, new = (fact("c10::A::x", "field", type="Kind", default=value) for value in ("c10::nullopt", now))
            self.assertEqual(is_news, bool(breaks([old], [new])), now)

    def test_a_trait_by_its_short_name_is_the_same_trait(self):
        for was, now, is_news in (("typename std::enable_if<A>::type", "std::enable_if_t<A>", False), ("std::enable_if_t<A>", "std::enable_if_t<B>", True)):
            old, new = (fact("c10::x", "alias", target=target, canonical=target) for target in (was, now))
            self.assertEqual(is_news, bool(breaks([old], [new])), (was, now))

    def test_a_condition_by_another_spelling_is_the_same_condition(self):
        is_same = "!std::is_same<typename std::remove_reference<F>::type, T>::value"
        long, short = f"typename enable_if<{is_same}, void>::type *", "std::enable_if_t<!std::is_same_v<std::remove_reference_t<F>, T>> *"
        for was, now, is_news in ((long, short, False), (long, short.replace("!", ""), True), (long, short.replace("> *", ", int> *"), True)):
            old, new = (function("c10::f", kind, template="typename F, typename T") for kind in (was, now))
            self.assertEqual(is_news, bool(breaks([old], [new])), (was, now))

    def test_a_result_that_lost_its_condition_or_its_name_is_the_same_result(self):
        conditional = "std::enable_if_t<std::is_same<A, B>::value, c10::A &>"
        for was, now, is_news in ((conditional, "c10::A &", False), ("c10::A &", conditional, True), ("c10::A", "auto", False), ("auto", "c10::A", True)):
            old, new = (function("c10::f", "int", returns=kind) for kind in (was, now))
            self.assertEqual(is_news, bool(breaks([old], [new])), (was, now))

    def test_a_condition_that_moved_from_the_result_is_the_same_condition(self):
        condition = "std::enable_if_t<A, {}>"
        old = function("c10::f", "int", returns=condition.format("c10::B"), template="typename A")
        for more, is_news in ((f", {condition.format('int')} = 0", False), (", typename C", True)):
            self.assertEqual(is_news, bool(breaks([old], [{**old, "returns": "c10::B", "template": f"typename A{more}"}])), more)

    def test_a_forwarded_argument_takes_what_a_copied_one_took(self):
        one = "type-parameter-0-0"
        for was, now, is_news in ((one, f"{one} &&", False), (one, f"{one} &", True)):
            old, new = (function("c10::f", kind, template="typename F") for kind in (was, now))
            self.assertEqual(is_news, bool(breaks([old], [new])), (was, now))

    def test_a_value_that_is_handed_out_by_reference_is_taken_as_before(self):
        for was, now, is_news in (("const c10::A", "const c10::A &", False), ("const c10::A &", "c10::A &", False), ("c10::A &", "const c10::A &", True)):
            old, new = (function("c10::f", "int", returns=kind) for kind in (was, now))
            self.assertEqual(is_news, bool(breaks([old], [new])), (was, now))

    def test_a_field_of_more_or_of_wider_numbers_holds_what_it_held(self):
        for was, now, is_news in (("int", "unsigned long", False), ("const int[26]", "const int[28]", False), ("long", "int", True), ("int[2]", "long[2]", True)):
            old, new = (fact("c10::A::x", "field", type=kind) for kind in (was, now))
            self.assertEqual(is_news, bool(breaks([old], [new])), (was, now))

    def test_a_name_of_a_value_among_the_parameters_of_a_template_is_nobodys(self):
        for now, is_news in (("typename T, bool", False), ("typename T, int", True)):
            old, new = (fact("c10::A", "class", template=one) for one in ("typename T, bool is_cuda", now))
            self.assertEqual(is_news, bool(breaks([old], [new])), now)

    def test_a_function_of_a_hidden_type_is_hidden(self):
        for kind, is_hidden in (("c10::guts::detail::Dummy", True), ("c10::Detail", False)):
            (one,) = compare_dumps(Dump(HEAD, {"cxx:c10::f": function("c10::f", kind)}), Dump(HEAD, {})).entries
            self.assertEqual(is_hidden, one.internal, kind)

    def test_operators_of_other_backends_and_scopes_of_details_are_hidden(self):
        for name, is_hidden in (("at::native::lstm_mps_backward", True), ("c10::enforce_detail::f", True), ("c10::detail_::f", True), ("c10::compress", False)):
            (one,) = compare_dumps(Dump(HEAD, {f"cxx:{name}": function(name)}), Dump(HEAD, {})).entries
            self.assertEqual(is_hidden, one.internal, name)

    def test_no_destructor_throws_anyway(self):
        old = fact("c10::A::~A()", "destructor", virtual="virtual")
        self.assertEqual([], breaks([old], [{**old, "noexcept": True}]))


    def test_a_base_that_only_holds_names_is_none(self):
        for name, is_news in (("std::iterator<std::input_iterator_tag, int>", False), ("c10::Base", True)):
            old = fact("c10::A", "class", bases=[{"name": name, "access": "public"}])
            self.assertEqual(is_news, bool(breaks([old], [fact("c10::A", "class", bases=[])])), name)

    def test_sizes_that_may_be_symbols_are_given_as_numbers(self):
        for was, now, is_news in (("int[] size", "SymInt[] size", False), ("SymInt[] size", "int[] size", True), ("int n", "float n", True)):
            old, new = ({"id": "op:aten::f", "kind": "op", "header": "native_functions.yaml", "line": 1, "schema": f"f({one}) -> Tensor", "computed": "kernel", "tags": []}
                        for one in (was, now))
            self.assertEqual(is_news, bool(breaks([old], [new])), now)


class Python(unittest.TestCase):
    def test_a_default_of_the_same_number_is_the_same(self):
        for now, is_news in (("0.0", False), ("False", True), ("1", True)):
            old, new = (python("f", "pyfunction", signature=f"(a, b={value})") for value in ("0", now))
            self.assertEqual(is_news, bool(breaks([old], [new])), now)

    def test_a_name_that_got_a_place_is_still_a_name(self):
        for now, is_news in (("(a, b, c)", False), ("(b, a, *, c)", True), ("(a, c, b)", True)):
            old, new = (python("f", "pyfunction", signature=one) for one in ("(a, b, *, c)", now))
            self.assertEqual(is_news, bool(breaks([old], [new])), now)

    def test_a_class_that_is_made_as_the_function_was_called(self):
        old = python("f", "pyfunction", signature="(flags)")
        for signature, is_news in (("(self, flags)", False), ("(self, flags, more=1)", False), ("(self, flags, more)", True), ("(self)", True)):
            new = [python("f", "pyclass"), python("f.__init__", "pymethod", signature=signature)]
            self.assertEqual(is_news, bool(breaks([old], new)), signature)

    def test_a_base_that_only_has_parameters_is_none(self):
        old, new = (python("C", "pyclass", bases=bases) for bases in (["list", "Generic[T]"], ["List[T]"]))
        self.assertEqual([], breaks([old], [new]))

    def test_all_of_torch_that_a_package_imports_is_no_name_of_it(self):
        for target, is_internal in (("py:torch", True), ("py:torch.b.C", False)):
            self.assertEqual(is_internal, entry({**python("a.torch", "pyimport", target=target), "module": "torch/a/__init__.py"}, "removed").internal)

    def test_a_default_that_stood_for_none_was_no_default(self):
        for was, is_news in (("required", False), ("1", True)):
            old, new = (python("f", "pyfunction", signature=f"(lr={value})") for value in (was, "0.001"))
            self.assertEqual(is_news, bool(breaks([old], [new])), was)

    def test_an_attribute_that_held_a_function_is_one_now(self):
        for value, is_news in ({"value": "3"}, True), ({}, False):
            self.assertEqual(is_news, bool(breaks([python("f", "pyattribute", **value)], [python("f", "pyfunction", signature="(x)")])), value)

    def test_what_a_base_of_the_standard_library_has_is_still_there(self):
        old = [python("C", "pyclass", bases=["Dataset"]), python("C.__iter__", "pymethod", signature="(self)")]
        for base, is_news in (("Iterable[T]", False), ("Sized", True)):
            self.assertEqual(is_news, "removed" in breaks(old, [python("C", "pyclass", bases=["Dataset", base])]), base)

    def test_one_default_of_a_module_is_one_group(self):
        old, new = ([python(f"{name}.__init__", "pymethod", signature=f"(self, verbose={value})") for name in "AB"] for value in ("False", "'deprecated'"))
        result = compare_dumps(*(Dump(HEAD, {one["id"]: one for one in side}) for side in (old, new)))
        self.assertEqual(len(result.groups), 1)

    def test_members_of_a_class_that_is_imported_now_are_unknown(self):
        old = [python("a.C", "pyclass"), python("a.C.m", "pymethod", signature="(self)")]
        self.assertEqual([], breaks(old, [python("a.C", "pyimport", target="py:torch.ao.C")]))
        self.assertIn("removed", breaks(old, [old[0]]))

    def test_nobody_calls_a_finalizer_nor_names_an_argument_of_exit(self):
        self.assertEqual([], breaks([python("C", "pyclass"), python("C.__del__", "pymethod", signature="(self)")], [python("C", "pyclass")]))
        old, new = (python("C.__exit__", "pymethod", signature=one) for one in ("(self, *args)", "(self, kind, value, trace)"))
        self.assertEqual([], breaks([old], [new]))

    def test_a_module_that_is_imported_when_somebody_asks_is_still_there(self):
        old, lazy = python("a.b", "pyimport", target="py:torch.a.b"), python("a.__getattr__", "pyfunction", signature="(name)")
        old["module"] = lazy["module"] = "torch/a/__init__.py"
        for new, is_news in (([lazy], False), ([], True)):
            self.assertEqual(is_news, bool(breaks([old], new)))

    def test_a_name_for_type_checkers_alone_is_none(self):
        for test, names in (("TYPE_CHECKING", ["g"]), ("not TYPE_CHECKING", ["f"])):
            reader = Reader("torch/a.py", "torch.a")
            reader.body(ast.parse(f"""
if {test}:
    def f(a): ...
else:
    def g(b): pass
""").body, "torch.a")
            self.assertEqual([f"py:torch.a.{name}" for name in names], list(reader.facts))

    def test_what_is_written_for_type_checkers_is_not_the_function(self):
        reader = Reader("torch/a.py", "torch.a")
        reader.body(ast.parse("""
@_overload
def f(a, b): ...
def f(*a): pass
class C:
    @overload
    def m(self, a): ...
    def m(self, *a): pass
""").body, "torch.a")
        self.assertEqual(["(*a)", "(self, *a)"], [one["signature"] for one in reader.facts.values() if "signature" in one])


if __name__ == "__main__":
    unittest.main()
