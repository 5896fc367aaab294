# SPDX-License-Identifier: BSD-3-Clause
"""Makes one call of the supervisor or a host fail: the n-th write, allocation, fork, spawn or rename. The run must then
report right verdicts or an error message, and must be resumable.

ci/test runs every STRIDE-th point. With ASSAY_INJECT_ALL=1, as in ci/full, every point runs."""

import json
import os
import subprocess
import unittest
from concurrent.futures import ThreadPoolExecutor

import torture_driver

STRIDE = 1 if os.environ.get("ASSAY_INJECT_ALL") else 9
MOST = 100000
INJECTOR = torture_driver.BUILD / "tests" / "inject_failures.so"
CASES = "torture.passes pass\ntorture.fails fail\ntorture.segfaults crash\ntorture.leaves_daemon pass\n"
EXPECTED = dict(line.split() for line in CASES.splitlines())
# Verdicts that are allowed for a check that the failure interrupted.
EXCUSES = {"incomplete", "broken", "notrun"}
SENTENCES = {64, 65, 71}  # exit statuses that need a message on stderr


class Failures(unittest.TestCase):
    def start(self, program, inject, counts="", **options):
        """A run of CASES in which the failure occurs in `program`, and the whole output of the run."""
        run = torture_driver.Run(self)
        cases = run.out.parent / "cases.txt"
        cases.write_text(CASES)
        environment = dict(run._environment(), LD_PRELOAD=str(INJECTOR), INJECT_PROGRAM=program,
                           INJECT=inject, INJECT_COUNTS=str(counts))
        command = run._command(dict(cases=cases, mode="fork-clean", jobs=1, **options))
        done = subprocess.run(command, env=environment, capture_output=True, text=True, timeout=120)
        return run, done

    def count(self, program):
        run = torture_driver.Run(self)
        counts = run.out.parent / "counts"
        _, done = self.start(program, "", counts)
        self.assertEqual(done.returncode, 1, done.stderr)
        return {kind: int(number) for kind, number in map(str.split, counts.read_text().splitlines())}

    def look(self, program, inject):
        run, done = self.start(program, inject)
        where = (program, inject, done.returncode, done.stdout, done.stderr)
        self.assertIn(done.returncode, {0, 1, 2} | SENTENCES, where)
        if done.returncode in SENTENCES:
            self.assertTrue(done.stderr.strip(), where)
        self.assertEqual(run.left_over_in_the_end(), [], where)
        self.look_at_journal(run, where)
        self.go_on(run, where, set() if inject.startswith("write") else EXCUSES - {"notrun"})

    def look_at_journal(self, run, where):
        journal = run.out / "journal.jsonl"
        lines = journal.read_bytes().split(b"\n") if journal.exists() else []
        for line in lines[:-1]:  # the last line may be empty or incomplete
            record = json.loads(line)
            if record["event"] == "end" and record["final"]:
                wanted = {EXPECTED[record["id"]]} | EXCUSES
                self.assertIn(record["verdict"], wanted, (*where, record))
                if record["verdict"] == "broken":
                    self.assertTrue(record["reason"], (*where, record))

    def go_on(self, run, where, excuses=EXCUSES - {"notrun"}):
        """Resumes the run without the failure. Decided verdicts stay, and the other checks run. If the disk is full, no
        verdict is decided."""
        journal = run.out / "journal.jsonl"
        begun = journal.exists() and b"\n" in journal.read_bytes()
        if journal.exists() and not begun:
            journal.unlink()
        status, verdicts = run.run(cases=run.out.parent / "cases.txt", mode="fork-clean", resume=int(begun))
        for identity, verdict in verdicts.items():
            self.assertIn(verdict, {EXPECTED[identity]} | excuses, where)
        self.assertEqual(verdicts.keys(), EXPECTED.keys(), where)

    def test_every_refusal_ends_in_a_true_verdict_or_a_sentence(self):
        points = []
        for program in ("torture_run", "torture_host"):
            counts = self.count(program)
            counts["write"] = max(counts["write"], 8)  # includes the first writes of a job, which counts its own writes
            points += [(program, f"{kind}:{n}") for kind, count in counts.items()
                       for n in range(1, count + 1, 1 if count < STRIDE else STRIDE)]
        with ThreadPoolExecutor(2) as pool:
            for point, look in [(point, pool.submit(self.look, *point)) for point in points]:
                with self.subTest(point=point):
                    look.result()
        print(f"failure injection: {len(points)} points")

    def test_memory_that_is_gone_for_good_ends_in_a_sentence(self):
        """From the n-th on, every allocation of assay and of libraries (libuv, jansson) fails. The allocation of a
        library is repeated for some seconds."""
        every = self.count("torture_run")["allocation"]
        points = [(f"allocation:{n}-{MOST}") for n in range(1, every + 1, 1 if STRIDE == 1 else every // 16)]
        told = ""
        with ThreadPoolExecutor(8) as pool:
            for point, run in [(point, pool.submit(self.start, "torture_run", point)) for point in points]:
                with self.subTest(point=point):
                    run, done = run.result()
                    where = (point, done.returncode, done.stdout, done.stderr)
                    told += done.stderr
                    if done.returncode != 1:  # 1 means that it needed no more memory
                        self.assertIn(done.returncode, {2, 71}, where)
                        self.assertRegex(done.stdout + done.stderr, "memory", where)
                    self.assertEqual(run.left_over_in_the_end(), [], where)
                    self.look_at_journal(run, where)
                    self.go_on(run, where)
        self.assertIn("the machine has refused", told, "no request of a library was met")
        print(f"memory gone for good: {len(points)} points")

    def test_a_host_that_cannot_be_started_for_a_while_is_waited_for(self):
        run, done = self.start("torture_run", "fork:1-4")
        self.assertEqual(done.returncode, 1, done.stderr)
        self.assertEqual(dict(map(str.split, done.stdout.splitlines())), EXPECTED)

    def test_a_host_that_can_never_be_started_is_an_incomplete_run_in_words(self):
        run, done = self.start("torture_run", f"fork:1-{MOST}", refusal_ms=1500)
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("incomplete: the machine could not start a process", done.stdout)
        self.go_on(run, done.stdout)


if __name__ == "__main__":
    unittest.main()
