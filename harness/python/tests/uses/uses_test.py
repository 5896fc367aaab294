# SPDX-License-Identifier: BSD-3-Clause
"""Tests `assay uses` on C++ sources, Python and libraries, and its messages for invalid input."""

import contextlib
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

FOLDER = Path(__file__).resolve().parent
from assay.command import Command
from assay.command import Refused
from assay.uses.binary import read_library
from assay.uses.codegen import read_operator_list, read_templates
from assay.uses.command import uses_command
from assay.uses.database import read_units
from assay.uses.entries import Entries, name_of
from assay.uses.file import read_uses, write_uses
from assay.uses.python import read_file
from harness.command.fixtures.folder_case import FolderCase

FACTS = Path(os.environ["ASSAY_BUILD"]) / "bin/assay-uses-facts"
SAMPLE = FOLDER / "testdata/uses"


os.environ["ASSAY_USES_FACTS"] = str(FACTS)


def run_uses(*words, **options):
    return uses_command(Command("uses", options, [str(word) for word in words]), None)


def compile_database(folder, extra=()):
    files = sorted((SAMPLE / "backend").glob("*.cc"))
    path = folder / "compile_commands.json"
    path.write_text(json.dumps([
        {"directory": str(SAMPLE), "file": str(file),
         "arguments": ["c++", "-std=c++20", "-isystem", "upstream", "-Wall", "-O2", *extra, "-c", str(file)]}
        for file in files]))
    return path


@unittest.skipUnless(FACTS.is_file(), "built without libclang")
class Sources(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory() as folder:
            output = Path(folder, "sample.json")
            cls.status = run_uses(compile_database(Path(folder)), SAMPLE / "backend", output=output)
            cls.document = read_uses(output)
        cls.by_id = {entry["id"]: entry for entry in cls.document["entries"]}

    def uses(self, id, *ways, where=None, flags=None):
        self.assertIn(id, self.by_id)
        entry = self.by_id[id]
        self.assertEqual(sorted(entry["ways"]), sorted(ways), id)
        if where:
            self.assertIn(where, entry["where"], id)
        if flags is not None:
            self.assertEqual(entry.get("flags", []), flags, id)

    def test_everything_was_read(self):
        self.assertEqual(self.status, 0)
        self.assertEqual(self.document["standard"], "20")

    def test_bases_count_up_to_the_root(self):
        self.uses("cxx:c10::Allocator", "derive", "name", where="device.h:8")
        self.uses("cxx:c10::Base", "derive", flags=["indirect"])

    def test_argument_of_an_own_template_is_its_base(self):
        self.uses("cxx:c10::Engine", "derive", "name", flags=["indirect"])
        self.uses("cxx:c10::Motor", "derive", "name", flags=["indirect"])
        self.uses("cxx:c10::Engine::stop(int)", "override", where="device.h:13", flags=["no_override"])
        self.uses("cxx:c10::Engine::start()", "override", flags=[])
        self.assertNotIn("cxx:c10::Engine::go()", self.by_id)

    def test_override_is_one_with_and_without_the_keyword(self):
        self.uses("cxx:c10::Allocator::allocate(unsigned long)", "override", flags=["no_override"])
        self.uses("cxx:c10::Base::name() const", "override", flags=[])
        self.uses("cxx:c10::Allocator::simple(const void *) const", "override", "call", flags=[])

    def test_own_member_may_collide_with_each_base(self):
        self.uses("cxx:c10::Allocator::trim", "define", where="device.h:10")
        self.uses("cxx:c10::Base::trim", "define")

    def test_calls_and_addresses_are_told_apart(self):
        self.uses("cxx:c10::Allocator::bytes() const", "call", where="device.cc:34")
        self.uses("cxx:c10::take(void (*)(const c10::Stats &))", "call")
        self.uses("cxx:c10::found_by_argument(const c10::Stats &)", "call", "address", flags=["adl"])

    def test_name_behind_using_needs_no_argument_types(self):
        self.uses("cxx:at::opened()", "call", flags=[])

    def test_instantiation_counts_for_its_template(self):
        self.uses("cxx:c10::Ref::size() const", "call")
        self.uses("cxx:c10::Ref::data", "field")
        self.uses("cxx:c10::Traits", "specialise")

    def test_macro_counts_and_not_what_it_brings(self):
        self.uses("macro:TORCH_CHECK", "expand")
        self.assertNotIn("cxx:c10::detail::fail(const char *)", self.by_id)
        self.assertIn("device.h:4", self.by_id["macro:TORCH_CHECK"]["where"])  # inside a macro of the backend

    def test_macro_given_to_another_macro_counts(self):
        self.uses("macro:LOWER_KERNEL", "expand")

    def test_enumeration_is_switched_over(self):
        self.uses("cxx:c10::Kind", "name", "switch", flags=["count", "table"])
        self.uses("cxx:c10::Kind::Half", "name")

    def test_aggregate_and_fields(self):
        self.uses("cxx:c10::Stats", "aggregate", "name")
        self.uses("cxx:c10::Stats::peak", "field")
        self.assertNotIn("cxx:c10::Stats::used", self.by_id)

    def test_names_that_could_collide(self):
        self.uses("cxx:file_scope", "define")
        self.uses("cxx:at::file_scope", "define")  # because of `using namespace at`
        self.uses("cxx:at::native::mirrored", "define", flags=["redeclared"])
        self.uses("macro:MINE", "define")

    def test_headers_registrations_and_keys(self):
        self.uses("header:c10/core/Allocator.h", "include", where="device.h:3")
        self.uses("op:aten::add.Tensor", "register", flags=["key=PrivateUse1"])
        self.uses("op:other::mul", "register")

    def test_nothing_of_the_backend_is_in_the_file(self):
        text = json.dumps(self.document)
        self.assertNotIn("not ready", text)
        self.assertNotIn(str(SAMPLE), text)
        self.assertEqual([id for id in self.by_id if "Device::" in id], [])


class Output(FolderCase):
    def test_source_is_not_replaced(self):
        source = self.write("program.py", "import torch\ntorch.load(1)\n")
        with self.assertRaisesRegex(Refused, "is read by this command"):
            run_uses(source, output=source)
        self.assertEqual(Path(source).read_text(), "import torch\ntorch.load(1)\n")


@unittest.skipUnless(FACTS.is_file(), "built without libclang")
class BrokenSources(FolderCase):
    def refusal(self, *words):
        with self.assertRaises(Refused) as raised:
            run_uses(*words, output=self.folder / "out.json")
        self.assertFalse((self.folder / "out.json").exists())
        self.assertNotIn("\n", str(raised.exception))
        return str(raised.exception)

    def test_file_that_does_not_parse_is_named(self):
        words = io.StringIO()
        with contextlib.redirect_stderr(words):
            status = run_uses(compile_database(self.folder, ["-DRef=42"]), SAMPLE / "backend", output=self.folder / "o.json")
        self.assertEqual(status, 2)
        self.assertIn("not read completely: ", words.getvalue())

    def test_sources_without_torch_are_refused(self):
        database = compile_database(self.folder)
        database.write_text(database.read_text().replace('"upstream"', '"elsewhere"'))
        self.assertIn("with PyTorch's headers", self.refusal(database, SAMPLE / "backend"))

    def test_broken_database_is_refused(self):
        for text, said in (("{", "not JSON"), ("{}", "is a list of commands"), ('[{"file": 1}]', "an entry lacks")):
            self.assertIn(said, self.refusal(self.write("compile_commands.json", text), SAMPLE / "backend"))

    def test_members_of_a_unity_build_are_sources(self):
        database = compile_database(self.folder)
        alone = read_units(database, [str(SAMPLE)])
        included = "".join(f'\n#include "{unit.file}"\n' for unit in alone)
        unity = self.write("unity_0_cxx.cxx", f"/* generated by CMake */\n{included}")
        [entry] = json.loads(database.read_text())[:1]
        database.write_text(json.dumps([{**entry, "file": str(unity)}]))
        self.assertEqual(read_units(database, [str(SAMPLE)]), alone)
        unity.unlink()
        self.assertIn("build the backend first", self.refusal(database, SAMPLE / "backend"))

    def test_words_that_are_nothing_are_refused(self):
        self.assertIn("no/such/place: neither", self.refusal("no/such/place"))
        self.assertIn("is not installed", self.refusal(self.write("t.yaml", "load:\n  - import: torch_nowhere\n")))
        self.assertIn("no load step names", self.refusal(self.write("t.yaml", "name: x\n")))

    def test_target_stands_for_the_package_it_loads(self):
        package = self.folder / "torch_sample_package"
        package.mkdir()
        (package / "__init__.py").write_text("import torch\ntorch.load(1)\n")
        sys.path.insert(0, str(self.folder))
        self.addCleanup(sys.path.remove, str(self.folder))
        output = self.folder / "sample.json"
        profile = self.write("sample.yaml", "name: sample\nload:\n  - import: torch_sample_package\n")
        self.assertEqual(run_uses(profile, output=output), 0)
        self.assertIn("py:torch.load", {entry["id"] for entry in read_uses(output)["entries"]})


class PythonPackage(FolderCase):
    def read(self, text):
        entries = Entries(str(self.folder))
        self.assertIsNone(read_file(self.write("module.py", text), entries))
        return {entry["id"]: entry for entry in entries.to_json()}

    def ways(self, text, id):
        return sorted(self.read(text).get(id, {"ways": {}})["ways"])

    def test_imports_bind_names(self):
        found = self.read("import torch.nn as nn\nfrom torch.utils import data as d\nnn.Linear\nd.DataLoader\n")
        self.assertEqual(sorted(found), ["py:torch.nn", "py:torch.nn.Linear", "py:torch.utils",
                                         "py:torch.utils.data", "py:torch.utils.data.DataLoader"])

    def test_call_says_its_arguments(self):
        found = self.read("import torch\ntorch.load(1, map_location=2)\ntorch.load(*a, **k)\n")
        self.assertEqual(found["py:torch.load"]["arguments"], [[1, ["map_location"]], [-1, ["**"]]])

    def test_patches(self):
        for text in ("torch.a.b = 1", 'setattr(torch.a, "b", 1)', "del torch.a.b", "torch.a.b += 1",
                     "m = torch.a\nm.b = 1", 'torch.a.__dict__["b"] = 1'):
            self.assertIn("patch", self.ways("import torch\n" + text, "py:torch.a.b"), text)

    def test_subclass_and_what_it_overrides_or_inherits(self):
        text = ("from torch.x import Base\nclass Mine(Base):\n    flag = 1\n    def run(self):\n"
                "        super().run(1)\n        self.inherited()\n        self.own()\n    def own(self): pass\n")
        found = self.read(text)
        self.assertIn("subclass", found["py:torch.x.Base"]["ways"])
        self.assertEqual(sorted(found["py:torch.x.Base.run"]["ways"]), ["call", "override"])
        self.assertEqual(sorted(found["py:torch.x.Base.flag"]["ways"]), ["override"])
        self.assertEqual(sorted(found["py:torch.x.Base.inherited"]["ways"]), ["call"])
        self.assertEqual(sorted(found["py:torch.x.Base.own"]["ways"]), ["override"])

    def test_methods_reached_through_objects(self):
        for text in ("def f(t: torch.Tensor): t.item()", "def f(t: 'torch.Tensor'): t.item()",
                     "t = torch.empty(2)\nt.item()", "torch.empty(2).item()",
                     "def f(t: torch.Tensor | None): t.item()"):
            self.assertEqual(self.ways("import torch\n" + text, "py:torch.Tensor.item"), ["call"], text)

    def test_shadowed_name_is_not_torch(self):
        self.assertEqual(self.ways("import torch\ndef f(torch): torch.a()", "py:torch.a"), [])
        self.assertEqual(self.ways("from torch import a\nfrom mine import a\na.b()", "py:torch.a.b"), [])

    def test_operators_and_registrations(self):
        found = self.read('import torch\ntorch.ops.aten.add.Tensor(1)\nlib = torch.library.Library("aten", "IMPL")\n'
                          'lib.impl("mul.out", f)\n')
        self.assertEqual(list(found["op:aten::add.Tensor"]["ways"]), ["dispatch"])
        self.assertEqual(list(found["op:aten::mul.out"]["ways"]), ["register"])

    def test_code_said_to_be_copied(self):
        self.assertEqual(self.ways("# adapted from torch/cuda/streams.py\n", "py:torch.cuda.streams"), ["copy"])

    def test_file_that_is_no_python_is_said(self):
        said = read_file(self.write("broken.py", "def (:\n"), Entries(str(self.folder)))
        self.assertIn("cannot be read as Python: SyntaxError", said)


class CodeGenerator(FolderCase):
    TEMPLATE = "// ${generated_comment}\n#include <a.h>\n${headers}\nnamespace at {\n${functions}\n}\n"

    def read(self, name, text):
        packaged = self.folder / "packaged/ATen/templates"
        packaged.mkdir(parents=True, exist_ok=True)
        (packaged / "Register.cpp").write_text(self.TEMPLATE)
        entries = Entries(str(self.folder))
        read_templates([self.write(name, text)], self.folder / "packaged", entries)
        return [entry["id"] for entry in entries.to_json()]

    def test_copied_template_is_known_by_its_lines(self):
        self.assertEqual(self.read("Register.cpp", self.TEMPLATE.replace("#include <a.h>", "#include <own.h>")), ["file:ATen/Register.cpp"])
        self.assertEqual(self.read("Other.cpp", self.TEMPLATE), [])
        self.assertEqual(self.read("Register.cpp", "// ${comment}\nint own;\n"), [])
        self.assertEqual(self.read("Register.cpp", self.TEMPLATE.replace("${", "made of {")), [])

    def test_operator_list_of_a_backend(self):
        entries = Entries(str(self.folder))
        read_operator_list(self.write("a.yaml", "backend: X\nsupported:\n- abs\n- func: add.out(Tensor self)\nother:\n- mul\n"), entries)
        read_operator_list(self.write("b.yaml", "supported:\n- div\n"), entries)
        self.assertEqual([entry["id"] for entry in entries.to_json()], ["op:aten::abs", "op:aten::add.out"])


class Files(FolderCase):
    GOOD = {"schema": "assay/uses/1", "name": "x", "torch": ["2.13.0"],
            "entries": [{"id": "py:torch.load", "ways": {"call": ["python"]}, "count": 1}]}

    def refused(self, document):
        text = document if isinstance(document, str) else json.dumps(document)
        with self.assertRaises(Refused) as raised:
            read_uses(self.write("hostile.json", text))
        said = str(raised.exception)
        self.assertEqual(said.count("\n"), 0)
        return said

    def test_good_file_is_read(self):
        self.assertEqual(read_uses(self.write("good.json", json.dumps(self.GOOD))), self.GOOD)

    def test_hostile_file_is_one_sentence(self):
        def entry(**changes):
            return {**self.GOOD, "entries": [{**self.GOOD["entries"][0], **changes}]}

        self.assertIn("nested too deeply", self.refused("[" * 100000))
        self.assertIn('"schema"', self.refused({}))
        self.assertIn('"name"', self.refused({**self.GOOD, "name": "a b\x1b[2J"}))
        self.assertIn('"entries"', self.refused({**self.GOOD, "entries": {}}))
        self.assertIn('"untold"', self.refused({**self.GOOD, "untold": ["eat"]}))
        self.assertIn('"standard"', self.refused({**self.GOOD, "standard": "c++17"}))
        self.assertIn('"standard"', self.refused({**self.GOOD, "standard": 17}))
        self.assertIn("has no id", self.refused({**self.GOOD, "entries": [1]}))
        self.assertIn("does not name an entity", self.refused(entry(id="rm -rf")))
        self.assertIn("does not name an entity", self.refused(entry(id="py:torch\x1b[31m")))
        self.assertIn("no way of use", self.refused(entry(ways=[])))
        self.assertIn("unknown", self.refused(entry(ways={"eat": []})))
        self.assertIn("the source of a use", self.refused(entry(ways={"call": 5})))
        self.assertIn("the source of a use", self.refused(entry(ways={"call": [[]]})))
        self.assertIn("not a list of short texts", self.refused(entry(where=["\ud800"])))
        self.assertIn("not a list of short texts", self.refused(entry(where=["a\nb"])))
        self.assertIn("[count, [keyword]]", self.refused(entry(arguments=[["x", {}]])))

    def test_what_is_no_file_is_not_waited_for(self):
        os.mkfifo(self.folder / "fifo")
        for path in (self.folder / "fifo", "/dev/zero", self.folder, self.folder / "nowhere"):
            with self.assertRaises(Refused):
                read_uses(path)

    def test_written_file_is_read_back(self):
        entries = Entries("/")
        entries.add("call", "py:torch.load", "python", "/a.py", 3, ("optional",), [1, []])
        path = self.folder / "made.json"
        write_uses(path, "made", ["2.13.0"], entries.to_json())
        (entry,) = read_uses(path)["entries"]
        self.assertEqual(entry, {"id": "py:torch.load", "ways": {"call": ["python"]}, "where": ["a.py:3"], "flags": ["optional"], "arguments": [[1, []]]})

    def test_name_is_without_parameters(self):
        for id, name in (("cxx:a::f(void (*)(int)) const", "a::f"), ("cxx:a::operator()(int)", "a::operator()"),
                         ("cxx:a::B", "a::B"), ("cxx:a::operator bool() const", "a::operator bool")):
            self.assertEqual(name_of(id), name)


class Libraries(FolderCase):
    SOURCE = """
        namespace c10 { struct Base { virtual ~Base(); virtual void run() = 0; }; void called(); }
        namespace torch { struct Library { void impl(const char *); }; }
        namespace mine { struct Own : c10::Base { void run() override; }; }
        void mine::Own::run() { c10::called(); torch::Library().impl("aten::add.Tensor"); }
        c10::Base *make() { return new mine::Own; }
    """

    def test_imports_bases_and_operators(self):
        source, library = self.write("own.cc", self.SOURCE), self.folder / "own.so"
        subprocess.run(["c++", "-shared", "-fPIC", "-O1", source, "-o", library], check=True, timeout=60)
        entries = Entries(str(self.folder))
        read_library(library, entries, frozenset({"aten::add.Tensor", "aten::mul"}))
        found = {entry["id"]: entry for entry in entries.to_json()}
        self.assertEqual(found["symbol:_ZN3c106calledEv"]["ways"], {"import": ["binary"]})
        self.assertEqual(found["cxx:c10::Base"]["ways"], {"derive": ["binary"]})
        self.assertEqual(found["symbol:_ZTIN3c104BaseE"]["ways"], {"typeinfo": ["binary"]})
        self.assertEqual(found["op:aten::add.Tensor"]["ways"], {"register": ["binary"]})
        self.assertNotIn("op:aten::mul", found)

    def test_damaged_library_is_refused(self):
        for data in (b"", b"MZ", b"\x7fELF\x02\x01" + b"\xff" * 200):
            with self.assertRaises(Refused):
                path = self.folder / "damaged.so"
                path.write_bytes(data)
                read_library(path, Entries("/"))


class Show(FolderCase):
    def test_asks_all_files(self):
        entry = {"id": "cxx:c10::Allocator::copy_data(void *) const", "ways": {"override": ["source"]}, "count": 1}
        path = self.write("one.json", json.dumps({**Files.GOOD, "name": "one", "entries": [entry]}))
        for wanted, status in (("c10::Allocator::copy_data", 0), ("Allocator::copy_data", 0), ("copy", 1),
                               ("cxx:c10::Allocator::copy_data", 0)):
            words = io.StringIO()
            with contextlib.redirect_stdout(words):
                self.assertEqual(run_uses("show", wanted, path), status, wanted)
            self.assertIn("override (source)" if status == 0 else "none of 1 backends", words.getvalue())

    def test_json_says_the_same(self):
        path = self.write("good.json", json.dumps(Files.GOOD))
        words = io.StringIO()
        with contextlib.redirect_stdout(words):
            run_uses("show", "torch.load", path, json="")
        document = json.loads(words.getvalue())
        self.assertEqual((document["schema"], document["backends"][0]["entries"]), ("assay/uses-show/1", Files.GOOD["entries"]))


if __name__ == "__main__":
    unittest.main()
