# SPDX-License-Identifier: BSD-3-Clause
"""Tests the report of ci/adopt with a given prediction, compiler output and run. Needs no torch."""

import json
import unittest

import adopt_report
from harness.command.fixtures.folder_case import FolderCase

LOG = """harness/a.cc:3:7: error: ‘class c10::Allocator’ has no member named ‘clone’
harness/a.cc:3:7: error: ‘class c10::Allocator’ has no member named ‘clone’
harness/b.cc:4:1: fatal error: c10/core/Gone.h: No such file or directory
FAILED  2.99.0  harness/a.cc
"""


def entry(identity, change="virtual_added", header="c10/core/Allocator.h", internal=False):
    return {"id": identity, "change": change, "header": header, "internal": internal}


class Judge(unittest.TestCase):
    BREAKS = {"fakedev": [("cxx:c10::Allocator::clone(int) const", "calls it")]}

    def test_errors_are_told_once(self):
        self.assertEqual([where for where, _ in adopt_report.compile_errors(LOG)], ["harness/a.cc", "harness/b.cc"])

    def test_error_that_was_predicted_is_neither_missed_nor_invented(self):
        self.assertEqual(adopt_report.judge(self.BREAKS, adopt_report.compile_errors(LOG)[:1], []), ([], []))

    def test_error_that_nobody_predicted_is_missed(self):
        missed, _ = adopt_report.judge(self.BREAKS, adopt_report.compile_errors(LOG), ["2.99  fail  guard.a: why"])
        self.assertEqual([line.split(":")[0] for line in missed], ["harness/b.cc", "run"])

    def test_prediction_that_nothing_shows_is_invented(self):
        self.assertEqual(adopt_report.judge(self.BREAKS, [], []), ([], ["cxx:c10::Allocator::clone(int) const"]))

    def test_a_name_inside_another_is_not_that_name(self):
        missed, invented = adopt_report.judge(self.BREAKS, [("a.cc", "no member named 'clone_impl'")], [])
        self.assertEqual((len(missed), len(invented)), (1, 1))


class Surfaces(unittest.TestCase):
    LABELS = ("c10/core/Allocator.h:Allocator::clone", "torch/random.py:fork_rng")

    def surfaces(self, *entries):
        return list(adopt_report.new_surfaces({"entries": entries}, self.LABELS))

    def test_new_virtual_of_a_header_that_clauses_are_about_is_one(self):
        self.assertEqual(self.surfaces(entry("cxx:c10::Allocator::seeded()")), ["cxx:c10::Allocator::seeded()"])

    def test_what_an_anchor_names_and_what_is_elsewhere_is_none(self):
        self.assertEqual(self.surfaces(entry("cxx:c10::Allocator::clone(int)"), entry("cxx:c10::X::f()", header="c10/core/X.h"),
                                       entry("cxx:c10::Allocator::f()", internal=True), entry("cxx:c10::Allocator::f()", "added")), [])  # fmt: skip

    def test_new_function_of_the_accelerator_is_one(self):
        self.assertEqual(len(self.surfaces(entry("py:torch.accelerator.seed", "added"), entry("py:torch.cuda.seed", "added"))), 1)


class Report(FolderCase):
    def report(self):
        """Returns the lines of the report, and whether somebody must act."""
        return adopt_report.report("2.98.0", "2.99.0", (self.folder, self.folder), self.folder)

    def test_step_that_was_left_out_is_told_and_not_judged(self):
        self.write("compile.log", "2 passed, 0 failed\n")
        lines, acting = self.report()
        text = "\n".join(lines)
        self.assertFalse(acting, text)
        for words in ("# torch 2.99.0 after 2.98.0", "refuses\nNothing.", "not run", "Clauses to verify again: 0"):
            self.assertIn(words, text)
        self.assertNotIn("Invented", text)

    def test_backend_of_the_fleet_that_does_not_compile_is_told(self):
        self.write("fleet-build.log", LOG)
        lines, acting = self.report()
        self.assertTrue(acting)
        self.assertIn("- `harness/b.cc`: c10/core/Gone.h: No such file or directory", lines)

    def write_runs(self, pinned, new):
        """Writes a run with this verdict on the pinned torch, and a run on the new torch."""
        for name, version, verdict in (("pinned", "2.13.0", pinned), ("run", "2.99.0", new)):
            checks = [{"id": "guard.a", "verdict": verdict, "reason": "why"}]
            run = {"run": {"torch": {"version": version}, "target": "fakedev"}, "checks": checks}
            self.write(f"{name}/suites.json", json.dumps(run))

    def test_what_is_wrong_on_the_pinned_torch_is_not_the_new_ones(self):
        self.write_runs("fail", "pass")
        self.assertEqual(adopt_report.told_run(self.folder)[1], ["2.99  pass         fakedev guard.a (fail on 2.13): why"])

    def test_wrong_verdict_is_told_and_acted_upon(self):
        self.write_runs("pass", "fail")
        lines, acting = self.report()
        self.assertTrue(acting)
        self.assertIn("- 2.99  fail         fakedev guard.a (pass on 2.13): why", lines)


if __name__ == "__main__":
    unittest.main()
