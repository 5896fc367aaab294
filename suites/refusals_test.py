# SPDX-License-Identifier: BSD-3-Clause
"""A check of a capability that a profile denies is skipped only if the refusal check has seen a refusal.

The fake device supports torch.compile, so PyTorch itself is configured to refuse it: the stance fail_on_recompile
raises for every function that is not compiled yet.
"""

import unittest

from suites.fixtures.run_case import RunCase

CHECKS = ("amp.uncompilable_region_raises_and_changes_nothing", "amp.compiled_region_casts_like_eager")
PROFILE = """\
name: without_compile
load:
  - import: torch_fakedev
{steps}capabilities: {{compile: no}}
timeouts: {{load: 60, check: 30}}
"""
REFUSE = """  - exec: "import torch; torch.compiler.set_stance('fail_on_recompile')"\n"""


class Refusals(RunCase):
    def verdicts(self, steps):
        """The results of the refusal check and of the check that needs the capability."""
        target = self.folder / "target.yaml"
        target.write_text(PROFILE.format(steps=steps), encoding="utf-8")
        select = ",".join(f"check:{check}" for check in CHECKS)
        ends = self.run_suites("--target", target, "--select", select, "--isolation=fork-clean", "--timeout-scale=4", statuses=(0,))
        return [ends[check]["verdict"] for check in CHECKS]

    def test_what_is_refused_is_skipped(self):
        self.assertEqual(self.verdicts(REFUSE), ["pass", "skip"])

    def test_what_works_all_the_same_is_tested(self):
        self.assertEqual(self.verdicts(""), ["noted", "pass"])


if __name__ == "__main__":
    unittest.main()
