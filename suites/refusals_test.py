# SPDX-License-Identifier: BSD-3-Clause
"""A check of a capability that a profile denies is skipped only if the refusal check has seen a refusal.

The fake device supports torch.compile, so PyTorch itself is configured to refuse it: the stance fail_on_recompile
raises for every function that is not compiled yet.
"""

import json
import os
import subprocess
import tempfile
import unittest
from pathlib import Path

BUILD = Path(os.environ["ASSAY_BUILD"])
CHECKS = ("amp.uncompilable_region_raises_and_changes_nothing", "amp.compiled_region_casts_like_eager")
PROFILE = """\
name: without_compile
load:
  - import: torch_fakedev
{steps}capabilities: {{compile: no}}
timeouts: {{load: 60, check: 30}}
"""
REFUSE = """  - exec: "import torch; torch.compiler.set_stance('fail_on_recompile')"\n"""


class Refusals(unittest.TestCase):
    def verdicts(self, steps):
        """The results of the refusal check and of the check that needs the capability."""
        with tempfile.TemporaryDirectory(prefix="assay-refusals-") as folder:
            target = Path(folder, "target.yaml")
            target.write_text(PROFILE.format(steps=steps), encoding="utf-8")
            select = ",".join(f"check:{check}" for check in CHECKS)
            done = subprocess.run(
                [BUILD / "bin/assay", "run", "--target", target, "--select", select,
                 "--isolation=fork-clean", "--quiet", "--timeout-scale=4", "--out", f"{folder}/run"],
                capture_output=True, text=True, timeout=300,
            )
            self.assertEqual(done.returncode, 0, done.stdout + done.stderr)
            journal = Path(folder, "run", "journal.jsonl").read_text(encoding="utf-8")
        records = [json.loads(line) for line in journal.splitlines()]
        ends = {one["id"]: one["verdict"] for one in records if one["event"] == "end" and one["final"]}
        return [ends[check] for check in CHECKS]

    def test_what_is_refused_is_skipped(self):
        self.assertEqual(self.verdicts(REFUSE), ["pass", "skip"])

    def test_what_works_all_the_same_is_tested(self):
        self.assertEqual(self.verdicts(""), ["noted", "pass"])


if __name__ == "__main__":
    unittest.main()
