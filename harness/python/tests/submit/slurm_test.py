# SPDX-License-Identifier: BSD-3-Clause
"""Tests assay submit on a real Slurm of three nodes: the same result as on one machine, a node that dies, a task that
exceeds its time, a cancelled array, and the cost of a thousand tasks. Run by `ci/full slurm`, which installs Slurm."""

import os
import shutil
import time
import unittest
import unittest.mock
from pathlib import Path

import slurm_cluster
from submit_test import Submitted

TASKS = 60
TEST = '''
    def test_n{n}(self):
        """sample.n{n}"""
        wait_for_go()
        self.assertNotEqual({n}, 7)
'''
WAITING = '''\
# SPDX-License-Identifier: BSD-3-Clause
import os
import time
import unittest
import unittest.mock


def wait_for_go():
    """A task stands still while ASSAY_GO names a file that is not there."""
    while "ASSAY_GO" in os.environ and not os.path.exists(os.environ["ASSAY_GO"]):
        time.sleep(0.1)


class Sample(unittest.TestCase):
'''


class ManyChecks(Submitted):
    """A contract with `checks` checks on a target without a backend. One check fails."""

    checks = 180

    def write_contract(self, data):
        super().write_contract(data)
        suite, numbers = data / "suites" / "sample", range(1, self.checks + 1)
        rows = [f"  - {{id: SMP-{n:03}, level: must, text: Sentence {n}., why: Because., anchor: sample.h:x}}\n" for n in numbers[: self.checks // 2]]
        checks = [f"  - {{id: sample.n{n}, covers: [SMP-{(n + 1) // 2:03}], timeout: 200, summary: Passes.}}\n" for n in numbers]
        (suite / "contract.yaml").write_text("requirements:\n" + "".join(rows) + "checks:\n" + "".join(checks))
        (suite / "test_sample.py").write_text(WAITING + "".join(TEST.format(n=n) for n in numbers))
        conformance = (data / "conformance.yaml").read_text()
        begin, end = conformance.index("capabilities:"), conformance.index("profiles:")
        (data / "conformance.yaml").write_text(conformance[:begin] + "capabilities: {}\n" + conformance[end:])


@unittest.skipUnless(slurm_cluster.is_possible(), "Slurm and munge are not installed, or this is not root: ci/full slurm installs them")
class WithSlurm(ManyChecks):
    @classmethod
    def setUpClass(cls):
        cls.cluster = slurm_cluster.Cluster()
        cls.addClassCleanup(cls.cluster.stop)
        cls.cluster.start()

    def setUp(self):
        super().setUp()
        self.go = self.folder / "go"
        self.addCleanup(os.environ.update, SLURM_CONF=os.environ.get("SLURM_CONF", ""))
        os.environ.update(self.cluster.environment)
        slurm_cluster.wait_until(self.cluster.is_ready)

    def start(self, shards, *words, **environment):
        with unittest.mock.patch.dict(os.environ, environment):
            self.submit("--shards", shards, *words, engine="slurm")
        return self.said.partition(" are job ")[2].partition(";")[0]

    def ended(self):
        """True if Slurm has no task left."""
        self.assay("submit", "--gather", self.place, "--format", "json")
        return '"left": 0' in self.said


class OnSlurm(WithSlurm):
    def test_sixty_tasks_say_what_one_machine_says(self):
        begun = time.monotonic()
        self.start(TASKS)
        slurm_cluster.wait_until(self.ended, 900)
        print(f"{TASKS} tasks in {time.monotonic() - begun:.0f} s")
        found = self.gather(1)
        self.run_target("--isolation=fork-clean")
        self.assertEqual(self.verdicts(Path(found["merged"][0]["run"])), self.verdicts())
        self.assertEqual(self.verdicts()["sample.n7"], "fail")

    def test_a_node_that_dies_loses_nothing(self):
        job = self.start(6, ASSAY_GO=str(self.go))
        slurm_cluster.wait_until(lambda: all(self.cluster.node_of(job, task) for task in range(1, 7)), 120)
        dead = self.cluster.node_of(job, 1)
        self.cluster.kill_node(dead)
        self.go.touch()
        slurm_cluster.wait_until(self.ended, 600)
        found = self.gather(1)
        self.assertEqual(len(self.verdicts(Path(found["merged"][0]["run"]))), self.checks)
        self.cluster.start_node(dead)

    def test_a_task_over_its_time_is_incomplete_and_the_rest_is_there(self):
        self.start(3, "--minutes", "1", ASSAY_GO=str(self.go))
        slurm_cluster.wait_until(self.ended, 300)
        found = self.gather(2)
        self.assertEqual(set(self.states(found)), {"lost"})
        self.assertIn("incomplete: task 2, shard 2 of 3", self.said)

    def test_a_cancelled_array_ends_and_says_what_was_not_done(self):
        self.start(30, ASSAY_GO=str(self.go))
        slurm_cluster.wait_until((self.place / "tasks/1/run/journal.jsonl").is_file, 120)
        self.assertEqual(self.assay("submit", "--cancel", self.place), 0, self.said)
        slurm_cluster.wait_until(self.ended, 120)
        states = self.states(self.gather(2))
        self.assertEqual(set(states), {"lost", "never begun"})
        self.assertEqual(self.said.count("incomplete: task"), 30)

    def test_what_slurm_refuses_is_said_in_its_words(self):
        self.submit("--resources=--partition=nowhere", engine="slurm", status=71)
        self.assertIn("sbatch: ", self.said)
        self.assertIn("partition", self.said)


class Thousand(WithSlurm):
    """Submits as many tasks as Slurm accepts in one array by default. A task has one check, a few, or none."""

    checks = 1000
    by_hand = 20

    @classmethod
    def setUpClass(cls):
        slurm_cluster.adopt()
        super().setUpClass()

    def all_left(self):
        """True if every task has written its status."""
        slurm_cluster.reap()
        return len(list(self.place.glob("tasks/*/ended"))) == self.checks

    def of_one_task_by_hand(self):
        """Processor time per task if this machine runs the tasks one after the other."""
        lines = self.submit("--shards", self.checks)
        before = self.cluster.processor_seconds()
        for line in lines[: self.by_hand]:
            self.do(line)
        used = self.cluster.processor_seconds() - before
        shutil.rmtree(self.place)
        return used / self.by_hand

    def test_a_thousand_tasks_lose_nothing_and_do_nothing_twice(self):
        by_hand = self.of_one_task_by_hand()
        before, begun = self.cluster.processor_seconds(), time.monotonic()
        self.start(self.checks)
        slurm_cluster.wait_until(self.all_left, 3 * 3600)
        slurm_cluster.wait_until(self.ended, 300)
        took, each = time.monotonic() - begun, (self.cluster.processor_seconds() - before) / self.checks
        begun = time.monotonic()
        found = self.gather(1)
        print(f"{self.checks} tasks in {took:.0f} s, gathered twice in {time.monotonic() - begun:.0f} s; seconds of processor for a "
              f"task: {by_hand:.2f} by hand, {each:.2f} with all that Slurm did, so {each - by_hand:.2f} are Slurm's")
        self.assertTrue(set(self.states(found)) <= {"passed", "failed", "undecided"}, self.said)
        final = [row["id"] for row in self.records("end", Path(found["merged"][0]["run"])) if row["final"]]
        self.assertEqual(sorted(final), sorted(f"sample.n{n}" for n in range(1, self.checks + 1)))
        runs = [self.place / f"tasks/{n}/run" for n in range(1, self.checks + 1)]
        begun_once = [row["id"] for run in runs for row in self.records("start", run) if row["attempt"] == 1]
        self.assertEqual(sorted(begun_once), sorted(final))
        self.assertEqual([check for check, said in self.verdicts(Path(found["merged"][0]["run"])).items() if said != "pass"], ["sample.n7"])


if __name__ == "__main__":
    unittest.main()
