# SPDX-License-Identifier: BSD-3-Clause
"""Tests the last lines of ci/test: numbers of passed and failed tests, and every skipped test."""

import contextlib
import io
import tempfile
import unittest
from pathlib import Path

import tally

JUNIT = """<testsuite>
<testcase name="good" status="run"><system-out>OK</system-out></testcase>
<testcase name="bad" status="fail"><failure/><system-out>killed one
SURVIVED two
AssertionError: 1 != 2
many words

Ran 3 tests</system-out></testcase>
<testcase name="absent" status="notrun"><skipped/></testcase>
<testcase name="partly" status="run"><system-out>test_a (m.C.test_a) ... ok
test_b (m.C.test_b)
Words. ... skipped 'no browser'
test_c (m.C.test_c) ... skipped 'no browser'
OK (skipped=2)</system-out></testcase>
</testsuite>"""


class Tally(unittest.TestCase):
    def said(self, text):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "junit.xml")
            path.write_text(text)
            out = io.StringIO()
            with contextlib.redirect_stdout(out):
                tally.main(path)
        return out.getvalue().splitlines()

    def test_the_last_line_counts_and_those_before_tell_what_was_skipped(self):
        said = self.said(JUNIT)
        self.assertEqual([*said[:3], said[-1]], ["skipped 1 in absent: notrun", "skipped 2 in partly: no browser", "failed: bad",
                                                 "2 passed, 1 failed"])  # fmt: skip

    def test_what_failed_is_told_in_a_few_lines(self):
        self.assertEqual(self.said(JUNIT)[3:5], ["    SURVIVED two", "    AssertionError: 1 != 2"])
        long = JUNIT.replace("many words", "\n".join(f"line {i}: " + "x" * 900 for i in range(900)))
        said = self.said(long)
        self.assertLessEqual(len(said), 4 + 2 * tally.LINES)
        self.assertLessEqual(max(map(len, said)), tally.WIDTH + 4)
        self.assertIn("    Ran 3 tests", said)

    def test_nothing_run_is_no_success(self):
        with self.assertRaises(SystemExit):
            self.said("<testsuite/>")


if __name__ == "__main__":
    unittest.main()
