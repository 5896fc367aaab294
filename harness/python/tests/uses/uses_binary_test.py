# SPDX-License-Identifier: BSD-3-Clause
"""Tests the classes of a library: where each is declared, its base classes, and facts that its records lack."""

import subprocess
import unittest
from importlib.util import find_spec
from pathlib import Path

from assay.uses.binary import read_library
from assay.uses.entries import Entries
from assay.uses.mangled import plain_scope
from assay.uses.upstream_classes import UpstreamClasses
from harness.command.fixtures.folder_case import FolderCase

HEADER = """
namespace c10 {
struct Base { virtual ~Base(); virtual void run() = 0; };
template <class T> struct Layer : Base { void run() override {} };
template <class T> struct Many { virtual ~Many() {} };
namespace impl {
struct GuardInterface { virtual ~GuardInterface(); virtual int kind() const = 0; };
struct TheirGuard : GuardInterface { int kind() const override { return 0; } };
}
}
"""
GUARD = "namespace c10 { namespace impl { struct %s : GuardInterface { int kind() const override { return 1; } }; %s one; } }\n"


class Libraries(FolderCase):
    def setUp(self):
        super().setUp()
        (self.folder / "include/c10").mkdir(parents=True)
        (self.folder / "include/c10/base.h").write_text(HEADER, encoding="utf-8")
        self.upstream = UpstreamClasses([self.folder / "include"])

    def read(self, text, upstream=True, *options):
        """Returns {base: flags} and the sentences about unknown facts."""
        source, library = self.folder / "own.cc", self.folder / "own.so"
        source.write_text(f"#include <c10/base.h>\n{text}", encoding="utf-8")
        subprocess.run(["c++", "-shared", "-fPIC", "-O1", "-I", self.folder / "include", *options, source, "-o", library], check=True, timeout=60)
        entries = Entries(str(self.folder))
        unknown = read_library(library, entries, upstream=self.upstream if upstream else None)
        self.untold = entries.untold
        return {entry["id"]: entry.get("flags", []) for entry in entries.to_json() if "derive" in entry["ways"]}, unknown

    def test_guard_in_a_namespace_of_pytorch_is_the_backends(self):
        for name in ("MineGuard", "GuardImpl"):
            self.assertEqual(self.read(GUARD % (name, name)), ({"cxx:c10::impl::GuardInterface": []}, []))

    def test_guard_in_a_namespace_without_a_name_is_the_backends(self):
        own = "namespace { struct Base : GuardInterface { int kind() const override { return 1; } }; }"
        text = f"namespace c10 {{ namespace impl {{ {own} GuardInterface *make() {{ return new Base; }} }} }}\n"
        self.assertEqual(self.read(text)[0], {"cxx:c10::impl::GuardInterface": []})

    def test_class_of_pytorch_that_is_laid_out_here_is_pytorchs(self):
        self.assertEqual(self.read("c10::impl::TheirGuard theirs;\n"), ({}, []))

    def test_without_headers_it_is_unknown_whose_a_class_is(self):
        found, unknown = self.read(GUARD % ("MineGuard", "MineGuard"), upstream=False)
        self.assertEqual(found, {"cxx:c10::impl::GuardInterface": ["unsure"]})
        self.assertIn("1 class is in a namespace of PyTorch", unknown[0])

    def test_template_of_pytorch_is_a_base_and_so_is_what_it_derives_from(self):
        found, unknown = self.read("namespace mine { struct Own : c10::Layer<Own> {}; Own own; }\n")
        self.assertEqual((found, unknown), ({"cxx:c10::Layer": [], "cxx:c10::Base": ["indirect"]}, []))

    def test_own_template_hands_its_base_on(self):
        text = "namespace mine { template <class T> struct Through : T { void run() override {} }; struct Own : Through<c10::Base> {}; Own own; }\n"
        self.assertEqual(self.read(text)[0], {"cxx:c10::Base": []})
        text = "namespace mine { template <class T> struct Fixed : c10::Many<T *> {}; struct Own : Fixed<int[3]> {}; Own own; }\n"
        self.assertEqual(self.read(text)[0], {"cxx:c10::Many": []})

    def test_library_without_run_time_types_says_that_its_classes_are_unknown(self):
        found, unknown = self.read(GUARD % ("MineGuard", "MineGuard"), True, "-fno-rtti")
        self.assertEqual(found, {})
        self.assertIn("without type information", unknown[0])
        self.assertEqual(self.untold, {"derive"})


class Names(unittest.TestCase):
    def test_scope_without_arguments(self):
        for mangled, plain in (
            ("N3c109AllocatorE", "c10::Allocator"), ("N3c105LayerIN4mine3OwnEEE", "c10::Layer"), ("3Own", "Own"),
            ("N2at4SizeILi3ELb1ENS_4KindEE5InnerIJPKcS1_EEE", "at::Size::Inner"), ("N3c1013intrusive_ptrISt6vectorIlSaIlEEEE", "c10::intrusive_ptr"),
            ("N3c104impl12_GLOBAL__N_14MineE", "c10::impl::Mine"), ("N3c104FuncIFvRKSsEEE", "c10::Func"),
        ):  # fmt: skip
            self.assertEqual(plain_scope(mangled), plain, mangled)

    def test_damaged_name_is_none(self):
        for mangled in ("N2at6nativeIiE", "N3c1", "9Alloc", "N3c10Li", "", "N", "N3c10" + "I" * 5000, "x", "N3c10xE"):
            self.assertEqual(plain_scope(mangled), "", mangled)


class Headers(unittest.TestCase):
    def test_real_headers_are_known(self):
        torch = find_spec("torch")
        if not torch:
            self.skipTest("no torch is installed here")
        upstream = UpstreamClasses([Path(torch.origin).parent / "include"])
        for name in ("c10::impl::VirtualGuardImpl", "c10::Allocator", "torch::autograd::Node", "at::PrivateUse1HooksInterface"):
            self.assertTrue(upstream.has(name), name)
        self.assertFalse(upstream.has("c10::impl::MineGuardImpl"))


if __name__ == "__main__":
    unittest.main()
