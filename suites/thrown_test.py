# SPDX-License-Identifier: BSD-3-Clause
"""An exception that a target raises in the harness decides nothing: the checks neither skip nor pass, the run is
undecided, and the gate does not pass.

The functions of the fake device's module are replaced by functions that all throw the same exception.
"""

import unittest
from collections import Counter

from suites.fixtures.run_case import RunCase, assay

PROFILE = """\
name: thrower
load:
  - import: torch_fakedev
  - exec: |
      import types, unittest, torch
      from assay.host import report
      def thrown(*arguments, **options):
          raise {thrown}
      for name, value in list(vars(torch.fakedev).items()):
          if isinstance(value, types.FunctionType):
              setattr(torch.fakedev, name, thrown)
timeouts: {{load: 60, check: 30}}
"""


class Thrown(RunCase):
    def run_with(self, thrown):
        target = self.folder / "target.yaml"
        target.write_text(PROFILE.format(thrown=thrown), encoding="utf-8")
        return self.run_suites("--target", target, "--select", "device_module", "--isolation=fork-clean", "--timeout-scale=4",
                               statuses=(1, 2)).values()

    def reasons(self, ends, word):
        return [one["reason"] for one in ends if word in one.get("reason", "")]

    def test_what_ends_a_test_in_unittest_decides_nothing(self):
        for thrown in ("unittest.SkipTest('none here')", "KeyboardInterrupt", "SystemExit(0)", "report.Ended"):
            with self.subTest(thrown):
                ends = self.run_with(thrown)
                verdicts = Counter(one["verdict"] for one in ends)
                self.assertNotIn("skip", verdicts)
                self.assertGreater(verdicts["broken"], 5, verdicts)
                name = thrown.partition("(")[0].rpartition(".")[2]
                self.assertGreater(len(self.reasons(ends, f"only the check itself may raise: {name}")), 5, ends)
                self.gate_does_not_pass()

    def test_a_target_that_refuses_everything_is_undecided(self):
        self.run_with("NotImplementedError('none here')")
        self.gate_does_not_pass()

    def gate_does_not_pass(self):
        done = assay("gate", "--head", self.out, "--select", "device_module")
        self.assertNotEqual(done.returncode, 0, done.stdout + done.stderr)


if __name__ == "__main__":
    unittest.main()
