# SPDX-License-Identifier: BSD-3-Clause
"""Runs the real suites on the fake device: the verdicts must be the same in every mode and order, and after kill -9.

Too slow for ci/test; ci/full runs it. Needs a build with torch.
ASSAY_SELECT: only these checks.   ASSAY_KILLS: how often (20).   ASSAY_SEED: other moments."""

import json
import os
import random
import select
import signal
import subprocess
import time
import unittest

import torture_driver

ASSAY = str(torture_driver.BUILD / "bin" / "assay")
SELECT = os.environ.get("ASSAY_SELECT")
KILLS = int(os.environ.get("ASSAY_KILLS", "20"))
PATIENT = ["--timeout-scale=4", "--quiet"]
# The reason begins with this text if the machine was too busy for an observation. Such a verdict counts as a pass here.
BY_CHANCE = "cannot be observed without work that goes on after the call"


def settled(record):
    is_by_chance = record["verdict"] == "unobservable" and record.get("reason", "").startswith(BY_CHANCE)
    return "pass" if is_by_chance else record["verdict"]


class Suites(unittest.TestCase):
    maxDiff = None

    def start(self, run, words):
        environment = dict(os.environ, **{torture_driver.MARK: run.mark})
        return subprocess.Popen([ASSAY, *words], env=environment, stdout=subprocess.PIPE, text=True)

    def command(self, out, chosen, words):
        selection = [f"--select={chosen}"] if chosen else []
        return ["run", f"--out={out}", *PATIENT, *selection, *words]

    def records(self, out):
        lines = (out / "journal.jsonl").read_text(encoding="utf-8").splitlines()
        return [json.loads(line) for line in lines]

    def verdicts(self, out):
        """Final verdicts of the checks that count in this run. Each check has one."""
        records = self.records(out)
        counted = {check["id"] for check in records[0]["checks"] if not check.get("support")}
        finals = [r for r in records if r["event"] == "end" and r["final"] and r["id"] in counted]
        verdicts = {record["id"]: settled(record) for record in finals}
        self.assertEqual(len(verdicts), len(finals), "two final verdicts")
        self.assertEqual(set(verdicts), counted)
        return verdicts

    def run_suites(self, *words, chosen=SELECT):
        run = torture_driver.Run(self)
        process = self.start(run, self.command(run.out, chosen, words))
        process.communicate()
        self.assertEqual(run.left_over(), [])
        return run, self.verdicts(run.out)


class Equivalence(Suites):
    WAYS = (
        ("--isolation=fork-clean", "--jobs=8", "--shuffle=7"),
        ("--isolation=batch", "--jobs=1"),
        ("--isolation=batch", "--jobs=8", "--shuffle=12345"),
        ("--isolation=batch-loaded", "--jobs=8", "--shuffle=99"),
        ("--isolation=exec", "--jobs=8"),
    )

    def test_verdicts_are_the_same_in_every_mode_order_and_number(self):
        _, expected = self.run_suites("--isolation=fork-loaded", "--jobs=1")
        for words in self.WAYS:
            with self.subTest(words=words):
                start = time.monotonic()
                self.assertEqual(self.run_suites(*words)[1], expected)
                print(*words, f"{time.monotonic() - start:.0f} s", flush=True)
        with self.subTest("four shards"):
            self.assertEqual(self.shards(), expected)

    def shards(self):
        whole = torture_driver.Run(self)
        parts = [
            self.run_suites("--isolation=fork-loaded", "--jobs=8", f"--shard={i}/4")[0].out
            for i in range(1, 5)
        ]
        merged = subprocess.run([ASSAY, "merge", f"--out={whole.out}", *map(str, parts)])
        self.assertEqual(merged.returncode, 0)
        return self.verdicts(whole.out)


class Kill(Suites):
    """Only the supervisor is killed. Hosts and jobs must end by themselves."""

    def kill_when_done(self, process, out, count):
        """Kills after this many verdicts, or at the end of the run."""
        journal = out / "journal.jsonl"
        while process.poll() is None:
            if journal.exists() and journal.read_bytes().count(b'"event":"end"') >= count:
                break
            select.select([process.stdout], [], [], 0.002)
        select.select([process.stdout], [], [], random.uniform(0, 0.05))
        process.send_signal(signal.SIGKILL)
        process.communicate()

    def test_resume_after_kill_equals_the_undisturbed_run(self):
        moments = random.Random(os.environ.get("ASSAY_SEED", "kill"))
        chosen = SELECT or "guard"
        _, expected = self.run_suites("--isolation=fork-loaded", chosen=chosen)
        for number in range(KILLS):
            mode = ("fork-loaded", "batch", "fork-clean")[number % 3]
            count = moments.randrange(len(expected))
            with self.subTest(number=number, mode=mode, count=count):
                run = torture_driver.Run(self)
                words = self.command(run.out, chosen, [f"--isolation={mode}", "--jobs=2"])
                self.kill_when_done(self.start(run, words), run.out, count)
                self.assertEqual(run.left_over_in_the_end(), [])
                self.start(run, ["run", f"--resume={run.out}"]).communicate()
                self.assertEqual(self.verdicts(run.out), expected)
                self.assertEqual(run.left_over(), [])
                print(number, mode, "killed after", count, "verdicts", flush=True)


if __name__ == "__main__":
    unittest.main()
