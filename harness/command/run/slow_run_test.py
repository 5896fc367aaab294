# SPDX-License-Identifier: BSD-3-Clause
"""Tests deadlines in a run: which checks get more time, and what is reported."""

import unittest
from pathlib import Path

from harness.command.fixtures.run_fixture import RunCase


class Slow(RunCase):
    FIRST_TIME_NEVER = """path = os.environ["SAMPLE_TRIED"]
        again = os.path.exists(path)
        open(path, "w").close()
        while not again:
            select.select([], [], [])"""

    def ends_of(self, check):
        return [row for row in self.records("end") if row["id"] == check]

    def run_with_a_second(self, body):
        """sample.passes executes `body` with a deadline of one second. Returns the end record of each attempt."""
        self.write_check(body, "timeout: 1,")
        suite = self.folder / "data" / "suites" / "sample" / "test_sample.py"
        suite.write_text(suite.read_text().replace("import os\n", "import os\nimport select\nimport subprocess\n"))
        self.status = self.run_clean(SAMPLE_TRIED=str(self.folder / "tried"))
        return self.ends_of("sample.passes")

    def test_what_ends_when_it_has_more_time_alone_is_slow(self):
        first, last = self.run_with_a_second(self.FIRST_TIME_NEVER)
        self.assertEqual((first["verdict"], first["again"]), ("timeout", "time"))
        self.assertEqual((last["verdict"], self.status), ("slow", 0), last)
        self.assertRegex(last["reason"], r"its deadline of 1.0 s passed; alone and with more time .* after \d+\.\d s$")
        self.assertEqual(self.verdicts()["sample.stands_on_it"], "pass")
        self.assertEqual(self.assay("report", self.out), 0, self.said)
        self.assertIn("SLOW sample.passes", self.said)

    def test_what_never_ends_is_a_timeout_after_its_second_chance(self):
        ends = self.run_with_a_second("select.select([], [], [])")
        self.assertEqual([end["verdict"] for end in ends], ["timeout", "timeout"])
        self.assertEqual(self.status, 1)

    COMPILER = """subprocess.run(["sh", "-c", {!r}], check=True)"""

    def test_a_compiler_that_is_at_work_is_waited_for(self):
        read = "read up rest </proc/uptime; up=${up%.*}; "
        work = f"{read} end=$((up + 3)); while [ $up -lt $end ]; do {read} done"
        (end,) = self.run_with_a_second(self.COMPILER.format(work))
        self.assertEqual((end["verdict"], self.status), ("slow", 0), end)
        self.assertRegex(end["reason"], "in which it waited for (sh|dash|bash)")

    def test_a_compiler_that_does_not_come_to_an_end_is_slow_and_ended(self):
        (end,) = self.run_with_a_second(self.COMPILER.format("echo $$ >$SAMPLE_TRIED; while :; do :; done"))
        self.assertEqual((end["verdict"], self.status), ("slow", 0), end)
        self.assertRegex(end["reason"], "had 1.0 s and 4.0 s more; (sh|dash|bash) was still running")
        self.assertFalse(Path("/proc", (self.folder / "tried").read_text().strip()).exists())


if __name__ == "__main__":
    unittest.main()
