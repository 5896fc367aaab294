# SPDX-License-Identifier: BSD-3-Clause
"""Tests that verdicts belong to clauses. On a device without faults, a check of several clauses reports each clause as
held.

A check that cannot tell its clauses apart has `clauses: together` in contract.yaml and reports no clause. With a fault
that violates one of several clauses, the other clauses must pass.
"""

import json
import unittest

from suites.fixtures.run_case import RunCase, assay

GOOD = ("pass", "noted", "fallback")


class Clauses(RunCase):
    def run_checks(self, target, select, *options):
        """Returns the plan by check, the last record of each check, and the report."""
        ends = self.run_suites("--target", target, "--select", select, *options, statuses=(0, 1))
        plan = json.loads((self.out / "plan.json").read_text(encoding="utf-8"))
        self.report = assay("report", self.out).stdout
        self.json = json.loads(assay("report", "--format", "json", self.out).stdout)
        return {job["id"]: job for job in plan["jobs"]}, ends

    def several(self):
        """Ids of the checks that cover more than one clause."""
        return [one["id"] for one in json.loads(assay("list", "--format", "json").stdout)["checks"] if len(one["covers"]) > 1]

    def test_each_clause_is_spoken_of(self):
        several = self.several()
        self.assertGreater(len(several), 50)
        plan, ends = self.run_checks("fakedev", ",".join(several))
        for check in several:
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
        _, ends = self.run_checks("fakedev_faulty", check, "--arm", "generator.seed_keeps_offset", "--no-block")
        self.assertEqual(ends[check]["verdict"], "fail", ends[check])
        said = {one["id"]: one["verdict"] for one in ends[check]["clauses"]}
        self.assertEqual(said, {"GEN-036": "pass", "GEN-009": "fail", "GEN-010": "pass"})
        self.assertRegex(self.report, r"clauses +GEN-009: fail; GEN-036: held; GEN-010: held")
        (entry,) = [one for one in self.json["checks"] if one["id"] == check]
        self.assertEqual(entry["clauses"], said)
        verdicts = {one["id"]: one["verdict"] for one in self.json["requirements"]}
        self.assertEqual(verdicts["GEN-010"], "pass")


if __name__ == "__main__":
    unittest.main()
