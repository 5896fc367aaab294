# SPDX-License-Identifier: BSD-3-Clause
"""Tests a check with `second_look: yes` that does not pass. The check runs again to find the reason, and only some
results change its verdict."""

import unittest

from harness.command.fixtures.run_fixture import RunCase

BODY = """\
from assay.host import report
        look = report.order("second-look")
        if not look:
            {first}
        else:
            report.note("look", look)
            {second}"""
ASKS = 'report.note("asks the CPU", "now")'
PASSES_ON_CPU = ASKS + '; report.note("on the CPU", "passes")'
SKEW = 'report.finding(report.NOTED, "it passes on the CPU", "it does not", "skew")'


class SecondLook(RunCase):
    def look(self, first, second):
        """Returns (verdict, reason, notes of the last record, number of attempts)."""
        self.write_check(BODY.format(first=first, second=second), "second_look: yes,")
        self.run_target("--select", "check:sample.passes")
        (last,) = (row for row in self.records("end") if row["final"])
        notes = {key: text for note in last.get("notes", ()) for key, text in note.items()}
        return last["verdict"], last.get("reason"), notes, len(self.records("start"))

    def test_a_pass_needs_none(self):
        self.assertEqual(self.look("pass", "os.abort()")[::3], ("pass", 1))

    def test_the_first_word_stands_and_has_the_notes_of_the_look(self):
        verdict, reason, notes, attempts = self.look('self.fail("first")', PASSES_ON_CPU)
        self.assertEqual((verdict, reason, attempts), ("fail", "first", 2))
        self.assertEqual((notes["look"], notes["on the CPU"]), ("failed", "passes"))
        self.assertNotIn("asks the CPU", notes)
        self.assertIn("traceback", notes)

    def test_another_failure_of_the_look_changes_nothing(self):
        verdict, reason, *_ = self.look('self.fail("first")', PASSES_ON_CPU + '; self.fail("other")')
        self.assertEqual((verdict, reason), ("fail", "first"))

    def test_what_fails_on_the_cpu_too_is_skew(self):
        verdict, reason, *_ = self.look('self.fail("first")', SKEW)
        self.assertEqual((verdict, reason), ("noted", "it passes on the CPU: it does not"))

    def test_a_note_of_something_else_is_not_skew(self):
        self.assertEqual(self.look('self.fail("first")', SKEW.replace("skew", "other"))[0], "fail")

    def test_a_death_stays_one_when_the_look_dies_of_it_too(self):
        verdict, reason, notes, _ = self.look("os.abort()", PASSES_ON_CPU + "; os.abort()")
        self.assertEqual((verdict, notes["look"]), ("crash", "died"))
        self.assertIn("SIGABRT", reason)

    def test_a_death_before_the_cpu_has_spoken_is_skew(self):
        verdict, reason, *_ = self.look("os.abort()", ASKS + "; os.abort()")
        self.assertEqual(verdict, "noted")
        self.assertIn("on the CPU the test does not end normally, either", reason)

    def test_a_death_before_the_cpu_was_asked_changes_nothing(self):
        verdict, reason, notes, _ = self.look('self.fail("first")', "os.abort()")
        self.assertEqual((verdict, reason), ("fail", "first"))
        self.assertNotIn("asks the CPU", notes)

    def test_evidence_of_both_is_kept(self):
        self.look('self.fail("first")', PASSES_ON_CPU)
        kept = sorted(path.name for path in (self.out / "jobs").iterdir())
        self.assertEqual(kept, ["sample.passes", "sample.passes.2"])

    def test_retries_come_first(self):
        self.write_check(BODY.format(first='self.fail("first")', second=PASSES_ON_CPU), "second_look: yes,")
        self.run_target("--select", "check:sample.passes", "--retries", "1")
        self.assertEqual([row.get("again") for row in self.records("end")], ["retry", "look", None])


if __name__ == "__main__":
    unittest.main()
