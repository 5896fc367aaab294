# SPDX-License-Identifier: BSD-3-Clause
"""Tests assay run --changed with paths of PyTorch's tree: old and new locations of files, sources, files that affect no
backend, and unknown files."""

import csv
import os
import re
import subprocess
import unittest
from importlib.util import find_spec
from pathlib import Path

ROOT = Path(__file__).resolve().parents[3]
ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin/assay"
HOMES = ROOT / "suites/homes.tsv"


def changed(files):
    return subprocess.run([ASSAY, "run", "--target", "nowhere.yaml", "--changed", files], capture_output=True, text=True, timeout=60)


def count(files):
    return int(re.search(r"^(\d+) checks? (?:is|are) about what changed", changed(files).stderr, re.M)[1])


class Changed(unittest.TestCase):
    def test_each_spelling_of_a_file_finds_the_same_checks(self):
        for spellings in (
            ("native_functions.yaml", "aten/src/ATen/native/native_functions.yaml", "torchgen/packaged/ATen/native/native_functions.yaml"),
            ("c10/core/DeviceType.h", "torch/headeronly/core/DeviceType.h", "torch/include/torch/headeronly/core/DeviceType.h"),
            ("c10/core/ScalarType.h", "torch/headeronly/core/ScalarType.h"),
            ("ATen/Context.h", "aten/src/ATen/Context.h", "aten/src/ATen/Context.cpp"),
            ("c10/core/DispatchKey.h", "c10/core/DispatchKey.cpp"),
            ("torch/csrc/utils/device_lazy_init.h", "torch/csrc/utils/device_lazy_init.cpp"),
        ):
            found = {name: count(name) for name in spellings}
            self.assertEqual(len(set(found.values())), 1, found)
            self.assertGreater(found[spellings[0]], 0, found)

    def test_member_of_a_moved_file_is_asked_for_alone(self):
        whole, member = count("torch/headeronly/core/DeviceType.h"), count("torch/headeronly/core/DeviceType.h:is_privateuse1_backend_registered")
        self.assertTrue(0 < member < whole, (member, whole))

    def test_file_that_assay_does_not_know_is_unknown_and_undecided(self):
        for file in ("c10/core/Nowhere.h", "aten/src/ATen/native/cpu/Nothing.cpp", "c10/core/Stream.h:Nothing"):
            done = changed(file)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(f"unknown: {file}: ", done.stderr)
            self.assertIn("0 checks are about what changed", done.stderr)

    def test_clause_without_a_check_is_named(self):
        for file in ("c10/core/AllocatorConfig.h", "c10/core/AllocatorConfig.cpp"):
            done = changed(file)
            self.assertEqual(done.returncode, 2)
            self.assertRegex(done.stderr, f"unknown: {re.escape(file)}: no check covers the clauses about it \\(\\w+-\\d+\\)")

    def test_what_no_backend_meets_is_said_and_decided(self):
        for file in ("README.md", "docs/source/notes/mps.rst", ".github/workflows/pull.yml", "c10/cuda/CUDAStream.cpp", "aten/src/ATen/native/cuda/Copy.cu"):
            done = changed(file)
            self.assertEqual((done.returncode, "unknown" in done.stderr), (0, False), done.stderr)
            self.assertIn(f"no backend uses {file}: ", done.stderr)

    def test_unknown_beside_known_is_said_and_the_run_goes_on(self):
        done = changed("c10/core/Nowhere.h,c10/core/Allocator.h")
        self.assertIn("unknown: c10/core/Nowhere.h", done.stderr)
        self.assertEqual(done.returncode, 65)  # the missing target is reported next


class Homes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with open(HOMES, encoding="utf-8") as file:
            cls.rows = list(csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE))

    def test_every_row_leads_to_checks_or_says_why_to_none(self):
        for row in self.rows:
            self.assertTrue(row["why"], row)
            if row["about"] != "-":
                self.assertNotIn("*", row["file"])
                for place in row["about"].split(";"):
                    words = [place] if re.fullmatch(r"[A-Z]+-\d+", place) else ["--header", place]
                    told = subprocess.run([ASSAY, "explain", *words], capture_output=True, text=True, timeout=60)
                    self.assertEqual((told.returncode, "no clause has this anchor" in told.stdout), (0, False), (row["file"], place))

    def test_every_header_of_a_row_is_pytorchs(self):
        torch = find_spec("torch")
        if not torch:
            self.skipTest("no torch is installed here")
        installed = Path(torch.origin).parent
        for row in self.rows:
            if row["file"].endswith((".h", ".hpp")) and "*" not in row["file"]:
                self.assertTrue((installed / "include" / row["file"]).is_file(), row["file"])


if __name__ == "__main__":
    unittest.main()
