# SPDX-License-Identifier: BSD-3-Clause
"""Tests the list of means that a run writes. If a means of any kind is refused, the check must name the means."""

import unittest

from suites.fixtures.run_case import RunCase

FILLS = "guard.fill_sets_values_while_another_device_is_current"
DRAWS = "generator.two_draws_differ"
COUNTS = "guard.python_device_counts_equal_guard_and_hooks"


class Means(RunCase):
    def run_checks(self, checks, *words):
        """Verdict, subject and the lines of means.txt for each check."""
        select = ",".join(f"check:{name}" for name in checks)
        self.ends = ends = self.run_suites("--select", select, "--no-block", "--isolation", "fork-clean", *words)
        means = {name: self.out / "jobs" / name / "means.txt" for name in checks}
        self.assertLessEqual(set(checks), set(ends))
        return {name: (ends[name]["verdict"], ends[name].get("subject"), path.read_text().splitlines() if path.exists() else [])
                for name, path in means.items()}

    def test_every_sort_of_means_is_written_down(self):
        seen = self.run_checks([FILLS, DRAWS, COUNTS], "--record-means")
        for check, name in {
            FILLS: "aten::fill_.Scalar",
            DRAWS: "keyword.generator",
            COUNTS: "module.device_count",
        }.items():
            self.assertIn(f"used {name}", seen[check][2])

    def check_refused(self, name, check, another):
        """The refused means must block `check`. `another` is a check that does not use this means."""
        seen = self.run_checks([check, another], "--refuse", name)
        self.assertEqual(seen[check], ("blocked", name, [f"refused {name}"]))
        self.assertEqual(seen[another], ("pass", None, []))

    def test_a_refused_operator_blocks(self):
        self.check_refused("aten::fill_.Scalar", FILLS, COUNTS)

    def test_a_refused_generator_blocks(self):
        self.check_refused("keyword.generator", "generator.set_offset_replays_draws", COUNTS)

    def test_a_name_that_a_must_is_about_fails(self):
        """If the subject of a check is refused, the check fails and is not blocked."""
        seen = self.run_checks([COUNTS, DRAWS], "--refuse", "module.device_count")
        self.assertEqual(seen[COUNTS], ("fail", None, ["refused module.device_count"]))
        self.assertEqual(seen[DRAWS], ("pass", None, []))

    def test_what_a_check_puts_in_the_place_of_a_name_is_there(self):
        check = "serialization.load_on_an_unavailable_device_raises"  # this check sets its own is_available()
        seen = self.run_checks([check], "--refuse", "module.is_available")
        self.assertEqual(seen[check][0], "pass")

    def test_a_method_is_left_to_the_base_class(self):
        waits, method = "allocator.freed_block_is_not_given_to_another_busy_stream", "guard.synchronizeStream"
        seen = self.run_checks([waits, COUNTS], "--refuse", method, "--target", "fakedev_faulty")
        self.assertEqual(seen[waits], ("blocked", method, [f"refused {method}"]))
        self.assertEqual(seen[COUNTS], ("pass", None, []))

    def test_a_method_is_late_at_its_first_call(self):
        check = "guard.synchronize_device_does_not_raise"  # this check uses only one method
        seen = self.run_checks([check], "--late-means", "300", "--target", "fakedev_faulty", "--isolation", "fork-loaded")
        self.assertEqual(seen[check][0], "pass")
        self.assertGreaterEqual(self.ends[check]["duration_ms"], 300)

    def test_what_nobody_can_refuse_is_said(self):
        self.assertEqual(self.run_checks([COUNTS], "--refuse", "guard.none")[COUNTS][0], "broken")


if __name__ == "__main__":
    unittest.main()
