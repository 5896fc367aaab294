# SPDX-License-Identifier: BSD-3-Clause
"""Tests the verdicts of checks that build on a failed check."""

import unittest

from harness.command.fixtures.run_fixture import RunCase


class Hubs(RunCase):
    def test_a_failed_must_ends_with_1_and_what_stands_on_it_runs(self):
        self.assertEqual(self.run_target("--isolation", "fork-clean", SAMPLE_FAILS="1"), 1)
        self.assertEqual(self.verdicts()["sample.passes"], "fail")
        self.assertEqual(self.verdicts()["sample.stands_on_it"], "pass")

    def test_a_must_that_crashed_blocks_what_stands_on_it(self):
        self.write_check("os.abort()")
        self.assertEqual(self.run_target("--isolation", "fork-clean"), 1)
        (blocked,) = [row for row in self.records("end") if row["id"] == "sample.stands_on_it"]
        self.assertEqual((blocked["verdict"], blocked["blocked_by"], blocked["attempt"]), ("blocked", "sample.passes", 0))
        self.assertEqual(self.run_target("--no-block", out=self.folder / "2"), 1)
        self.assertEqual(self.verdicts(self.folder / "2")["sample.stands_on_it"], "pass")

    def fail_beside(self, words):
        """The base check raises "queue 3 is gone", and the dependent check raises `words`. Returns the end record of
        the dependent check."""
        self.write_check('raise RuntimeError("queue 3 is gone")')
        suite = self.folder / "data" / "suites" / "sample" / "test_sample.py"
        name = '"""sample.stands_on_it"""\n'
        suite.write_text(suite.read_text().replace(name, f"{name}        raise RuntimeError({words!r})\n"))
        self.assertEqual(self.run_clean(), 1, self.said)
        (end,) = [row for row in self.records("end") if row["id"] == "sample.stands_on_it"]
        self.assertIn(words, end["seen"])
        return end

    def test_what_fails_as_the_hub_does_follows_from_it(self):
        end = self.fail_beside("queue 17 is gone")
        self.assertEqual((end["verdict"], end["blocked_by"]), ("blocked", "sample.passes"))
        self.assertIn("follows from sample.passes, which fails the same way", end["reason"])
        self.assertEqual(self.assay("report", self.out), 0, self.said)
        self.assertIn("follows  1 check in sample fails the same way", self.said)
        self.assertNotIn("FAIL sample.stands_on_it", self.said)

    def test_what_is_refused_in_the_words_of_the_hub_follows_from_it(self):
        self.write_check('raise RuntimeError("queue 3 is gone")')
        suite = self.folder / "data" / "suites" / "sample" / "test_sample.py"
        name = '"""sample.stands_on_it"""\n'
        refused = 'raise NotImplementedError("queue 17 is gone")'
        suite.write_text(suite.read_text().replace(name, f"{name}        {refused}\n"))
        self.assertEqual(self.run_clean(), 1, self.said)
        (end,) = [row for row in self.records("end") if row["id"] == "sample.stands_on_it"]
        self.assertEqual((end["verdict"], end["blocked_by"], end["refused"]), ("blocked", "sample.passes", True))
        self.assertIn("follows from sample.passes, which fails with the same message", end["reason"])
        self.assertEqual(self.assay("report", self.out), 0, self.said)
        self.assertIn("blocks   1 check in sample", self.said)

    def test_what_fails_otherwise_stands_for_itself(self):
        end = self.fail_beside("no memory")
        self.assertEqual((end["verdict"], end.get("blocked_by")), ("fail", None))

    def test_a_run_that_goes_on_knows_its_hubs(self):
        self.fail_beside("queue 17 is gone")
        path = self.out / "journal.jsonl"
        lines = [line for line in path.read_text().splitlines() if '"sample.stands_on_it","attempt"' not in line]
        path.write_text("\n".join(line for line in lines if '"finish"' not in line) + "\n")
        self.assertEqual(self.assay("run", "--resume", self.out), 1, self.said)
        self.assertEqual(self.verdicts()["sample.stands_on_it"], "blocked")


if __name__ == "__main__":
    unittest.main()
