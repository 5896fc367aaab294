# SPDX-License-Identifier: BSD-3-Clause
"""Tests `assay diff` of two runs. In the first run a missing operator blocks a check. In the second run the operator
exists and the check fails. `assay diff` must not report this failure as a regression."""

import unittest

from fleet_run import Run, assay

CHECK = "operators.batch_norm_training_updates_running_statistics"


class Diff(unittest.TestCase):
    def test_a_failure_that_was_hidden_is_newly_visible(self):
        words = ("--select", f"check:{CHECK}")
        before = Run("host_memory", *words, "--refuse", "aten::native_batch_norm")
        after = Run("host_memory", *words)
        seen = [next(one["verdict"] for one in run.checks if one["id"] == CHECK) for run in (before, after)]
        self.assertEqual(seen, ["blocked", "fail"])
        told = assay("diff", before.folder, after.folder)
        self.assertEqual(told.returncode, 0, told.stdout + told.stderr)
        self.assertRegex(told.stdout, rf"newly visible[\s\S]*{CHECK}")


if __name__ == "__main__":
    unittest.main()
