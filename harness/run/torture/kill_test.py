# SPDX-License-Identifier: BSD-3-Clause
"""Kills the supervisor with kill -9 at random moments and resumes the run. Nothing may be lost, doubled or left
running.

ASSAY_KILLS is the number of kills (ci/full: 200). ASSAY_SEED selects the moments."""

import json
import os
import random
import select
import signal
import time
import unittest
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import torture_driver

KILLS = int(os.environ.get("ASSAY_KILLS", "10"))
CASES = torture_driver.CASES / "quick_cases.txt"


class Kill(unittest.TestCase):
    maxDiff = None

    def kill_after(self, process, seconds):
        """Waits until the process ends or the moment comes."""
        select.select([process.stdout], [], [], seconds)
        process.send_signal(signal.SIGKILL)
        process.communicate()

    def final_verdicts(self, run):
        finals = {}
        for record in run.records():
            if record["event"] == "end" and record["final"]:
                self.assertNotIn(record["id"], finals, "two final verdicts")
                finals[record["id"]] = record["verdict"]
        return finals

    def begun(self, journal):
        return journal.exists() and b"\n" in journal.read_bytes()

    def duration(self, options):
        """Duration of an undisturbed run, so that the moments are spread over the whole run."""
        run = torture_driver.Run(self)
        start = time.monotonic()
        self.assertEqual(run.run(**options)[1], torture_driver.read_cases("quick_cases.txt"))
        return time.monotonic() - start

    def kill_and_resume(self, options, moment):
        """Number of checks with a verdict at the kill; -1 if there was no run to resume."""
        expected = torture_driver.read_cases("quick_cases.txt")
        run = torture_driver.Run(self)
        self.kill_after(run.start(**options), moment)
        self.assertEqual(run.left_over_in_the_end(), [])
        journal = run.out / "journal.jsonl"
        if not self.begun(journal):
            return -1
        known = len([1 for line in journal.read_bytes().splitlines() if b'"final":true' in line])
        _, verdicts = run.run(resume=1, **options)
        self.assertEqual(verdicts, expected)
        self.assertEqual(self.final_verdicts(run), expected)
        self.assertEqual(run.left_over(), [])
        return known

    def test_resume_after_kill_equals_the_undisturbed_run(self):
        moments = random.Random(os.environ.get("ASSAY_SEED", "kill"))
        ways = [{"cases": CASES, "mode": mode, "jobs": 1 + n} for n, mode in enumerate(torture_driver.MODES)]
        durations = [self.duration(options) for options in ways]
        plan = [(n % len(ways), moments.uniform(0, 1)) for n in range(KILLS)]
        with ThreadPoolExecutor(2) as pool:
            kills = [
                pool.submit(self.kill_and_resume, ways[way], share * durations[way])
                for way, share in plan
            ]
        for number, kill in enumerate(kills):
            with self.subTest(number=number, way=ways[plan[number][0]], share=plan[number][1]):
                kill.result()
        known = [kill.result() for kill in kills if not kill.exception()]
        count = len(torture_driver.read_cases("quick_cases.txt"))
        inside = sum(0 <= number < count for number in known)
        print(f"{len(known)} kills, {known.count(-1)} before the journal, {inside} inside the run")
        self.assertGreater(inside, KILLS / 4, "most kills came too early or too late to tell")

    def kill_one_host(self, options, moment):
        """Kills a random host at a random moment. Returns True if there was a host."""
        run = torture_driver.Run(self)
        process = run.start(**options)
        select.select([process.stdout], [], [], moment)
        hosts = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        for host in hosts[:1]:
            os.kill(int(host), signal.SIGKILL)
        _, verdicts = run.finish(process)
        self.assertEqual(verdicts, torture_driver.read_cases("quick_cases.txt"))
        self.assertEqual(run.left_over(), [])
        return bool(hosts)

    def test_death_of_a_host_changes_no_verdict(self):
        moments = random.Random(os.environ.get("ASSAY_SEED", "kill"))
        killed = 0
        for number in range(KILLS):
            mode = torture_driver.MODES[number % len(torture_driver.MODES)]
            options = {"cases": CASES, "mode": mode, "jobs": 1 + number % 3}
            moment = moments.uniform(0, 0.2)
            with self.subTest(options=options, moment=moment):
                killed += self.kill_one_host(options, moment)
        self.assertGreater(killed, KILLS / 4)

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
