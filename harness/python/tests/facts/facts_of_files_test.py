# SPDX-License-Identifier: BSD-3-Clause
"""Tests facts that need no compiler: Python by syntax, operators by lines, symbols by ELF."""

import ctypes
import subprocess
import unittest
from pathlib import Path

from assay.facts.buildfacts import build_facts
from assay.facts.operators import library_operators, operator_facts
from assay.facts.prefilter import prefilter_facts
from assay.facts.pyfacts import LEFT_OUT, python_facts
from assay.command import Refused
from assay.facts.side import Side
from assay.facts.symbols import exported_symbols
from harness.command.fixtures.folder_case import FolderCase

PYTHON = '''
from .other import thing as renamed
import torch.deep
import json
LIMIT = 3
class A(Base, metaclass=M):
    field: int = 1
    @property
    def p(self): return 1
    @deprecated("use p")
    def m(self, a, /, b=2, *args, c, d=None, **rest): return 1
try:
    from torch.fast import speed
except ImportError:
    def speed(): pass
if True:
    async def late(x=[1, 2]): pass
if TYPE_CHECKING:
    from torch.deep import for_readers
class B:
    def __repr__(self): pass
    def __call__(self): pass
'''
OPERATORS = """
- func: add.Tensor(Tensor self, Tensor other, *, Scalar alpha=1) -> Tensor
  structured_delegate: add.out
  tags: [core, pointwise]

- func: add.out(Tensor self, Tensor(a!) out) -> Tensor(a!)
  structured: True
  dispatch:
    CPU, CUDA: add_out

- func: chunk(Tensor(a) self) -> Tensor(a)[]
- func: zeros(int[] size) -> Tensor
  dispatch:
    CompositeExplicitAutograd: zeros
"""


class Files(FolderCase):
    def python(self, text, name="torch/pack/__init__.py"):
        self.write(name, text)
        return {fact["id"]: fact for fact in python_facts([self.folder])}

    def test_a_module_is_not_left_out_for_the_beginning_of_its_name(self):
        for name in ("torch/library.py", "torch/testing/__init__.py", "torch/testing/_internal/common_device_type.py"):
            self.assertFalse(LEFT_OUT.match(name), name)
        for name in ("torch/onnx/__init__.py", "torch/_C/_nn.pyi", "torch/testing/_internal/hop_db.py", "torch/ao/pruning/a.py"):
            self.assertTrue(LEFT_OUT.match(name), name)

    def test_python_names_are_what_importing_binds(self):
        facts = self.python(PYTHON)
        self.assertEqual(facts["py:torch.pack"]["kind"], "module")
        self.assertEqual(facts["py:torch.pack.renamed"]["target"], "py:torch.pack.other.thing")
        self.assertEqual(facts["py:torch.pack.torch"]["target"], "py:torch")
        self.assertEqual(facts["py:torch.pack.LIMIT"]["value"], "3")
        self.assertEqual(facts["py:torch.pack.A"]["bases"], ["Base"])
        self.assertEqual(facts["py:torch.pack.A.field"]["kind"], "pyattribute")
        self.assertEqual(facts["py:torch.pack.A.p"]["decorators"], ["property"])
        method = facts["py:torch.pack.A.m"]
        self.assertEqual((method["kind"], method["deprecated"]), ("pymethod", "use p"))
        self.assertEqual(method["signature"], "(self, a, /, b=2, *args, c, d=None, **rest)")
        self.assertEqual(facts["py:torch.pack.speed"]["kind"], "pyimport")
        self.assertEqual(facts["py:torch.pack.late"]["signature"], "(x=[1, 2])")
        self.assertIn("py:torch.pack.B.__call__", facts)
        for name in ("json", "for_readers", "B.__repr__"):
            self.assertNotIn(f"py:torch.pack.{name}", facts)

    def test_modules_all_of_whose_names_are_imported_are_told(self):
        text = "from torch.b import *\nfrom .c import *\nfrom json import *\nfrom .d import e"
        self.assertEqual(self.python(text, "torch/a.py")["py:torch.a"]["stars"], ["py:torch.b", "py:torch.c"])

    def test_helpers_of_the_compiler_stack_are_nobodys(self):
        text = "def _helper(): pass\ndef used(): pass\nclass A:\n    def __init__(self): pass\n    def _step(self): pass"
        self.assertEqual(set(self.python(text, "torch/_dynamo/a.py")),
                         {f"py:torch._dynamo.a{name}" for name in ("", ".used", ".A", ".A.__init__")})  # fmt: skip
        self.assertIn("py:torch.a._helper", self.python(text, "torch/a.py"))

    def test_a_folder_that_is_a_link_is_read(self):
        self.write("elsewhere/a.py", "def there(): pass")
        (self.folder / "torch").mkdir()
        (self.folder / "torch/linked").symlink_to(self.folder / "elsewhere")
        self.assertIn("py:torch.linked.a.there", {fact["id"] for fact in python_facts([self.folder])})

    def test_python_that_does_not_parse_is_a_module_that_says_so(self):
        self.assertEqual(self.python("def (", "torch/bad.py")["py:torch.bad"]["alone"], "does not parse")

    def test_a_stub_counts_where_there_is_no_source(self):
        self.write("torch/a.pyi", "def only_in_the_stub(): ...")
        self.write("torch/_C/__init__.pyi", "def compiled(x: int) -> int: ...")
        facts = self.python("def real(): pass", "torch/a.py")
        self.assertIn("py:torch.a.real", facts)
        self.assertNotIn("py:torch.a.only_in_the_stub", facts)
        self.assertEqual(facts["py:torch._C.compiled"]["signature"], "(x)")

    def test_what_pytorch_was_built_with(self):
        side = Side("installed", self.folder, [], python=self.folder)
        self.assertEqual(list(build_facts(side, {})), [])
        self.write("torch/share/cmake/Torch/TorchConfig.cmake", "# CXX_STANDARD 98\nset_target_properties(torch PROPERTIES\n    CXX_STANDARD 20\n)")
        told = {fact["id"]: fact["value"] for fact in build_facts(side, {"libc10": ["_ZN3c101fENSt7__cxx1112basic_stringE", "_Z1g"]})}
        self.assertEqual(told, {"build:cxx_standard": "20", "build:cxx11_abi": "1"})
        self.assertEqual([fact["value"] for fact in build_facts(side, {"libc10": ["_Z1fSs"]})], ["20", "0"])
        self.write("CMakeLists.txt", "set(CMAKE_CXX_STANDARD 23 CACHE STRING)")
        self.assertEqual([fact["value"] for fact in build_facts(side, {})], ["23"])

    def build_values(self, side, symbols):
        return {fact["id"].removeprefix("build:"): fact["value"] for fact in build_facts(side, symbols)}

    def test_standard_that_headers_demand(self):
        """Also tests a folder of headers. The check for the standard may follow another condition."""
        side = Side("include", self.folder, [self.folder / "inc"])
        for condition, floor in (
            ("#if !defined(_MSC_VER) && __cplusplus < 201703L\n#error C++17 or later", "17"),
            ("#if (defined(_MSVC_LANG) && _MSVC_LANG < 202002L) || \\\n    (!defined(_MSVC_LANG) && __cplusplus < 202002L)\n#error C++20 or later", "20"),
            ("#if __cplusplus < 202302L\n#define OLD\n#endif\n#error never", None),
        ):
            self.write("inc/ATen/ATen.h", f"#pragma once\n{condition}\n#endif\n")
            self.assertEqual(self.build_values(side, {}).get("cxx_floor"), floor, condition)

    def test_standard_that_cmake_asks_for_as_a_feature(self):
        self.write("torch/share/cmake/Torch/TorchConfig.cmake", "    target_compile_features(torch INTERFACE cxx_std_20)\n")
        self.assertEqual(self.build_values(Side("installed", self.folder, [], python=self.folder), {}), {"cxx_standard": "20"})

    def test_abi_is_pytorchs_own_and_not_that_of_a_library_inside(self):
        side = Side("installed", self.folder, [], python=self.folder)
        inside, own = "_ZN6tensor5printENSt7__cxx1112basic_stringE", "_ZNK3c106Device3strB5cxx11Ev"
        self.assertEqual(self.build_values(side, {"libc10": [inside, "_ZN3c101fERKSs"]}), {"cxx11_abi": "0"})
        self.assertEqual(self.build_values(side, {"libc10": [inside, own]}), {"cxx11_abi": "1"})
        self.write("torch/share/cmake/Torch/TorchConfig.cmake", 'set(TORCH_CXX_FLAGS "-D_GLIBCXX_USE_CXX11_ABI=0")\n')
        self.assertEqual(self.build_values(side, {}), {"cxx11_abi": "0"})

    def test_operators(self):
        found = {fact["id"]: fact for fact in operator_facts(self.write("native_functions.yaml", OPERATORS))}
        self.assertEqual(found["op:aten::add.Tensor"]["tags"], ["core", "pointwise"])
        self.assertEqual(found["op:aten::add.Tensor"]["line"], 2)
        computed = {name.partition("::")[2]: fact["computed"] for name, fact in found.items()}
        self.assertEqual(computed, {"add.Tensor": "structured", "add.out": "kernel", "chunk": "implicit", "zeros": "explicit"})

    def test_operators_of_a_library(self):
        texts = ("quantized::add(Tensor qa, Tensor qb, float scale) -> Tensor qc", "add.Tensor(Tensor self) -> Tensor", "prim::Loop(int i) -> ()",
                 "broadcast_(Tensor[] tensors, __torch__.torch.classes.c10d.ProcessGroup group, int root=0) -> Tensor[]", "no::schema(int)")  # fmt: skip
        source = self.write("own.cc", "".join(f'extern const char text{i}[] = "{text}";\n' for i, text in enumerate(texts)))
        subprocess.run(["c++", "-shared", "-fPIC", source, "-o", self.folder / "libown.so"], check=True, timeout=60)
        found = {fact["id"]: fact["schema"] for fact in library_operators(self.folder / "libown.so")}
        self.assertEqual(found, {"op:quantized::add": texts[0], "op:c10d::broadcast_": f"c10d::{texts[3]}"})

    def test_symbols_of_a_library_and_of_what_is_none(self):
        ctypes.CDLL("libstdc++.so.6")
        maps = Path("/proc/self/maps").read_text().split()
        names = exported_symbols(next(word for word in maps if "/libstdc++.so" in word))
        self.assertTrue(any(name.startswith("_ZN10__cxxabiv1") for name in names))
        self.assertFalse([name for name in names if name.startswith("_ZNSt")])
        for text in ("", "not ELF", "\x7fELF\x02\x01" + "\xff" * 80):
            with self.subTest(text[:9]), self.assertRaises((Refused, ValueError)):
                exported_symbols(self.write("bad.so", text or " "))

    def test_the_prefilter_sees_what_no_compiler_does(self):
        self.write("inc/c10/a.h", "#ifdef USE_CUDA\nnamespace c10 { struct Only { int member; virtual int f() = 0; virtual int g(); }; }\n#endif\n#define MACRO 1\n")
        found = {f["id"]: f for f in prefilter_facts(Side("include", self.folder, [self.folder / "inc"]))}
        self.assertEqual(found["cxx:c10::Only"]["header"], "c10/a.h")
        self.assertEqual(found["cxx:c10::Only::member"]["kind"], "field")
        self.assertEqual(found["macro:MACRO"]["seen"], "ctags")
        self.assertEqual([found[f"cxx:c10::Only::{name}"].get("virtual") for name in "fg"], ["pure", None])


if __name__ == "__main__":
    unittest.main()
