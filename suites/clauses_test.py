# SPDX-License-Identifier: BSD-3-Clause
"""Tests that verdicts belong to clauses. On a device without faults, a check of several clauses reports each clause as
held.

A check that cannot tell its clauses apart has `clauses: together` in contract.yaml and reports no clause. With a fault
that violates one of several clauses, the other clauses must pass.
"""

import json
import unittest

from suites.fixtures.run_case import CLEAN, RunCase, assay, final_ends

GOOD = ("pass", "noted", "fallback")


class Clauses(RunCase):
    def test_each_clause_is_spoken_of(self):
        plan = json.loads((CLEAN / "plan.json").read_text(encoding="utf-8"))
        plan = {job["id"]: job for job in plan["jobs"] if len(job["covers"]) > 1}
        self.assertGreater(len(plan), 50)
        ends = final_ends(CLEAN)
        for check in plan:
            if ends[check]["verdict"] not in GOOD:
                continue  # this check uses means that are subjects of other checks of the suites
            said = {one["id"]: one["verdict"] for one in ends[check].get("clauses", [])}
            with self.subTest(check=check):
                if plan[check]["clauses"] == "together":
                    self.assertEqual(said, {}, "its entry has `clauses: together`, but it reports a single clause")
                else:
                    self.assertEqual(list(said), plan[check]["covers"], "it reports only some of its clauses, or none")
                    self.assertLessEqual(set(said.values()), set(GOOD), said)

    def test_one_clause_breaks_and_the_others_hold(self):
        """A clause passes even if the check found a violation of another clause."""
        check = "generator.every_random_operator_uses_the_given_generator"
        ends = self.run_suites("--target", "fakedev_faulty", "--select", check, "--arm", "generator.seed_keeps_offset",
                               "--no-block", statuses=(0, 1))
        report = assay("report", self.out).stdout
        document = json.loads(assay("report", "--format", "json", self.out).stdout)
        self.assertEqual(ends[check]["verdict"], "fail", ends[check])
        said = {one["id"]: one["verdict"] for one in ends[check]["clauses"]}
        self.assertEqual(said, {"GEN-036": "pass", "GEN-009": "fail", "GEN-010": "pass"})
        self.assertRegex(report, r"clauses +GEN-009: fail; GEN-036: held; GEN-010: held")
        (entry,) = [one for one in document["checks"] if one["id"] == check]
        self.assertEqual(entry["clauses"], said)
        verdicts = {one["id"]: one["verdict"] for one in document["requirements"]}
        self.assertEqual(verdicts["GEN-010"], "pass")


if __name__ == "__main__":
    unittest.main()
