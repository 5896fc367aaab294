# SPDX-License-Identifier: BSD-3-Clause
"""Tests the engine `command`: all tasks run, or only some, or one task runs twice, or one was interrupted.
slurm_test.py does the same with a real Slurm. ASSAY_FULL=1 kills a gathering a hundred times."""

import contextlib
import json
import os
import random
import subprocess
import sys
import time
import unittest.mock
from pathlib import Path

import jsonschema

ROOT = Path(__file__).resolve().parents[4]
from harness.command.fixtures.run_fixture import BUILD, RunCase

SCHEMA = json.loads((ROOT / "reports/schema/submit.schema.json").read_text(encoding="utf-8"))

KILLS = 100 if os.environ.get("ASSAY_FULL") else 10


class Submitted(RunCase):
    def submit(self, *words, status=0, engine="command"):
        self.place = self.folder / "shared"
        self.assertEqual(self.assay("submit", "--engine", engine, "--target", "./nothing.yaml", "--out", self.place, *words, "--", "--isolation=fork-clean"), status, self.said)
        return self.said.splitlines()

    def do(self, line, **environment):
        return subprocess.run(line, shell=True, check=False, env=self.settings(**environment)).returncode

    def gather(self, status):
        self.assertEqual(self.assay("submit", "--gather", self.place, "--format", "json"), status, self.said)
        found = json.loads(self.said)
        jsonschema.Draft202012Validator(SCHEMA).validate(found)
        # Gathers a second time, with text output.
        self.assertEqual(self.assay("submit", "--gather", self.place), status, self.said)
        return found

    def states(self, found):
        return [task["state"] for task in found["tasks"]]


class ByHand(Submitted):
    def test_what_all_tasks_left_is_the_whole_run(self):
        lines = self.submit("--shards", 3)
        self.assertEqual(len(lines), 3)
        for line in reversed(lines):
            self.assertIn(self.do(line), (0, 2))  # all checks of a shard may be skipped
        found = self.gather(0)
        self.assertEqual(self.verdicts(Path(found["merged"][0]["run"])), self.good)
        self.assertEqual(found["merged"][0]["status"], 0)

    def test_a_failure_of_one_task_is_the_status(self):
        for line in self.submit("--shards", 2):
            self.do(line, SAMPLE_FAILS="1")
        self.assertIn("fail", self.verdicts(Path(self.gather(1)["merged"][0]["run"])).values())

    def test_a_task_that_never_began_is_incomplete_and_named(self):
        lines = self.submit("--shards", 3)
        self.do(lines[0])
        found = self.gather(2)
        self.assertEqual(self.states(found)[1:], ["never begun", "never begun"])
        self.assertIn(f"incomplete: task 2, shard 2 of 3 of {self.folder}/nothing.yaml: never begun", self.said)
        finish = self.records("finish", Path(found["merged"][0]["run"]))[0]
        self.assertEqual((finish["complete"], finish["why"]), (False, "a shard is missing"))

    def test_nothing_began(self):
        self.submit()
        self.assertEqual(self.gather(2)["merged"][0]["why"], "none of its tasks has started")

    def test_a_task_that_is_begun_again_asks_nothing_twice(self):
        (line,) = self.submit()
        self.do(line)
        run = self.place / "tasks/1/run"
        journal = (run / "journal.jsonl").read_text().splitlines()
        end = next(at for at, row in enumerate(journal) if '"event":"end"' in row)
        # Makes the run look as if it was killed after the first end record.
        (run / "journal.jsonl").write_text("".join(f"{row}\n" for row in journal[: end + 1]))
        (self.place / "tasks/1/ended").unlink()
        self.assertEqual(self.states(self.gather(2)), ["lost"])
        self.assertEqual(self.do(line), 0)
        found = self.gather(0)
        self.assertEqual(self.verdicts(Path(found["merged"][0]["run"])), self.good)
        ends = [row["id"] for row in self.records("end", Path(found["merged"][0]["run"])) if row["final"]]
        self.assertEqual(len(ends), len(set(ends)))

    def test_a_task_that_is_lost_after_its_last_check_is_undecided(self):
        for line in self.submit("--shards", 2):
            self.do(line)
        (self.place / "tasks/2/ended").unlink()
        self.assertEqual(self.states(self.gather(2))[1], "lost")
        self.assertIn("incomplete: task 2", self.said)

    def test_engines_tell_the_number_in_their_own_variables(self):
        self.submit("--shards", 2)
        self.do(f"{self.place}/task.sh", JOB_COMPLETION_INDEX="0")
        self.do(f"{self.place}/task.sh", SLURM_ARRAY_TASK_ID="2")
        self.assertTrue(set(self.states(self.gather(0))) <= {"passed", "undecided"})

    def test_two_versions_of_torch_are_two_runs(self):
        lines = self.submit("--torch", f"a={sys.executable},b={sys.executable}")
        for line in lines:
            self.do(line)
        self.assertEqual([one["name"] for one in self.gather(0)["merged"]], ["nothing-a", "nothing-b"])

    def test_a_gathering_that_is_killed_leaves_no_half_run_and_the_next_goes_on(self):
        for line in self.submit("--shards", 3):
            self.do(line)
        begun = time.monotonic()
        run = Path(self.gather(0)["merged"][0]["run"])
        took, whole = (time.monotonic() - begun) / 2, (run / "journal.jsonl").read_bytes()
        for moment in random.Random(os.environ.get("ASSAY_SEED", "1")).choices(range(1000), k=KILLS):
            gathering = subprocess.Popen([BUILD / "bin/assay", "submit", "--gather", self.place], stdout=subprocess.DEVNULL, env=self.settings())
            with contextlib.suppress(subprocess.TimeoutExpired):
                gathering.wait(took * moment / 1000)
            gathering.kill()
            gathering.wait()
            if run.exists():
                self.assertEqual((run / "journal.jsonl").read_bytes(), whole)
        self.gather(0)
        self.assertEqual((run / "journal.jsonl").read_bytes(), whole)
        self.assertEqual([path.name for path in run.parent.iterdir()], [run.name])


class Refusals(Submitted):
    def refused(self, status, sentence, *words):
        self.submit(*words, status=status)
        self.assertIn(sentence, self.said)
        self.assertEqual(self.said.count("\n"), 1, self.said)

    def test_bad_input_is_one_sentence_and_makes_nothing(self):
        for status, sentence, *words in (
            (64, '--shards takes a number from 1 to 1000, not "0"', "--shards", "0"),
            (64, '--minutes takes a number from 1 to 999999, not "soon"', "--minutes", "soon"),
            (65, "--torch takes NAME=PYTHON with an interpreter", "--torch", "new=/nowhere/python"),
            (65, "--torch names a twice", "--torch", f"a={sys.executable},a={sys.executable}"),
            (64, "nonsense", "--select", "nonsense"),
            (65, "nowhere.yaml does not exist: --target takes a profile", "--target", "./nowhere.yaml"),
        ):
            self.refused(status, sentence, *words)
            self.assertFalse(self.place.exists(), words)
        self.assertEqual(self.assay("submit", "--engine", "kubernetes", "--out", self.folder / "x"), 64)
        self.assertEqual(self.assay("submit", "--target", "x", "--engine", "command", "--out", self.folder / "x", "--", "--resume=y"), 64)
        self.assertIn("submit itself gives --resume to each run", self.said)
        self.assertEqual(self.assay("submit", "--out", self.folder / "x"), 64)
        self.assertEqual(self.assay("submit", "--gather", self.folder / "x", "--shards", "2"), 64)
        self.assertEqual(self.assay("submit", "--gather", self.folder / "x"), 65)
        self.assertIn("holds no submission", self.said)

    def test_a_folder_that_is_used_is_left_alone(self):
        self.submit()
        before = (self.place / "submit.json").read_bytes()
        self.refused(65, "is not empty: give a new folder to --out")
        self.assertEqual((self.place / "submit.json").read_bytes(), before)

    def test_a_damaged_submission_is_said(self):
        self.submit()
        whole = json.loads((self.place / "submit.json").read_text())
        damaged = (dict(whole, **{name: wrong}) for name in ("engine", "job", "shards", "select", "tasks") for wrong in ([1], {"a": 1}, None))
        task = whole["tasks"][0]
        damaged = [*damaged, *(dict(whole, tasks=[dict(task, **{name: []})]) for name in task), dict(whole, tasks=[task, task])]
        for text in ("{", "{}", "[" * 100_000, '"\xff"', '{"schema": "assay/submit/9", "tasks": []}', *map(json.dumps, damaged)):
            (self.place / "submit.json").write_text(text, encoding="latin-1")
            self.assertEqual(self.assay("submit", "--gather", self.place), 65, text[:1000])
            self.assertIn("submit.json", self.said)
            self.assertEqual(self.said.count("\n"), 1, self.said)

    def test_what_a_scheduler_prints_is_never_a_traceback(self):
        self.submit()
        path = self.place / "submit.json"
        path.write_text(path.read_text().replace('"command"', '"slurm"').replace('"job": ""', '"job": "7"'))
        squeue = self.folder / "squeue"
        with unittest.mock.patch.dict(os.environ, PATH=f"{self.folder}:{os.environ['PATH']}"):
            for line, status, said in (("1 PENDING (Priority)", 2, "1 pending (priority)"), ("\\377 RUNNING", 71, "squeue"),
                                       ("1 \\377\\033[2J", 2, "1 \\xff\\u001b[2j"), ("1", 71, "squeue"), ("N/A RUNNING", 71, "squeue")):  # fmt: skip
                squeue.write_text(f"#!/bin/sh\nprintf '{line}\\n'\n")
                squeue.chmod(0o755)
                self.assertEqual(self.assay("submit", "--gather", self.place), status, (line, self.said))
                self.assertIn(said, self.said)
                self.assertNotIn("Traceback", self.said)

    def test_slurm_that_is_not_there_is_said(self):
        with unittest.mock.patch.dict(os.environ, PATH=str(self.folder)):
            self.submit(engine="slurm", status=71)
        self.assertIn("sbatch was not found: --engine slurm needs Slurm's commands on this machine", self.said)


if __name__ == "__main__":
    unittest.main()
