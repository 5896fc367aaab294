# SPDX-License-Identifier: BSD-3-Clause
"""Tests the causes of a run on a device with a fault. Tests the program of one cause, and the comparison of causes with
checks, with expectations, with a vendor's lists, and in the gate."""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[2]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
OWN = ROOT / "suites" / "upstream" / "testdata" / "own"
FAULT = "kernel.matmul_ignores_beta"
LISTS = """\
import sys, types, unittest
sys.modules.setdefault("expecttest", types.SimpleNamespace(TestCase=unittest.TestCase))  # as where it is installed
from torch.testing._internal.common_device_type import PrivateUse1TestBase as base
from torch.testing._internal.opinfo.core import DecorateInfo as mark
skip = mark(unittest.skip("never"), "TestArithmetic", "test_op", dtypes=[__import__("torch").int64])
base.set_test_configs(test_exclusions={"TestWays": ["test_passes", "test_raises"]}, op_overrides={"neg": [skip]})
"""
DISABLED = {"test_fails_int64 (__main__.TestWays)": ["https://example.org/1", ["linux"]],
            "test_fails_float32 (__main__.TestWays)": ["https://example.org/2", ["win"]]}
SELECT = ",".join("upstream." + name for name in (
    "test_products.TestProducts.*", "test_verdicts.TestWays.test_passes", "test_verdicts.TestWays.test_raises*",
    "test_verdicts.TestWays.test_fails_float32", "test_verdicts.TestWays.test_fails_int64",
    "test_arithmetic.TestArithmetic.test_op_neg*"))
EXPECTED = """\
target: faulty
expected: []
clusters:
  - {cause: wrong value, subject: "aten::*", tests: "upstream.test_products.*", reason: R,
     issue: "https://example.org/1", expires: 2099-01-01}
  - {cause: wrong value, subject: "aten::frobnicate", tests: "upstream.*", reason: R,
     issue: "https://example.org/2", expires: 2099-01-01}
"""
CLAUSE = "OPI-009"  # a clause that the cluster touches, and whose check passes


def assay(*words):
    command = [BUILD / "bin/assay", *map(str, words)]
    return subprocess.run(command, capture_output=True, text=True, timeout=900)


class CausesOfARun(unittest.TestCase):
    maxDiff = None

    @classmethod
    def setUpClass(cls):
        room = tempfile.TemporaryDirectory(prefix="assay-causes-")
        cls.addClassCleanup(room.cleanup)
        cls.folder = Path(room.name)
        cls.profile, cls.run_folder = cls.write_profile(), cls.folder / "run"
        ran = assay("run", "--target", cls.profile, "--upstream", OWN, "--select", SELECT, "--isolation",
                    "fork-loaded", "--timeout-scale", 4, "--quiet", "--out", cls.run_folder)
        assert ran.returncode == 1, f"{ran.returncode}: {ran.stdout}{ran.stderr}"
        (cls.folder / "expected.yaml").write_text(EXPECTED)
        cls.said = assay("causes", cls.run_folder, "--beside", cls.write_run_of_suites(), "--expectations",
                         cls.folder / "expected.yaml")
        cls.causes = json.loads((cls.run_folder / "causes.json").read_text())

    @classmethod
    def write_run_of_suites(cls):
        """Writes a run with one check, which passed."""
        folder = cls.folder / "suites"
        folder.mkdir()
        (folder / "plan.json").write_text(json.dumps({"jobs": [{"id": "operators.adds", "covers": [CLAUSE]}]}))
        end = {"event": "end", "id": "operators.adds", "final": True, "verdict": "pass"}
        (folder / "journal.jsonl").write_text(json.dumps(end) + "\n")
        return folder

    @classmethod
    def write_profile(cls):
        disabled = cls.folder / "disabled.json"
        disabled.write_text(json.dumps(DISABLED))
        profile = cls.folder / "faulty.yaml"
        profile.write_text(
            f"name: faulty\nenv: {{DISABLED_TESTS_FILE: \"{disabled}\", FAKEDEV_FAULT: {FAULT}}}\n"
            f"load:\n  - import: torch_fakedev_faulty\n  - exec: {json.dumps(LISTS)}\n")
        return profile

    def cluster(self, cause):
        (found,) = (one for one in self.causes["clusters"] if one["cause"] == cause)
        return found

    def test_they_keep_their_schema(self):
        schema = json.loads((ROOT / "reports/schema/causes.schema.json").read_text())
        jsonschema.validate(self.causes, schema)

    def test_the_fault_is_one_cluster_with_a_short_program_that_shows_it(self):
        wrong = self.cluster("wrong value")
        self.assertEqual((wrong["subject"], len(wrong["tests"]), wrong["shown"]), ("aten::addmm", 3, True))
        program = (self.run_folder / wrong["script"]).read_text()
        self.assertLess(len(program.splitlines()), 20)
        self.assertNotIn("assay", program)

    # ---- a vendor's lists

    def test_what_a_list_leaves_out_was_run_and_is_told(self):
        told = json.loads((self.run_folder / "upstream_files.json").read_text())["left_out"]
        self.assertEqual({(one["form"], one["words"], len(one["tests"])) for one in told}, {
            ("test_exclusions", "TestWays.test_passes", 1),
            ("test_exclusions", "TestWays.test_raises", 3),
            ("op_overrides", "neg TestArithmetic.test_op int64", 1),
            ("DISABLED_TESTS_FILE", "test_fails_int64 (__main__.TestWays)", 1),
        })
        by_test = {one: cluster["left_out"] for cluster in self.causes["clusters"] for one in cluster["tests"]}
        self.assertEqual(by_test["upstream.test_verdicts.TestWays.test_raises_int64"], 3)

    def test_an_entry_that_no_longer_holds_is_reported(self):
        self.assertEqual(sorted(self.causes["no_longer"]), [
            "op_overrides: neg TestArithmetic.test_op int64: its test passes",
            "test_exclusions: TestWays.test_passes: its test passes",
        ])
        self.assertIn("no longer so: test_exclusions: TestWays.test_passes", self.said.stdout)

    # ---- one test alone

    def test_repro_shows_one_test_again(self):
        again = assay("repro", "upstream.test_verdicts.TestWays.test_raises_int64", "--upstream", OWN,
                      "--target", self.profile)
        self.assertEqual(again.returncode, 1, again.stdout + again.stderr)
        self.assertIn("RuntimeError: the device is not what it was", again.stdout)
        self.assertIn("test_verdicts.py:", again.stdout)

    # ---- beside the suites

    def test_a_check_that_says_the_opposite_stands_beside_the_cluster(self):
        wrong = self.cluster("wrong value")
        self.assertEqual((wrong["clause"], wrong["kept_by"]), (CLAUSE, ["operators.adds"]))
        self.assertIn("contradicts operators.adds, which says that the clause is kept", self.said.stdout)
        page = assay("report", self.run_folder, "--format", "html").stdout
        data = json.loads(page.split('id="data">')[1].split("</script>")[0])
        self.assertIn((CLAUSE, ["operators.adds"]), [(cause["clause"], cause["kept_by"]) for cause in data["upstream"]["causes"]])

    # ---- expectations, and the gate

    def test_what_is_new_and_what_no_longer_holds_is_told(self):
        self.assertEqual(self.said.returncode, 1, self.said.stderr)
        self.assertIn(f"1 of {len(self.causes['clusters'])} causes expected", self.said.stdout)
        self.assertIn("not expected: no single call differs", self.said.stdout)
        self.assertNotIn("not expected: wrong value", self.said.stdout)
        self.assertIn("expected.yaml:6: wrong value of aten::frobnicate: no test fails for this cause any more",
                      self.said.stdout)

    def gate(self, base):
        path = self.folder / "base.json"
        path.write_text(json.dumps(base))
        decision = self.folder / "decision.json"
        assay("gate", "--causes", self.run_folder / "causes.json", "--base-causes", path, "--out", decision)
        return json.loads(decision.read_text())

    def test_the_gate_tells_new_causes_from_those_of_base(self):
        self.assertEqual(self.gate(self.causes)["decision"], "pass")
        before = dict(self.causes, clusters=[one for one in self.causes["clusters"] if one["cause"] != "wrong value"])
        decision = self.gate(before)
        self.assertEqual((decision["decision"], decision["causes"][0]["rule"]), ("blocked", "cluster_new"))
        self.assertIn("wrong value: aten::addmm (3 tests", decision["causes"][0]["text"])


if __name__ == "__main__":
    unittest.main()
