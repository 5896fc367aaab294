# SPDX-License-Identifier: BSD-3-Clause
"""Tests the report of a run in which a defect breaks half a suite. The report must begin with the cause. The cause must
block each other failure, or the failure must follow from the cause.

Runs the suites on the fake device with four faults, one at a time. A reader of the report must find one defect to
repair, not two hundred.
"""

import re
import unittest

from suites.fixtures.run_case import RunCase, assay

TITLE = re.compile(r"^(FAIL|CRASH|TIMEOUT|BROKEN) (\S+)", re.M)


class Causes(RunCase):
    def run_with(self, fault, select):
        """Stores the verdict and the blocker of each check, and the titles of the report in order."""
        ends = self.run_suites("--target", "fakedev_faulty", "--select", select, "--timeout-scale=4",
                               FAKEDEV_FAULT=fault).values()
        self.report = assay("report", self.out).stdout
        self.verdicts = {one["id"]: one["verdict"] for one in ends}
        self.blocked_by = {one["id"]: one.get("blocked_by") for one in ends}
        self.words = {one["id"]: one.get("reason", "") for one in ends}
        self.titles = [title[2] for title in TITLE.finditer(self.report)]

    def of(self, *verdicts):
        return [check for check, verdict in self.verdicts.items() if verdict in verdicts]

    def root_of(self, check):
        while self.blocked_by.get(check):
            check = self.blocked_by[check]
        return check

    def test_guard_not_registered(self):
        self.run_with("guard.not_registered", "guard")
        self.assertEqual(self.titles[0], "guard.is_registered", self.report)
        self.assertGreater(len(self.of("blocked")), len(self.verdicts) * 3 // 4, self.report)
        self.assertEqual(self.root_of("guard.exchange_device_returns_the_previous_device"), "guard.is_registered")
        self.assertLess(len(self.titles), 4, self.report)

    def test_allocator_returns_null(self):
        self.run_with("allocator.returns_null", "allocator")
        self.assertEqual(self.titles, ["allocator.too_large_request_raises_out_of_memory"], self.report)

    def test_default_generator_missing(self):
        self.run_with("generator.default_missing", "generator")
        self.assertEqual(self.titles[0], "generator.default_generator_exists", self.report)
        self.assertLess(len(self.titles), 6, self.report)
        for title in self.titles[1:]:  # special cases of calls whose plain form works
            self.assertIn("no default generator", self.words[title], self.report)
        self.assertRegex(self.report, r"which is shown above: RuntimeError:\s+fakedev: no default generator")
        self.assertGreater(len(self.of("blocked")), 7, self.report)

    def test_library_without_kernels(self):
        self.run_with("python.kernels_missing", "guard,allocator,generator")
        self.assertLess(len(self.titles), 6, self.report)
        for title in self.titles:  # checks of musts about the factories themselves
            self.assertRegex(self.words[title], r"aten::empty|that of guard\.", self.report)
        self.assertIn("OPERATORS that are missing", self.report)
        self.assertRegex(self.report, r"OPERATORS.*\n +aten::(_copy_from|empty)")
        self.assertGreater(len(self.of("blocked")), 30, self.report)
        self.assertEqual(self.verdicts["guard.is_registered"], "pass")


if __name__ == "__main__":
    unittest.main()
