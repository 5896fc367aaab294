# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the refusal proof finds three wrong checks: one fails because a means is refused, one names another means,
and one passes although its subject was refused. The fourth check is right."""

import json
import unittest

from suites.fixtures.run_case import RunCase, assay

CONTRACT = """\
module: {name: mine, prefix: OWN, title: What our users count on}
requirements:
  - {id: OWN-001, level: must, text: A copy has the values., why: W., anchor: x.h:x, about: []}
  - {id: OWN-002, level: must, text: The module counts., why: W.,
     anchor: torch/x.py:device_count, about: [module.device_count]}
checks:
  - {id: mine.is_right, covers: [OWN-001], hint: H.}
  - {id: mine.takes_a_means_for_its_subject, covers: [OWN-001], hint: H.}
  - {id: mine.names_something_else, covers: [OWN-001], hint: H.}
  - {id: mine.does_not_look_at_its_subject, covers: [OWN-002], hint: H.}
  - {id: mine.takes_its_subject_for_a_means, covers: [OWN-002], hint: H.}
"""
TESTS = '''\
from assay.checks import Case
import torch


class Mine(Case):
    def filled(self):
        return torch.empty(4, device=self.device).fill_(3)

    def test_right(self):
        """mine.is_right"""
        self.expect_tensor(self.filled(), torch.full((4,), 3.0), "a copy has the values")

    def test_means(self):
        """mine.takes_a_means_for_its_subject"""
        try:
            self.on_cpu(self.filled())
        except RuntimeError:
            self.expect(False, "a copy has the values", "something was raised")

    def test_name(self):
        """mine.names_something_else"""
        try:
            self.on_cpu(self.filled())
        except NotImplementedError as error:
            self.block(str(error), "aten::mm")

    def test_subject(self):
        """mine.does_not_look_at_its_subject"""
        count = getattr(self.device_module, "device_count", lambda: 1)()
        self.expect_true(count > 0, "the module counts", count)

    def test_owed(self):
        """mine.takes_its_subject_for_a_means"""
        try:
            self.device_module.device_count()
        except AttributeError as error:
            self._give_up("BLOCKED", "it counts", str(error), "module.device_count")
'''
FILL = "aten::fill_.Scalar"
WRONG = [
    {"check": "mine.takes_a_means_for_its_subject", "means": FILL, "verdict": "fail"},
    {"check": "mine.names_something_else", "means": FILL, "verdict": "blocked"},
    {"check": "mine.does_not_look_at_its_subject", "means": "module.device_count", "verdict": "pass"},
    {"check": "mine.takes_its_subject_for_a_means", "means": "module.device_count", "verdict": "blocked"},
]


class RefusalProof(RunCase):
    def test_wrong_checks_are_named_and_no_other(self):
        done = assay("prove", "--refusals", "--suite", self.write_suite(CONTRACT, TESTS), "--select", "mine", "--quiet",
                     "--format=json", "--out", self.out)
        self.assertEqual(done.returncode, 1, done.stdout + done.stderr)
        defects = json.loads(done.stdout)["refusals"]["defects"]
        self.assertCountEqual(defects, WRONG)


if __name__ == "__main__":
    unittest.main()
