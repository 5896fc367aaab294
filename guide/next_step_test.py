# SPDX-License-Identifier: BSD-3-Clause
"""assay next: stages are counted from a run, and the advice is the piece that blocks most checks of the next stage."""

import json
import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

import jsonschema
from next_step import DATA, badge, example_of_clause, example_of_operator, numbers_of, steps_of

BUILD = Path(os.environ["ASSAY_BUILD"])
ASSAY = BUILD / "bin/assay"


def check(name, verdict, about=None, blocked_by=None):
    return {"id": name, "verdict": verdict, "about": about, "blocked_by": blocked_by}


class Badge(unittest.TestCase):
    def test_the_stage_or_that_it_was_not_asked(self):
        for reached, message, colour in (("first", "first", "yellow"), ("last", "last", "brightgreen"),
                                         ("none", "none", "lightgrey"), (None, "not asked", "lightgrey")):
            told = badge({"run": {"target": "mine", "stage": reached}, "stages": [{"name": "first"}, {"name": "last"}]})
            self.assertEqual((told["message"], told["color"]), (message, colour))


class Ranked(unittest.TestCase):
    def first(self, *checks):
        verdicts = {one["id"]: one for one in checks}
        stage = {"open": [one["id"] for one in checks]}
        return steps_of(stage, verdicts, verdicts)[0]

    def test_what_holds_up_most_comes_first(self):
        step = self.first(check("a", "fail"), check("b", "blocked", "aten::mm"), check("c", "blocked", "aten::mm"))
        self.assertEqual((step.what, step.held_up, step.is_defect), ("aten::mm", ["b", "c"], False))

    def test_a_defect_comes_before_a_gap_of_its_size(self):
        self.assertEqual(self.first(check("a", "blocked", "aten::mm"), check("b", "fail")).what, "b")

    def test_what_is_blocked_by_a_check_is_counted_for_it(self):
        step = self.first(check("a", "blocked", "aten::mm"), check("b", "fail"), check("c", "blocked", "x", "b"))
        self.assertEqual((step.what, step.held_up), ("b", ["b", "c"]))

    def test_an_unproven_capability_leads_to_what_its_probe_lacks(self):
        unproven = {**check("a", "blocked", "compile"), "reason": "compile is unproven: see b"}
        step = self.first(unproven, check("b", "blocked", "aten::mm"))
        self.assertEqual((step.what, step.check["id"], step.held_up), ("aten::mm", "b", ["a", "b"]))

    def test_a_gap_that_no_page_fills_comes_last(self):
        step = self.first(check("x", "blocked", "lost"), check("y", "blocked", "lost"), check("c", "blocked", "aten::mm"))
        self.assertEqual(step.what, "aten::mm")


class Example(unittest.TestCase):
    def test_ranges_of_clauses_are_read(self):
        self.assertEqual(numbers_of("OPS-001 to OPS-003, DEV-030"), {"OPS-001", "OPS-002", "OPS-003", "DEV-030"})
        self.assertEqual(numbers_of("GEN-001 to\n * GEN-002"), {"GEN-001", "GEN-002"})

    def test_places_of_the_worked_example_are_there(self):
        self.assertEqual(example_of_clause(["DEV-004"]), "fake_device/integration/device_guard.cc")
        file, line = example_of_operator("aten::native_batch_norm").split(":")
        self.assertIn('"native_batch_norm"', (DATA / file).read_text().splitlines()[int(line) - 1])
        self.assertIsNone(example_of_operator("aten::there_is_no_such"))


class Promised(unittest.TestCase):
    def listed(self, *words):
        return set(subprocess.run([ASSAY, "list", *words], capture_output=True, text=True, check=True).stdout.splitlines())

    def test_a_check_of_a_later_torch_is_not_asked_of_an_older_one(self):
        later = self.listed("generator") - self.listed("generator", "--torch", "2.13.0")
        self.assertTrue(any("GEN-038" in line for line in later), later)
        self.assertTrue(any("GEN-038" in line for line in self.listed("generator", "--torch", "2.15.0")))


class Advised(unittest.TestCase):
    """A backend of the fleet that has guard, allocator and a dozen operators."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.scratch.cleanup)
        cls.run_folder = Path(cls.scratch.name) / "run"
        profile = BUILD / "fleet/few_operators/profile.yaml"
        cls.environment = os.environ | {"XDG_CACHE_HOME": f"{cls.scratch.name}/cache"}
        cls.assay("run", "--target", profile, "--select", "bring-up", "--out", cls.run_folder, "--quiet")
        cls.told = cls.assay("next", cls.run_folder)

    @classmethod
    def assay(cls, *words):
        return subprocess.run([ASSAY, *words], cwd=cls.scratch.name, env=cls.environment, capture_output=True, text=True, timeout=300)

    def test_the_stage_and_the_step_are_told(self):
        self.assertEqual((self.told.returncode, self.told.stderr), (1, ""))
        self.assertIn("stage reached: none", self.told.stdout)
        self.assertRegex(self.told.stdout, r"usable .*not yet, \d+ not asked")
        for label in ("do", "needed by", "holds up", "then run"):
            self.assertRegex(self.told.stdout, rf"(?m)^  {label} ", label)
        self.assertRegex(self.told.stdout, r"(?m)^  read +assay guide \w+$")
        example = re.search(r"(?m)^  example +([^:\n]+)", self.told.stdout)[1]
        self.assertTrue(Path(example).is_absolute() and Path(example).is_file(), example)

    def test_without_a_word_it_reads_the_last_run_wherever_that_lies(self):
        told = self.assay("next")
        self.assertEqual((told.returncode, told.stdout, told.stderr), (1, self.told.stdout, ""))

    def test_the_command_runs_the_checks_that_are_held_up(self):
        words = " ".join(self.told.stdout.split("then run")[1].split("after that")[0].split())
        select = words.split("--select ")[1]
        listed = subprocess.run([ASSAY, "list", select], capture_output=True, text=True)
        self.assertEqual(listed.returncode, 0, listed.stderr)

    def test_the_report_lists_what_is_missing(self):
        said = subprocess.run([ASSAY, "report", self.run_folder], capture_output=True, text=True, timeout=60).stdout
        _, _, operators = said.partition("OPERATORS that are missing")
        operators, _, capabilities = operators.partition("CAPABILITIES that are missing")
        self.assertRegex(operators, r"aten::add.out +\d+ checks? blocked")
        self.assertRegex(capabilities, r"tensor.resize +\d+ checks? skipped, shown by storage.unsupported_tensor_resize_changes_nothing")

    def test_other_formats_say_the_same(self):
        for format, told in (("json", "reached"), ("shields", "message")):
            answer = subprocess.run([ASSAY, "next", self.run_folder, "--format", format], capture_output=True, text=True)
            schema = json.loads((DATA / f"reports/schema/{'next' if format == 'json' else format}.schema.json").read_text())
            document = json.loads(answer.stdout)
            jsonschema.validate(document, schema)
            self.assertEqual((answer.returncode, answer.stderr, document[told]), (1, "", "none"))

    def test_there_is_no_such_run(self):
        told = subprocess.run([ASSAY, "next", "/nonexistent"], capture_output=True, text=True)
        self.assertEqual((told.returncode, told.stdout), (65, ""))
        self.assertIn("/nonexistent", told.stderr)


if __name__ == "__main__":
    unittest.main()
