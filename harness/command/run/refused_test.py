# SPDX-License-Identifier: BSD-3-Clause
"""Makes one system call of the `assay` command fail: the n-th start of a process, or the n-th rename of a file. The
output must then be correct or an error message, and the run must be resumable."""

import unittest

from harness.command.fixtures.run_fixture import BUILD, RunCase

INJECTOR = BUILD / "tests" / "inject_failures.so"


class Refused(RunCase):
    def start(self, inject, out):
        self.counts = self.folder / "counts"
        return self.run_target(out=out, LD_PRELOAD=str(INJECTOR), INJECT_PROGRAM="assay", INJECT=inject,
                               INJECT_COUNTS=str(self.counts), XDG_CACHE_HOME=str(self.folder / "cache"))

    def go_on(self, out):
        """If a plan was written, the run is resumed. Otherwise a new run is made in the folder."""
        if (out / "plan.json").exists():
            return self.assay("run", "--resume", out)
        return self.run_target(out=out)

    def test_every_refusal_ends_in_a_true_verdict_or_a_sentence(self):
        self.assertEqual(self.start("", self.out), 0, self.said)
        counts = dict(map(str.split, self.counts.read_text().splitlines()))
        points = [f"{kind}:{n}" for kind in ("fork", "spawn", "rename") for n in range(1, int(counts[kind]) + 1)]
        self.assertGreater(len(points), 3)
        for point in points:
            with self.subTest(point):
                out = self.folder / point.replace(":", "-")
                status = self.start(point, out)
                self.assertIn(status, {0, 2, 65, 71}, self.said)
                if status:
                    self.assertRegex(self.said, r"the machine allows no new process|cannot replace")
                else:
                    self.assertEqual(self.verdicts(out), self.good)
                if status:
                    self.assertEqual(self.go_on(out), 0, self.said)
                    self.assertEqual(self.verdicts(out), self.good)
                self.assertEqual(list(out.rglob("*.new")), [])
        print(f"failure injection: {len(points)} points")


if __name__ == "__main__":
    unittest.main()
