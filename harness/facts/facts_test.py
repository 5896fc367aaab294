# SPDX-License-Identifier: BSD-3-Clause
"""Tests each fact that assay-facts writes about a header."""

import json
import os
import subprocess
import unittest
from pathlib import Path

PROGRAM = Path(os.environ["ASSAY_BUILD"]) / "bin/assay-facts"
SAMPLE = Path(__file__).parent / "testdata/sample"


def facts(*options, headers=("sample.h",)):
    words = [PROGRAM, *options, SAMPLE, "--", *headers, "--", "-std=c++20", f"-I{SAMPLE}"]
    done = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True)
    return [json.loads(line) for line in done.stdout.splitlines()]


class Facts(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.rows = facts()
        cls.by_id = {row["id"]: row for row in cls.rows if "id" in row}

    def has(self, identity, **expected):
        self.assertIn(identity, self.by_id)
        row = self.by_id[identity]
        self.assertEqual({key: row.get(key) for key in expected}, expected, identity)

    def test_class_names_its_bases_and_marks(self):
        self.has("cxx:c10::Allocator", kind="class", tag="struct", header="sample.h", line=8, abstract=True,
                 exported=True, bases=[{"name": "Base", "access": "protected"}])
        self.has("cxx:c10::Array", template="typename T, int N=2", final=True)
        self.assertIn("cxx:c10::Array<int, 3>", self.by_id)

    def test_methods_say_what_an_override_needs(self):
        self.has("cxx:c10::Allocator::allocate(unsigned long)", virtual="pure", returns="void *", access=None)
        self.has("cxx:c10::Allocator::simple(const void *) const", virtual="virtual", throws=None, inline=True)
        self.has("cxx:c10::Allocator::refuse()", throws=True)
        self.has("cxx:c10::Allocator::base_virtual() const", virtual="override", noexcept=True,
                 overrides=["Base::base_virtual() const"], symbol="_ZNK3c102v19Allocator12base_virtualEv")
        self.has("cxx:c10::Allocator::~Allocator()", kind="destructor", virtual="virtual")
        self.has("cxx:c10::Allocator::hidden_virtual()", access="private")

    def test_private_parts_that_nobody_can_name_are_left_out(self):
        for name in ("hidden()", "HiddenClass", "HiddenClass::inside"):
            self.assertNotIn(f"cxx:c10::Allocator::{name}", self.by_id)

    def test_what_a_header_defines_further_down_is_inline(self):
        self.assertEqual([row for row in self.rows if row.keys() == {"inline"}], [{"inline": "cxx:c10::defined_below(int)"}])

    def test_callers_see_defaults_and_deprecation(self):
        self.has("cxx:c10::Allocator::old(int)", deprecated="use allocate",
                 parameters=[{"name": "n", "type": "int", "default": "1+2"}])
        self.has("cxx:c10::free_function(const char *, ...)", kind="function")
        self.has("cxx:c10::twice(type-parameter-0-0)", template="typename T")
        self.has("cxx:c10::Array::Array(type-parameter-0-0)", kind="constructor", explicit=None)
        self.has("cxx:c10::Array::Array(int)", kind="constructor", explicit=True)
        self.has("cxx:c10::Array::at(int) const", kind="method")

    def test_values(self):
        self.has("cxx:c10::Kind", kind="enum", underlying="signed char", scoped=True)
        self.has("cxx:c10::Kind::Last", kind="enumerator", value=4)
        self.has("cxx:c10::Bytes", kind="alias", canonical="unsigned long")
        self.has("cxx:c10::Allocator::size_", kind="field", type="int", default="4")
        self.has("cxx:c10::Allocator::rest_", kind="field", default="5")
        self.has("cxx:c10::Allocator::count", kind="variable")

    def test_members_of_an_anonymous_union_belong_to_the_class(self):
        self.has("cxx:c10::Allocator::whole", kind="field")
        self.assertEqual([], [row for row in self.rows if str(SAMPLE) in json.dumps(row)])

    def test_macros(self):
        self.has("macro:SAMPLE_SUM", parameters=["a", "b"], body="((a)+(b))")
        self.has("macro:SAMPLE_VERSION", parameters=None, body="3")

    def test_includes_are_edges(self):
        self.assertIn({"include": "sample_base.h", "in": "sample.h", "line": 2}, self.rows)

    def test_a_missing_header_is_a_diagnostic_and_no_failure(self):
        rows = facts(headers=("gone.h", "sample.h"))
        self.assertIn("'gone.h' file not found", [row.get("diagnostic") for row in rows])
        self.assertIn("cxx:c10::Kind", [row.get("id") for row in rows])

    def test_left_out_and_shallow(self):
        self.assertNotIn("cxx:Base", [row.get("id") for row in facts("--left-out", "sample_base")])
        ids = [row.get("id") for row in facts("--shallow", "sample.h")]
        self.assertIn("cxx:c10::Allocator", ids)
        self.assertNotIn("cxx:c10::Allocator::size_", ids)
        below = next(row for row in facts("--shallow", "sample.h") if row.get("id") == "cxx:c10::defined_below(int)")
        self.assertEqual((below["parameters"], below.get("body")), ([{"type": "int"}], None))

    def test_a_wrong_command_line_is_refused(self):
        done = subprocess.run([PROGRAM, SAMPLE], capture_output=True, text=True, timeout=60)
        self.assertEqual((done.returncode, done.stderr[:19]), (64, "usage: assay-facts "))


if __name__ == "__main__":
    unittest.main()
