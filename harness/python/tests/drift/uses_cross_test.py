# SPDX-License-Identifier: BSD-3-Clause
"""Tests which uses a change affects, and how severely. Each row comes from a real adaptation of a backend."""

import time
import unittest

from assay.drift.cross import cross
from assay.drift.entry import Entry
from assay.facts.dump import Dump

COPY = "cxx:c10::Allocator::copy_data(void *, const void *, unsigned long) const"
RECORD = "cxx:torch::ProfilerStubs::record(int *) const"


def use(id, *ways, **more):
    by = "python" if id.startswith("py:") else "binary" if id.startswith("symbol:") else "source"
    return {"id": id, "ways": {way: [by] for way in ways}, **more}


def document(*uses, name="backend"):
    return {"schema": "assay/uses/1", "name": name, "torch": ["2.13.0"], "entries": list(uses)}


def changed(id, change, kind="method", **more):
    return Entry(id=id, kind=kind, change=change, **more)


class Cross(unittest.TestCase):
    def verdict(self, entry, *uses, old=None, new=None):
        """Returns breaks, look or safe."""
        (backend,) = cross([entry], [document(*uses)], old, new)
        verdicts = {made["verdict"] for made in backend["entries"]}
        return "breaks" if "breaks" in verdicts else "look" if verdicts else "safe"

    def check(self, expected, entry, *uses, old=None, new=None):
        self.assertEqual(self.verdict(entry, *uses, old=old, new=new), expected, (entry.id, entry.change, uses))

    def test_new_pure_virtual_breaks_whoever_derives(self):
        entry = changed(COPY, "pure_virtual_added")
        self.check("breaks", entry, use("cxx:c10::Allocator", "derive"))
        self.check("breaks", entry, use("cxx:c10::Allocator", "derive", flags=["indirect"]))
        self.check("safe", entry, use("cxx:c10::Allocator", "name"))
        self.check("safe", entry, use("cxx:c10::DataPtr", "derive"))

    def known_by(self, use, by):
        return {**use, "ways": {way: [by] for way in use["ways"]}}

    def test_base_of_a_base_counts_where_a_library_names_the_nearest(self):
        rows = [{"id": "cxx:c10::Near", "kind": "class", "bases": [{"name": "c10::Allocator<int>", "access": "public"}]},
                {"id": "cxx:c10::Allocator", "kind": "class", "bases": [{"name": "c10::Near", "access": "public"}]}]  # fmt: skip
        old = Dump({"sections": []}, {row["id"]: row for row in rows})
        entry = changed(COPY, "pure_virtual_added")
        self.check("breaks", entry, self.known_by(use("cxx:c10::Near", "derive"), "binary"), old=old)
        self.check("safe", entry, self.known_by(use("cxx:c10::Near", "name"), "binary"), old=old)

    def test_class_that_may_be_pytorchs_is_to_look_at(self):
        unsure = self.known_by(use("cxx:c10::Allocator", "derive", flags=["unsure"]), "binary")
        self.check("look", changed(COPY, "pure_virtual_added"), unsure)

    def test_library_does_not_tell_whether_it_overrides(self):
        derives = self.known_by(use("cxx:c10::Allocator", "derive"), "binary")
        for change in ("became_pure", "signature", "no_longer_virtual"):
            entry = changed(COPY, change, before="virtual void copy_data() = 0")
            self.check("look" if change == "became_pure" else "safe", entry, derives)

    def unknown_of(self, entries, *uses, old=None):
        (backend,) = cross(entries, [document(*uses)], old)
        return backend["unknown"]

    def test_what_leaves_no_trace_in_a_library_is_unknown_and_not_safe(self):
        fact = {"id": "cxx:c10::exported()", "kind": "function", "symbol": "_ZN3c108exportedEv"}
        old = Dump({"sections": []}, {fact["id"]: fact})
        entries = [changed("cxx:c10::Stats::peak", "removed", "field"), changed("macro:TORCH_X", "macro_arity", "macro"),
                   changed("cxx:c10::inlined()", "removed", "function"), changed("cxx:c10::_own()", "removed", "function", internal=True),
                   changed(fact["id"], "removed", "function"), changed(COPY, "pure_virtual_added"), changed("cxx:c10::new", "added", "function"),
                   changed("py:torch.load", "removed", "pyfunction")]  # fmt: skip
        imported = use("symbol:_ZN3c105otherEv", "import")
        self.assertEqual(self.unknown_of(entries, imported, old=old), 3)
        # With sources, the use is known.
        self.assertEqual(self.unknown_of(entries, imported, use("cxx:c10::Stats", "name"), old=old), 0)
        # A backend written only in Python.
        self.assertEqual(self.unknown_of(entries, use("py:torch.load", "call"), old=old), 0)

    def test_library_without_types_leaves_new_pure_virtuals_unknown(self):
        entry, imported = changed(COPY, "pure_virtual_added"), use("symbol:_ZN3c105otherEv", "import")
        for untold, count in (({}, 0), ({"untold": ["derive"]}, 1)):
            (backend,) = cross([entry], [{**document(imported), **untold}])
            self.assertEqual(backend["unknown"], count)

    def test_what_a_header_brought_along_must_be_included(self):
        """Affects only backends that use an entity of the header and do not include the header in another way."""
        def sides(*includes):
            rows = {"c10/a.h": [], "c10/b.h": ["c10/c.h", *includes], "c10/c.h": [], "c10/other.h": ["c10/a.h"]}
            facts = [{"id": f"header:{name}", "kind": "header", "header": name, "includes": found} for name, found in rows.items()]
            return Dump({}, {fact["id"]: fact for fact in [*facts, {"id": "cxx:c10::A", "kind": "class", "header": "c10/a.h"}]})

        entry = changed("header:c10/b.h", "brings_less", "header", header="c10/b.h", causes={"lost:c10/a.h"})
        b, named = use("header:c10/b.h", "include"), use("cxx:c10::A", "name")
        for uses, count in (([b, named], 1), ([b], 0), ([named], 0), ([b, named, use("header:c10/other.h", "include")], 0),
                            ([b, named, use("header:c10/a.h", "include")], 0)):  # fmt: skip
            (backend,) = cross([entry], [document(*uses)], sides("c10/a.h"), sides())
            self.assertEqual([made["verdict"] for made in backend["entries"]], ["look"] * count, uses)

    def test_another_standard_concerns_whoever_includes(self):
        entry = changed("build:cxx_standard", "cxx_standard", "build", before="17", after="20")
        self.check("look", entry, use("header:c10/b.h", "include"))
        self.check("safe", entry, use("py:torch.load", "call", "import"))

    def test_a_floor_of_the_standard_breaks_what_is_compiled_below_it(self):
        including = use("header:c10/b.h", "include")
        for change, standard, expected in (
            ("cxx_floor", "17", ["breaks"]),
            ("cxx_floor", "20", []),
            ("cxx_floor", None, ["look"]),
            ("cxx_standard", "17", ["look"]),
            ("cxx_standard", "23", []),
        ):
            entry = changed(f"build:{change}", change, "build", before="17", after="20")
            (backend,) = cross([entry], [{**document(including), **({"standard": standard} if standard else {})}])
            self.assertEqual([made["verdict"] for made in backend["entries"]], expected, (change, standard))

    def test_new_virtual_with_a_default_is_to_look_at(self):
        self.check("look", changed(COPY, "virtual_added"), use("cxx:c10::Allocator", "derive"))

    def test_member_that_went_concerns_those_who_named_it(self):
        self.check("safe", changed(COPY, "removed"), use("cxx:c10::Allocator", "derive"))
        self.check("safe", changed("py:torch._tensor.Tensor.rename", "removed", "pymethod"), use("py:torch._tensor.Tensor", "subclass"))

    def test_pure_now_breaks_only_who_leaned_on_the_default(self):
        entry, derives = changed(COPY, "became_pure"), use("cxx:c10::Allocator", "derive")
        self.check("breaks", entry, derives)
        self.check("safe", entry, derives, use(COPY, "override"))

    def test_override_breaks_when_the_compiler_is_asked(self):
        entry = changed(RECORD, "signature", before="virtual void record(int *) const")
        self.check("breaks", entry, use(RECORD, "override"))
        self.check("look", entry, use(RECORD, "override", flags=["no_override"]))

    def test_override_of_a_pure_function_leaves_the_class_abstract(self):
        entry = changed(RECORD, "const", before="virtual void record(int *) const = 0")
        self.check("breaks", entry, use(RECORD, "override", flags=["no_override"]))

    def test_call_may_still_compile_when_its_argument_slides_into_a_new_parameter(self):
        entry = changed("cxx:at::createCPUGenerator(unsigned long)", "parameter_slides", "function")
        self.check("look", entry, use("cxx:at::createCPUGenerator(unsigned long)", "call"))
        self.check("breaks", entry, use("cxx:at::createCPUGenerator(unsigned long)", "address"))

    def test_other_overload_is_safe(self):
        self.check("safe", changed("cxx:c10::isIntegralType(c10::ScalarType)", "removed", "function"),
                   use("cxx:c10::isIntegralType(c10::ScalarType, bool)", "call"))
        self.check("breaks", changed("cxx:c10::isIntegralType(c10::ScalarType)", "removed", "function"),
                   use("cxx:c10::isIntegralType", "call"))  # the overload is not known

    def test_enumerator_concerns_tables_and_switches(self):
        entry = changed("cxx:c10::ScalarType::UInt16", "enumerator_added", "enumerator")
        self.check("look", entry, use("cxx:c10::ScalarType", "switch", "name"))
        self.check("safe", entry, use("cxx:c10::ScalarType", "name"))

    def test_what_is_inside_goes_along(self):
        self.check("breaks", changed("cxx:at::Dimname", "removed", "class"), use("cxx:at::Dimname::symbol() const", "call"))
        self.check("safe", changed("cxx:at::Dim", "removed", "class"), use("cxx:at::Dimname::symbol() const", "call"))

    def test_new_name_collides_with_the_backends_own(self):
        self.check("breaks", changed("macro:DEVICE_COUNT", "added", "macro"), use("macro:DEVICE_COUNT", "define"))
        self.check("breaks", changed("cxx:c10::DEVICE_COUNT", "added", "variable"), use("macro:DEVICE_COUNT", "define"))
        self.check("look", changed("cxx:at::native::helper(int)", "added", "function"), use("cxx:at::native::helper", "define"))
        self.check("look", changed("cxx:c10::Allocator::trim()", "virtual_added"), use("cxx:c10::Allocator::trim", "define"))
        self.check("safe", changed("cxx:at::native::other(int)", "added", "function"), use("cxx:at::native::helper", "define"))

    def test_braces_notice_a_new_field(self):
        entry = changed("cxx:c10::Stats::peak", "field_added", "field")
        self.check("look", entry, use("cxx:c10::Stats", "aggregate"))
        self.check("safe", entry, use("cxx:c10::Stats", "name"))

    def test_base_that_went_or_changed_concerns_who_derives(self):
        entry = changed("cxx:c10::Allocator", "base_removed", "class", before="c10::Base")
        self.check("breaks", entry, use("cxx:c10::Allocator", "derive"))
        self.check("safe", entry, use("cxx:c10::DataPtr", "derive"))

    def test_field_concerns_who_reads_it(self):
        self.check("breaks", changed("cxx:c10::Stats::peak", "removed", "field"), use("cxx:c10::Stats::peak", "field"))
        self.check("breaks", changed("cxx:c10::Stats::peak", "type", "field"), use("cxx:c10::Stats::peak", "field"))
        self.check("look", changed("cxx:c10::Stats::peak", "type_number", "field"), use("cxx:c10::Stats::peak", "field"))
        self.check("safe", changed("cxx:c10::Stats::peak", "removed", "field"), use("cxx:c10::Stats", "name"))

    def test_new_virtual_that_refuses_is_no_safe_addition(self):
        (backend,) = cross([changed(COPY, "virtual_refuses")], [document(use("cxx:c10::Allocator", "derive"))])
        (entry,) = backend["entries"]
        self.assertEqual(entry["verdict"], "look")
        self.assertIn("the default of c10::Allocator refuses", entry["reason"])

    def test_function_found_by_its_arguments_is_lost_when_their_type_moves(self):
        found = use("cxx:c10::isFloat(c10::Kind)", "call", flags=["adl"])
        moved = changed("cxx:c10::isFloat(c10::Kind)", "same_words", "function", causes={"type:c10::Kind => torch::headeronly::Kind"})
        stays = changed("cxx:c10::isFloat(c10::Kind)", "same_words", "function", causes={"type:c10::Kind => c10::Sort"})
        self.check("breaks", moved, found)
        self.check("look", stays, found)
        self.check("look", moved, use("cxx:c10::isFloat(c10::Kind)", "call"))

    def test_function_declared_by_hand_notices_what_callers_do_not(self):
        entry = changed("cxx:at::native::fill(int)", "optional_parameter_added", "function")
        self.check("breaks", entry, use("cxx:at::native::fill(int)", "call", flags=["redeclared"]))
        self.check("safe", entry, use("cxx:at::native::fill(int)", "call"))

    def test_mirrored_module_notices_every_change_inside(self):
        copied = use("py:torch.cuda.streams", "copy")
        self.check("look", changed("py:torch.cuda.streams.Stream.query", "added", "pymethod"), copied)
        self.check("look", changed("py:torch.cuda.streams.Stream.wait(how)", "optional_argument", "pyparameter", after="how"), copied)
        self.check("look", changed("py:torch.cuda.streams.Stream", "removed", "pyclass"), copied)
        self.check("safe", changed("py:torch.cuda.streams._own", "added", "pyfunction", internal=True), copied)
        self.check("safe", changed("py:torch.cuda.memory.empty_cache", "removed", "pyfunction"), copied)

    def test_copied_template_of_the_code_generator_must_be_merged(self):
        entry = changed("file:ATen/RegisterDispatchKey.cpp", "template_file", "template")
        self.check("breaks", entry, use("file:ATen/RegisterDispatchKey.cpp", "copy"))
        self.check("safe", entry, use("file:ATen/Functions.h", "copy"))

    def test_registration_that_upstream_takes_over(self):
        entry = changed("op:aten::add.out", "computed", "op", before="kernel", after="implicit")
        self.check("look", entry, use("op:aten::add.out", "register"))
        self.check("safe", entry, use("op:aten::add.out", "dispatch"))

    def test_private_python_counts_for_who_names_it(self):
        entry = changed("py:torch._utils._rebuild_tensor", "removed", "pyfunction", internal=True)
        self.check("breaks", entry, use("py:torch._utils._rebuild_tensor", "call"))

    def test_same_name_with_another_meaning_is_to_look_at(self):
        for change in ("constant", "value", "same_words", "default"):
            self.check("look", changed("cxx:c10::kind", change, "variable"), use("cxx:c10::kind", "name", "call"))

    def test_new_member_upstream_meets_the_one_a_subclass_has(self):
        self.check("look", changed("py:torch.Generator.clone", "added", "pymethod"), use("py:torch.Generator.clone", "override"))
        self.check("look", changed("py:torch.cuda.Stream", "added", "pyclass"), use("py:torch.cuda.Stream", "patch"))

    def test_binary_that_imports_a_symbol_of_another_abi_does_not_load(self):
        entry = changed("symbol:_ZN3c104nameB5cxx11Ev", "symbol_gone", "symbol")
        self.check("breaks", entry, use("symbol:_ZN3c104nameB5cxx11Ev", "import"))

    def test_header_symbol_operator_macro(self):
        self.check("breaks", changed("header:ATen/NamedTensorUtils.h", "removed", "header"),
                   use("header:ATen/NamedTensorUtils.h", "include"))
        self.check("breaks", changed("macro:TORCH_X", "macro_arity", "macro"), use("macro:TORCH_X", "expand"))
        self.check("breaks", changed("op:aten::add.out", "schema", "op"), use("op:aten::add.out", "register"))
        self.check("look", changed("op:aten::add.out", "schema", "op"), use("op:aten::add.out", "dispatch"))
        self.check("look", changed("op:aten::add.out", "schema", "op"), use("op:aten::add.out", "register", flags=["string"]))
        self.check("safe", changed("op:aten::add.out", "schema", "op"), use("op:aten::add.Tensor", "register"))
        # An unknown entity and deep nesting must not cause an error.
        for scopes in ("cxx:" + "a::" * 1300 + "f(int)", "py:" + "." * 4000):
            self.check("safe", changed("op:aten::add.out", "schema", "op"), use(scopes, "call"))
        wrapped = use("op:aten::add.out", "register", flags=["wrapped"])
        for change, verdict in (("schema", "look"), ("schema_default", "safe"), ("removed", "breaks")):
            self.check(verdict, changed("op:aten::add.out", change, "op"), wrapped)

    def test_call_of_a_function_is_a_call_of_its_operator(self):
        """The schema changed, but the generated headers are old."""
        old = Dump({"sections": []}, {id: {"id": id, "kind": "op"} for id in ("op:aten::add.Tensor", "op:aten::add.out", "op:aten::add_.Tensor", "op:aten::addmm")})
        entry = changed("op:aten::add.out", "schema", "op")
        for id in ("cxx:at::add(const at::Tensor &)", "cxx:at::add_out(at::Tensor &)", "cxx:at::Tensor::add(int) const", "header:ATen/ops/add.h", "py:torch.add"):
            self.check("look", entry, use(id, "call"), old=old)
        for id in ("cxx:at::addmm(int)", "cxx:c10::add(int)", "py:torch.nn.add", "cxx:at::Tensor::add_(int) const"):
            self.check("safe", entry, use(id, "call"), old=old)
        self.check("breaks", changed("op:aten::addmm", "removed", "op"), use("cxx:at::addmm(int)", "call"), old=old)
        self.check("look", changed("op:aten::addmm", "removed", "op"), use("py:torch.addmm", "call"), old=old)

    def test_call_whose_own_overload_stays_is_not_hit_when_another_goes(self):
        stays, goes, generated = "cxx:at::Tensor::any() const", "cxx:at::Tensor::any(at::Dimname) const", "cxx:at::_ops::any_out"
        rows = [{"id": id, "kind": "op"} for id in ("op:aten::any", "op:aten::any.dimname")]
        rows += [{"id": id, "kind": "method"} for id in (stays, goes, generated, "header:ATen/ops/any.h")]
        old = Dump({"sections": []}, {row["id"]: row for row in rows})
        new = Dump({"sections": []}, {row["id"]: row for row in rows if row["id"] not in (goes, "op:aten::any.dimname")})
        entry = changed("op:aten::any.dimname", "removed", kind="op")
        for id, expected in ((stays, "safe"), (generated, "safe"), (goes, "breaks"), ("header:ATen/ops/any.h", "safe")):
            self.check(expected, entry, use(id, "call"), old=old, new=new)
        stale = Dump({"sections": []}, {**new.facts, goes: old.facts[goes]})  # these headers were not generated again
        self.check("breaks", entry, use(goes, "call"), old=old, new=stale)
        self.check("look", changed("op:aten::any", "schema", kind="op"), use(stays, "call"), old=old, new=new)

    def test_symbol_stands_for_its_function(self):
        fact = {"id": COPY, "kind": "method", "symbol": "_ZNK3c109Allocator9copy_dataEPvPKvm"}
        old = Dump({"sections": []}, {COPY: fact})
        self.check("breaks", changed(COPY, "removed"), use("symbol:" + fact["symbol"], "import"), old=old)

    def test_python_call_is_asked_for_its_arguments(self):
        call = use("py:torch.distributed.f", "call", arguments=[[1, ["timeout"]]])
        self.check("breaks", changed("py:torch.distributed.f(name)", "required_argument", "pyparameter", after="name"), call)
        self.check("safe", changed("py:torch.distributed.f(timeout)", "required_argument", "pyparameter", after="timeout"), call)
        self.check("breaks", changed("py:torch.distributed.f(timeout)", "argument_removed", "pyparameter", before="timeout"), call)
        self.check("look", changed("py:torch.distributed.f(group)", "argument_removed", "pyparameter", before="group"), call)
        self.check("safe", changed("py:torch.distributed.f(more)", "optional_argument", "pyparameter", after="more"), call)

    def test_patched_function_notices_an_addition(self):
        self.check("breaks", changed("py:torch.load(more)", "optional_argument", "pyparameter", after="more"),
                   use("py:torch.load", "patch"))

    def test_python_names_are_followed_to_where_they_live(self):
        old = Dump({"sections": []}, {row["id"]: row for row in (
            {"id": "py:torch.amp.GradScaler", "kind": "pyimport", "target": "torch.amp.grad_scaler.GradScaler"},
            {"id": "py:torch.amp.grad_scaler.GradScaler", "kind": "pyclass", "bases": ["Base"]},
            {"id": "py:torch.amp.grad_scaler.Base", "kind": "pyclass", "bases": []},
            {"id": "py:torch.amp.grad_scaler.Base.step", "kind": "pymethod"})})
        entry = changed("py:torch.amp.grad_scaler.Base.step", "removed", "pymethod")
        self.check("breaks", entry, use("py:torch.amp.GradScaler.step", "call"), old=old)
        self.check("breaks", changed("py:torch.amp.GradScaler", "removed", "pyimport"),
                   use("py:torch.amp.GradScaler", "import"), old=old)

    def test_backend_is_told_what_where_and_why(self):
        uses = [use(COPY, "override", where=["allocator.cc:7"]), use("cxx:c10::DataPtr", "name")]
        (backend,) = cross([changed(COPY, "removed")], [document(*uses)])
        self.assertEqual((backend["breaks"], backend["look"], backend["safe"]), (1, 0, 1))
        (entry,) = backend["entries"]
        self.assertIn("overrides c10::Allocator::copy_data", entry["reason"])
        self.assertIn("(allocator.cc:7). Stop using", entry["reason"])

    def test_fifty_backends_are_crossed_in_two_seconds(self):
        uses = [use(f"cxx:c10::C{i}::f{i}(int)", "call") for i in range(2000)]
        entries = [changed(f"cxx:c10::C{i}::f{i}(int)", "removed") for i in range(0, 2000, 4)]
        started = time.process_time()
        backends = cross(entries, [document(*uses, name=f"b{i}") for i in range(50)])
        self.assertLess(time.process_time() - started, 5)  # takes less than 2 s on an idle machine
        self.assertEqual({backend["breaks"] for backend in backends}, {500})


if __name__ == "__main__":
    unittest.main()
