# SPDX-License-Identifier: BSD-3-Clause
"""Tests every kind of misbehaviour in every isolation mode and both hosts: each case has the expected verdict,
affects no other case, and leaves no process behind."""

import os
import re
import unittest
from concurrent.futures import ThreadPoolExecutor
from itertools import cycle, product
from pathlib import Path
from unittest import mock

import torture_driver

EVERY_HOST = os.environ.get("ASSAY_FULL") == "1"

# A run mostly waits for deadlines, so several runs at the same time cost little more than one.
SIDE_BY_SIDE = 4
# Checks that must hang get short deadlines. Other checks get enough time for a busy machine.
GENEROUS = {"load_ms": 30000, "check_ms": 60000, "silence_ms": 30000}
SHORT = {"load_ms": 2000, "check_ms": 1500, "silence_ms": 1000}


class Torture(unittest.TestCase):
    maxDiff = None

    def check_cases(self, name, python, mode, limits):
        run = torture_driver.Run(self, python)
        expected = torture_driver.read_cases(name)
        cases = torture_driver.CASES / name
        status, verdicts = run.run(cases=cases, mode=mode, jobs=4, **limits)
        strange = {name for name in expected if verdicts.get(name) != expected[name]}
        told = [record for record in run.records() if record.get("id") in strange]
        self.assertEqual(verdicts, expected, (mode, told))
        self.assertEqual(status, 1)
        self.assertEqual(run.left_over(), [])
        kept = {path.name for path in (run.out / "jobs").iterdir()}
        passed = {identity for identity, verdict in expected.items() if verdict == "pass"}
        # The run keeps the folder of an attempt that was not final.
        self.assertEqual(kept & passed - run.set_aside(), set())

    def check_everywhere(self, name, places, limits):
        """`places` are pairs of a host (Python or native) and a mode."""
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            runs = {
                (python, mode): pool.submit(self.check_cases, name, python, mode, limits)
                for python, mode in places
            }
        for (python, mode), run in runs.items():
            with self.subTest(name=name, python=python, mode=mode):
                run.result()

    def test_native_checks_in_both_hosts(self):
        self.check_everywhere("torture_cases.txt", product((False, True), torture_driver.MODES), GENEROUS)

    def test_native_checks_that_hang(self):
        """Each mode runs in one of the two hosts, alternately. `ci/full torture` runs it in both, which takes
        minutes."""
        hosts = cycle((False, True))
        places = [(next(hosts), mode) for mode in torture_driver.MODES]
        everywhere = product((False, True), torture_driver.MODES)
        self.check_everywhere("hang_cases.txt", everywhere if EVERY_HOST else places, SHORT)

    def test_python_checks(self):
        self.check_everywhere("python_cases.txt", product((True,), torture_driver.MODES), GENEROUS)

    def test_python_checks_that_hang(self):
        self.check_everywhere("python_hang_cases.txt", product((True,), torture_driver.MODES), SHORT)


class Equivalence(unittest.TestCase):
    """The verdicts do not depend on the order, the other checks or the number of hosts."""

    def verdicts(self, **options):
        run = torture_driver.Run(self)
        cases = torture_driver.CASES / "quick_cases.txt"
        return run.run(cases=cases, **GENEROUS, **options)

    def test_jobs_and_shuffle_do_not_matter(self):
        expected = torture_driver.read_cases("quick_cases.txt")
        ways = list(product(torture_driver.MODES, ((1, 0), (8, 0), (8, 7), (1, 12345))))
        with ThreadPoolExecutor(SIDE_BY_SIDE) as pool:
            runs = [
                pool.submit(self.verdicts, mode=mode, jobs=jobs, shuffle=shuffle)
                for mode, (jobs, shuffle) in ways
            ]
        for (mode, (jobs, shuffle)), run in zip(ways, runs):
            with self.subTest(mode=mode, jobs=jobs, shuffle=shuffle):
                self.assertEqual(run.result(), (1, expected))

    def test_four_shards_make_the_whole(self):
        for mode in torture_driver.MODES:
            merged = {}
            for shard in range(1, 5):
                _, verdicts = self.verdicts(mode=mode, jobs=4, shard=f"{shard}/4")
                self.assertFalse(merged.keys() & verdicts.keys())
                merged.update(verdicts)
            self.assertEqual(merged, torture_driver.read_cases("quick_cases.txt"))


class Calibration(unittest.TestCase):
    def test_a_harmless_target_is_loaded_before_the_fork(self):
        run = torture_driver.Run(self)
        run.run(cases=torture_driver.CASES / "quick_cases.txt")
        self.assertIn('"mode":"fork-loaded"', (run.out / "journal.jsonl").read_text())

    def test_a_target_that_cannot_be_loaded_is_not(self):
        for word, verdict in (("fail", "broken"), ("crash", "crash")):
            with self.subTest(word=word):
                run = torture_driver.Run(self)
                _, verdicts = run.run(cases=torture_driver.CASES / "quick_cases.txt", load=word)
                self.assertIn('"mode":"fork-clean"', (run.out / "journal.jsonl").read_text())
                self.assertEqual(verdicts["torture.passes"], verdict)


class Devices(unittest.TestCase):
    def test_a_target_without_any_device_is_broken_not_skipped(self):
        run = torture_driver.Run(self)
        cases = torture_driver.CASES / "quick_cases.txt"
        _, verdicts = run.run(cases=cases, mode="fork-clean", load="no-device")
        self.assertEqual(verdicts["torture.asks_for_nine_devices"], "broken")


class SharedMemory(unittest.TestCase):
    """Shared memory may outlive all processes of a check. If the check certainly created it, it is removed; otherwise
    it is reported."""

    def notes_of(self, python, check, mode="fork-loaded"):
        run = torture_driver.Run(self, python)
        cases = run.out.parent / "cases.txt"
        cases.write_text(f"torture.passes pass\n{check} pass\n")
        _, verdicts = run.run(cases=cases, mode=mode, **GENEROUS)
        self.assertEqual(verdicts[check], "pass")
        (end,) = [r for r in run.records() if r["event"] == "end" and r["id"] == check and r["final"]]
        return [text for note in end.get("notes", []) for key, text in note.items() if key == "left memory"]

    def segments(self):
        """Numbers of the segments to which no process is attached."""
        lines = Path("/proc/sysvipc/shm").read_text(encoding="ascii").splitlines()[1:]
        return {line.split()[1] for line in lines if line.split()[6] == "0"}

    def test_a_segment_is_removed(self):
        for python in (False, True):
            with self.subTest(python=python):
                (note,) = self.notes_of(python, "torture.leaves_segment")
                number = re.search(r"shared memory segment (\d+) \(4096 bytes\), removed now", note)[1]
                self.assertNotIn(number, self.segments())

    def test_a_segment_is_removed_where_checks_share_a_process_too(self):
        for mode in ("batch", "batch-loaded", "exec"):
            before = self.segments()
            self.notes_of(False, "torture.leaves_segment", mode)
            self.assertEqual(self.segments() - before, set(), mode)


class InCompany(unittest.TestCase):
    def test_only_what_a_neighbour_can_be_blamed_for_is_asked_again_alone(self):
        run = torture_driver.Run(self, False)
        cases = run.out.parent / "cases.txt"
        cases.write_text("torture.passes pass\ntorture.skips skip\ntorture.fails fail\n")
        run.run(cases=cases, mode="batch")
        again = {record["id"] for record in run.records() if record["event"] == "end" and not record["final"]}
        self.assertEqual(again, {"torture.fails"})


class LastWords(unittest.TestCase):
    """The report of a check that died contains its signal and its last output."""

    def end_of(self, run, check):
        (end,) = [r for r in run.records() if r["event"] == "end" and r["id"] == check and r["final"]]
        return end

    def test_a_death_tells_where_it_was_and_what_it_said(self):
        for python in (False, True):
            with self.subTest(python=python):
                run = torture_driver.Run(self, python)
                cases = run.out.parent / "cases.txt"
                cases.write_text("torture.overflows_stack crash\ntorture.segfaults crash\ntorture.calls_nothing crash\ntorture.fails fail\n")
                run.run(cases=cases, mode="fork-clean", **GENEROUS)
                overflow = self.end_of(run, "torture.overflows_stack")
                self.assertTrue(overflow["reason"].startswith("stack overflow: SIGSEGV"), overflow)
                self.assertIn("torture_checks.so" if python else "torture_host", overflow["frames"])
                nothing = self.end_of(run, "torture.calls_nothing")
                self.assertTrue(nothing["reason"].startswith("a call of the address 0: SIGSEGV"), nothing)
                self.assertTrue(nothing["frames"].startswith("calls_nothing ("), nothing)
                fault = self.end_of(run, "torture.segfaults")
                self.assertTrue(fault["reason"].startswith("SIGSEGV in stage"), fault)
                self.assertIn("(", fault["frames"])
                self.assertNotIn("frames", self.end_of(run, "torture.fails"))


class Stopping(unittest.TestCase):
    def test_fail_fast_leaves_the_rest_for_resume(self):
        run = torture_driver.Run(self)
        cases = torture_driver.CASES / "quick_cases.txt"
        status, verdicts = run.run(cases=cases, mode="fork-clean", maxfail=1)
        self.assertIn("notrun", verdicts.values())
        self.assertEqual(status, 1)
        status, verdicts = run.run(cases=cases, mode="fork-clean", resume=1)
        self.assertEqual(verdicts, torture_driver.read_cases("quick_cases.txt"))

    def test_interrupt_stops_cleanly(self):
        run = torture_driver.Run(self)
        cases = torture_driver.CASES / "hang_cases.txt"
        process = run.start(cases=cases, mode="fork-clean", jobs=2, check_ms=600000)
        journal = run.out / "journal.jsonl"
        while not journal.exists() or b'"end"' not in journal.read_bytes():
            self.assertIsNone(process.poll())
        process.send_signal(2)
        run.finish(process)
        self.assertIn('"why":"interrupted"', journal.read_text())
        self.assertEqual(run.left_over(), [])

    def test_deadline_of_the_whole_run(self):
        run = torture_driver.Run(self)
        cases = torture_driver.CASES / "hang_cases.txt"
        limits = {"run_ms": 1500, "check_ms": 60000}
        status, verdicts = run.run(cases=cases, mode="fork-clean", jobs=4, **limits)
        # How far the check comes depends on the machine.
        failed = {"fail", "crash", "timeout"} & set(verdicts.values())
        self.assertEqual(status, 1 if failed else 2)
        self.assertIn("notrun", verdicts.values())
        self.assertEqual(run.left_over(), [])

    def refuse_forks(self, count):
        run = torture_driver.Run(self)
        cases = Path(run.temporary.name) / "one_case.txt"
        cases.write_text("torture.passes pass\n")
        with mock.patch.dict(os.environ, TORTURE_REFUSES_FORKS=str(count)):
            return run, run.run(cases=cases, jobs=1, mode="fork-clean", **GENEROUS)

    def test_a_fork_that_is_refused_for_a_while_is_waited_for(self):
        _, (status, verdicts) = self.refuse_forks(5)
        self.assertEqual((status, verdicts), (0, {"torture.passes": "pass"}))

    def test_a_check_whose_fork_is_refused_for_good_is_incomplete_and_no_crash(self):
        run, (status, verdicts) = self.refuse_forks(1000000)
        self.assertEqual((status, verdicts), (2, {"torture.passes": "incomplete"}))
        (end,) = [record for record in run.records() if record["event"] == "end"]
        self.assertIn("the machine allowed no new process", end["reason"])
        # When the machine has recovered, a resumed run runs the check again.
        cases = Path(run.temporary.name) / "one_case.txt"
        resumed = run.run(cases=cases, jobs=1, mode="fork-clean", resume=1, **GENEROUS)
        self.assertEqual(resumed, (0, {"torture.passes": "pass"}))

    def test_retry_makes_a_lucky_pass_visible(self):
        run = torture_driver.Run(self)
        _, verdicts = run.run(
            cases=torture_driver.CASES / "flaky_cases.txt", mode="fork-clean", retries=2
        )
        self.assertEqual(verdicts, torture_driver.read_cases("flaky_cases.txt"))


if __name__ == "__main__":
    unittest.main()
