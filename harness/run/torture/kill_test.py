# SPDX-License-Identifier: BSD-3-Clause
"""kill -9 of the supervisor at random moments, then --resume: nothing is lost, doubled or left running.

ASSAY_KILLS says how many times (ci/full: 200)."""

import json
import os
import random
import select
import signal
import unittest

import torture_driver

KILLS = int(os.environ.get("ASSAY_KILLS", "6"))
CASES = torture_driver.CASES / "quick_cases.txt"


class Kill(unittest.TestCase):
    def kill_after(self, process, seconds):
        """Waits for the end of the process or the moment, whichever is first."""
        select.select([process.stdout], [], [], seconds)
        process.send_signal(signal.SIGKILL)
        process.communicate()

    def final_verdicts(self, journal):
        finals = {}
        for line in journal.read_text().splitlines():
            record = json.loads(line)
            if record["event"] == "end" and record["final"]:
                self.assertNotIn(record["id"], finals, "two final verdicts")
                finals[record["id"]] = record["verdict"]
        return finals

    def test_resume_after_kill_equals_the_undisturbed_run(self):
        expected = torture_driver.read_cases("quick_cases.txt")
        moments = random.Random(os.environ.get("ASSAY_SEED", "kill"))
        for number in range(KILLS):
            mode = ("fork-loaded", "fork-clean", "exec", "batch")[number % 4]
            moment = moments.uniform(0.0, 0.25)
            with self.subTest(number=number, mode=mode, moment=moment):
                run = torture_driver.Run(self)
                options = {"cases": CASES, "mode": mode, "jobs": 1 + number % 3}
                self.kill_after(run.start(**options), moment)
                self.assertEqual(run.left_over_in_the_end(), [])
                journal = run.out / "journal.jsonl"
                begun = journal.exists() and b"\n" in journal.read_bytes()
                if not begun:
                    continue  # killed before there was a run to resume
                _, verdicts = run.run(resume=1, **options)
                self.assertEqual(verdicts, expected)
                self.assertEqual(self.final_verdicts(journal), expected)
                self.assertEqual(run.left_over(), [])

    def test_second_death_on_the_same_check_leaves_it_incomplete(self):
        run = torture_driver.Run(self)
        self.assertEqual(run.run(cases=CASES, mode="fork-clean")[0], 1)
        journal = run.out / "journal.jsonl"
        lines = journal.read_text().splitlines()
        start = next(i for i, line in enumerate(lines) if '"start"' in line)
        journal.write_text("\n".join(lines[: start + 1] + [lines[start]]) + "\n")
        _, verdicts = run.run(cases=CASES, mode="fork-clean", resume=1)
        expected = torture_driver.read_cases("quick_cases.txt")
        expected[json.loads(lines[start])["id"]] = "incomplete"
        expected["torture.notes"] = "blocked"
        self.assertEqual(verdicts, expected)


if __name__ == "__main__":
    unittest.main()
