# SPDX-License-Identifier: BSD-3-Clause
"""`assay run --ops`: checks that a program lists are planned, run, resumed and shown like all others.
The program and its checks are made up here; those of torch's operators are in suites/opinfo."""

import json
import unittest

from run_fixture import RunCase

CONTRACT = "requirements:\n  - {id: OPI-001, level: must, text: It works., why: Because., anchor: sample.h:x}\n"
PROGRAM = """\
# SPDX-License-Identifier: BSD-3-Clause
import os

from assay_host import listing


def list_checks(arguments, steps):
    (words,) = arguments
    if words == "none":
        raise listing.Refusal("none is no dtype: give another")
    if words == "dies":
        os._exit(7)
    for word in words.split(","):
        yield {"id": f"opinfo.Add_.{word}", "covers": ["OPI-001"], "summary": f"Adds {word}."}


listing.serve("opinfo", "test_sweep.py", list_checks)
"""
CODE = """\
# SPDX-License-Identifier: BSD-3-Clause
import os
import unittest


class One(unittest.TestCase):
    def __init__(self, word):
        super().__init__()
        self.word = word

    def runTest(self):
        self.assertIn("warm", WARMED)
        self.assertNotEqual(self.word, "fails")
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

    def test_they_stand_beside_the_written_ones(self):
        self.run_target("--ops", "works")
        self.assertEqual(self.verdicts(), dict(self.good, **{"opinfo.Add_.works": "pass"}))

    def test_one_of_them_alone(self):
        words = ["repro", "--target", "./nothing.yaml"]
        self.assertEqual(self.assay(*words, "opinfo.Add_.fails"), 1, self.said)
        self.assertEqual(self.assay(*words, "opinfo.Add_.works"), 0, self.said)
        self.assertEqual(self.assay(*words, "opinfo.Mul_.works"), 64, self.said)
        self.assertIn("there is no check opinfo.Mul_.works", self.said)

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
