# SPDX-License-Identifier: BSD-3-Clause
"""Tests `assay run --ops` with a made-up program and its checks: listed checks are planned, run, resumed and reported
like all others. suites/opinfo tests torch's operators."""

import json
import unittest

import jsonschema

from harness.command.fixtures.run_fixture import ROOT, RunCase

CONTRACT = "requirements:\n  - {id: OPI-001, level: must, text: It works., why: Because., anchor: sample.h:x}\n"
PROGRAM = """\
# SPDX-License-Identifier: BSD-3-Clause
import os

from assay.host import listing


def list_checks(arguments, steps):
    (words,) = arguments
    if words == "none":
        raise listing.Refusal("none is no dtype: give another")
    if words == "dies":
        os._exit(7)
    for word in words.split(","):
        yield {"id": f"opinfo.Add_.{word}", "covers": ["OPI-001"], "summary": f"nn.Add_ {word}"}


listing.serve("opinfo", "test_sweep.py", list_checks)
"""
CODE = """\
# SPDX-License-Identifier: BSD-3-Clause
import os
import unittest

from assay.host import report


class One(unittest.TestCase):
    def __init__(self, word):
        super().__init__()
        self.word = word

    def runTest(self):
        self.assertIn("warm", WARMED)
        if self.word == "fails":
            report.note("forward", "wrong 1/2 (<b>): element 0 is 2, expected 1")
            report.note("out", "right 1/1")
            self.fail("wrong")
        report.note("forward", "right 2/2")
        report.note("errors", "noted 1/3 nothing was raised, of (3)")
        report.note("native", "aten::add.Tensor aten::add.out")
        if self.word == "crashes":
            os.abort()


WARMED = []


class Family:
    def warm(self):
        WARMED.append("warm")

    def has(self, identity):
        return identity.startswith("opinfo.Add_.")

    def case(self, identity):
        return One(identity.rpartition(".")[2])


FAMILY = Family()
"""


class Listed(RunCase):
    def setUp(self):
        super().setUp()
        data = self.folder / "data"
        conformance = data / "conformance.yaml"
        module = "  opinfo:\n    prefix: OPI\n    title: Operators\n    anchors: [x.py]\ngate:"
        conformance.write_text(conformance.read_text().replace("gate:", module, 1))
        suite = data / "suites" / "opinfo"
        suite.mkdir()
        for name, text in (("contract.yaml", CONTRACT), ("list_checks.py", PROGRAM), ("test_sweep.py", CODE)):
            (suite / name).write_text(text)

    def test_each_listed_check_is_a_job_of_its_own(self):
        self.assertEqual(self.run_target("--ops", "works,fails,crashes", "--select", "opinfo"), 1, self.said)
        wanted = {"opinfo.Add_.works": "pass", "opinfo.Add_.fails": "fail", "opinfo.Add_.crashes": "crash"}
        self.assertEqual(self.verdicts(), wanted)
        self.assertEqual(self.assay("report", self.out, "--format", "json"), 0, self.said)
        checks = {check["id"]: check for check in json.loads(self.said)["checks"]}
        self.assertEqual(checks["opinfo.Add_.fails"]["covers"], ["OPI-001"])
        self.assertIn("suites/opinfo/test_sweep.py", checks["opinfo.Add_.fails"]["location"])

    def test_the_matrix_shows_them_in_every_form(self):
        self.assertEqual(self.assay("ops", "--target", "./nothing.yaml", "--dtypes", "works,fails,crashes", "--out", self.out), 1)
        self.assertIn("1 operators on torch", self.said)
        self.assertIn("1 ended 1 wrong 1 native", self.said)
        self.assertIn("right: 1 of 3 pairs of operator and dtype", self.said)
        made = json.loads((self.out / "ops.json").read_text())
        jsonschema.validate(made, json.loads((ROOT / "reports" / "schema" / "ops.schema.json").read_text()))
        rows = {(row["dtype"], row["aspect"]): (row["verdict"], row["where"], row["counts"]) for row in made["operators"]}
        self.assertEqual(rows["works", "forward"], ("right", "native", "2/2"))
        self.assertEqual(rows["works", "errors"], ("noted", "native", "1/3"))
        self.assertIn("noted     errors: nothing was raised, of (3)", self.said)
        self.assertEqual(rows["fails", "forward"], ("wrong", "wrong", "1/2"))
        self.assertEqual(rows["fails", "out"], ("right", "wrong", "1/1"))
        self.assertEqual(rows["crashes", "forward"], ("right", "ended", "2/2"))
        self.assertEqual({row["name"] for row in made["operators"]}, {"nn.Add_"})
        self.assertEqual((self.out / "ops.csv").read_text(), "operator,works,fails,crashes\nnn.Add_,native,wrong,ended\n")
        page = (self.out / "ops.html").read_text()
        self.assertIn("(&lt;b&gt;): element 0 is 2", page)
        self.assertNotIn("(<b>)", page)
        self.assertEqual(self.assay("ops", self.out, "--format", "csv"), 0)
        self.assertIn("nn.Add_,native,wrong,ended", self.said)

    def test_deep_asks_each_dtype_with_more_samples(self):
        self.assertEqual(self.assay("ops", "--target", "./nothing.yaml", "--deep", "--dtypes", "works,good", "--out", self.out), 0)
        self.assertEqual(self.verdicts(), {"opinfo.Add_.works_deep": "pass", "opinfo.Add_.good_deep": "pass"})

    def test_the_matrix_counts_what_models_use(self):
        models = self.folder / "data" / "suites" / "opinfo" / "models"
        models.mkdir()
        (models / "used_operators.tsv").write_text("# a comment\naten::add.out\t2\t30\ta b\naten::sub\t1\t10\ta\n")
        self.assay("ops", "--target", "./nothing.yaml", "--dtypes", "works", "--out", self.out)
        self.assertIn("1 of 2 operators that 2 models use, 30 of their 40 calls", self.said)
        self.assertIn("1 more that no check of this run reached", self.said)

    def test_a_run_without_operators_has_no_matrix(self):
        self.run_target()
        self.assertEqual(self.assay("ops", self.out), 65, self.said)
        self.assertIn("tested no operator: make a run with assay ops", self.said)

    def test_they_stand_beside_the_written_ones(self):
        self.run_target("--ops", "works")
        self.assertEqual(self.verdicts(), dict(self.good, **{"opinfo.Add_.works": "pass"}))

    def test_one_of_them_alone(self):
        words = ["repro", "--target", "./nothing.yaml"]
        self.assertEqual(self.assay(*words, "opinfo.Add_.fails"), 1, self.said)
        self.assertEqual(self.assay(*words, "opinfo.Add_.works"), 0, self.said)
        self.assertEqual(self.assay(*words, "opinfo.Mul_.works"), 64, self.said)
        self.assertIn('there is no check "opinfo.Mul_.works"', self.said)

    def test_a_run_goes_on_with_the_list_it_began_with(self):
        self.run_target("--ops", "works,fails", "--select", "opinfo")
        journal = self.out / "journal.jsonl"
        lines = journal.read_text().splitlines(keepends=True)
        kept = [line for line in lines if '"event":"end"' not in line.replace(" ", "")]
        journal.write_text("".join(line for line in kept if "finish" not in line))
        (self.folder / "data" / "suites" / "opinfo" / "list_checks.py").write_text("raise SystemExit(3)\n")
        self.assertEqual(self.assay("run", "--resume", self.out), 1, self.said)
        self.assertEqual(self.verdicts(), {"opinfo.Add_.works": "pass", "opinfo.Add_.fails": "fail"})

    def test_a_list_that_cannot_be_made_is_one_sentence(self):
        self.assertEqual(self.run_target("--ops", "none"), 65, self.said)
        self.assertEqual(self.said, "assay: none is no dtype: give another\n")
        self.assertEqual(self.run_target("--ops", "dies"), 65, self.said)
        self.assertIn("the checks of opinfo cannot be listed: the process that lists them ended with exit status 7", self.said)
        self.assertEqual(self.run_target("--ops", "a b"), 65, self.said)
        self.assertIn("listed.json", self.said)


if __name__ == "__main__":
    unittest.main()
