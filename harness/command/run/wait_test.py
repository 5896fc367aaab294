# SPDX-License-Identifier: BSD-3-Clause
"""Tests waiting times of `assay run`: facts about a target are determined once, only necessary hosts are started,
signals take effect in every phase, and a terminal shows the running phase."""

import os
import pty
import select
import signal
import subprocess
import time
import unittest
from pathlib import Path

from harness.command.fixtures.run_fixture import BUILD, TORTURE, RunCase

OBEYED_S = 2
LINGER = "open({mark!r}, 'a').close(); os.read(os.pipe()[0], 1)"


class Waiting(RunCase):
    def setUp(self):
        super().setUp()
        self.mark = self.folder / "mark"
        (self.folder / "thing.py").write_text("")
        self.write_target("pass", "pass")

    def write_target(self, prepare, load):
        """Writes a torture target that also executes `prepare` when a host is prepared and `load` when it is loaded."""
        text = (TORTURE / "torture_target.py").read_text()
        text = text.replace("    global _library\n", f"    global _library\n    {prepare}\n")
        text = text.replace("    words = [", f"    {load}\n    words = [")
        (self.folder / "waiting_target.py").write_text("import threading\n" + text)
        path = self.folder / "nothing.yaml"
        profile = path.read_text().replace("TARGET: torture_target", "TARGET: waiting_target")
        profile = profile.replace('- exec: "nothing"', "- import: thing\ndevices: [0, 1]")
        if str(self.folder) not in profile:
            profile = profile.replace("PYTHONPATH: ", f"PYTHONPATH: {self.folder}:")
        path.write_text(profile)

    def run_and_see(self, name, *words, **environment):
        """Returns the mode, its reason, and the small runs of the calibration."""
        out = self.folder / name
        environment.setdefault("XDG_CACHE_HOME", str(self.folder / "cache"))
        self.assertEqual(self.run_target(*words, out=out, **environment), 0, self.said)
        (isolation,) = self.records("isolation", out)
        folder = out / "calibration"
        return isolation["mode"], isolation["why"], sorted(os.listdir(folder)) if folder.exists() else []

    # ---- facts that are determined once

    def test_what_a_calibration_found_is_kept(self):
        whole = ["first-look", "fork-clean", "fork-loaded"]
        first = self.run_and_see("1")
        self.assertEqual((first[0], first[2]), ("fork-loaded", whole))
        self.assertIn(f"fork-loaded: {first[1]}\n", self.said)
        self.assertEqual(self.run_and_see("2"), (*first[:2], []))
        self.assertIn(f"(in an earlier run: {self.folder}/cache/assay/isolation/", self.said)

    def test_a_check_is_tried_without_those_that_it_waits_for(self):
        contract = self.folder / "data/suites/sample/contract.yaml"
        hub, rest = contract.read_text().split("summary: Passes.}\n")
        late = "  - {id: sample.comes_late, covers: [SMP-001], fails_with: [sample.passes], summary: Late.}\n"
        contract.write_text(f"{hub}process: fresh, summary: Passes.}}\n{late}{rest}")
        suite = self.folder / "data/suites/sample/test_sample.py"
        suite.write_text(suite.read_text() + '\n    def test_comes_late(self):\n        """sample.comes_late"""\n')
        self.assertEqual(self.run_and_see("1")[0], "fork-loaded", self.said)

    def test_what_was_kept_a_month_ago_goes_when_something_is_kept(self):
        folder = self.folder / "cache/assay/isolation"
        folder.mkdir(parents=True)
        old, young = folder / "0123456789abcdef.json", folder / "fedcba9876543210.json"
        for path, age in ((old, 31), (young, 29)):
            path.write_text("{}")
            day = time.time() - age * 24 * 3600
            os.utime(path, (day, day))
        self.run_and_see("1")
        self.assertEqual((old.exists(), young.exists(), len(list(folder.iterdir()))), (False, True, 2))

    def test_another_file_or_environment_is_another_calibration(self):
        self.run_and_see("1")
        self.assertTrue(self.run_and_see("2", SOME_SETTING="1")[2])
        (self.folder / "thing.py").write_text("changed = 1")
        self.assertTrue(self.run_and_see("3")[2])
        self.assertFalse(self.run_and_see("4")[2])

    def test_what_was_kept_and_cannot_be_read_is_found_out_again(self):
        self.run_and_see("1")
        (kept,) = (self.folder / "cache/assay/isolation").iterdir()
        for number, text in enumerate(("", "{", '{"mode": "wild", "why": "", "notes": []}')):
            kept.write_text(text)
            self.assertTrue(self.run_and_see(f"broken{number}")[2], text)

    def test_a_thread_decides_before_any_check_is_tried(self):
        self.write_target("pass", "threading.Thread(target=os.read, args=(os.pipe()[0], 1), daemon=True).start()")
        mode, why, runs = self.run_and_see("1")
        self.assertEqual((mode, why), ("fork-clean", "loading the target leaves 2 threads running"))
        self.assertEqual(runs, ["description", "first-look"])

    # ---- hosts that are started

    def test_a_few_quick_checks_are_no_reason_for_a_second_host(self):
        self.write_target(f"open({str(self.mark)!r}, 'a').write('host ')", "pass")
        self.assertEqual(self.run_target("--isolation=fork-clean", "--jobs=4"), 0, self.said)
        self.assertEqual(self.mark.read_text(), "host ")

    def test_a_profile_says_how_many_processes_its_devices_bear(self):
        path = self.folder / "nothing.yaml"
        path.write_text(path.read_text() + "jobs: 1\n")
        self.assertEqual(self.run_target("--isolation=fork-clean", "--jobs=4"), 0, self.said)
        self.assertIn("fork-clean x1\n", self.said)

    # ---- signals

    def start(self, *words, **environment):
        words = ["run", "--target", "./nothing.yaml", "--out", str(self.out), *words]
        return subprocess.Popen(
            [str(BUILD / "bin" / "assay"), *words], cwd=self.folder, text=True, stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, env=dict(os.environ, ASSAY_DATA=str(self.folder / "data"), **environment)
        )

    def wait_for(self, path):
        for _ in range(6000):
            if path.exists():
                return
            select.select([], [], [], 0.01)
        self.fail(f"{path} never came")

    def obeys(self, number, *words, **environment):
        """Returns the output. The exit status is in self.status."""
        self.mark.unlink(missing_ok=True)
        run = self.start(*words, **environment)
        self.wait_for(self.mark)
        begin = time.monotonic()
        run.send_signal(number)
        said = run.communicate(timeout=60)[0]
        self.assertLess(time.monotonic() - begin, OBEYED_S, said)
        self.status = run.returncode
        return said

    def test_a_signal_ends_a_calibration_at_once(self):
        self.write_target("pass", LINGER.format(mark=str(self.mark)))
        for number in (signal.SIGINT, signal.SIGTERM):
            self.out = self.folder / f"calibrating{number}"
            self.assertIn("stopped while finding out", self.obeys(number))
            self.assertEqual(self.status, 128 + number)
            self.assertFalse((self.out / "journal.jsonl").exists())

    def test_a_signal_does_not_wait_for_a_host_that_starts(self):
        self.write_target(LINGER.format(mark=str(self.mark)), "pass")
        for mode in ("fork-clean", "fork-loaded"):
            self.out = self.folder / f"starting-{mode}"
            self.assertIn("interrupted", self.obeys(signal.SIGTERM, f"--isolation={mode}"))
            self.assertEqual(self.status, 128 + signal.SIGTERM)

    def test_a_signal_ends_a_check_and_its_retries(self):
        self.write_check(LINGER.format(mark=str(self.mark)))
        said = self.obeys(signal.SIGINT, "--isolation=fork-clean", "--retries=3")
        self.assertIn("interrupted", said)
        self.assertEqual(self.status, 130)

    def test_a_terminal_that_is_closed_ends_a_run_in_order(self):
        self.write_check(LINGER.format(mark=str(self.mark)))
        self.assertIn("interrupted", self.obeys(signal.SIGHUP, "--isolation=fork-clean"))
        self.assertEqual(self.status, 129)
        self.assertIn('"why":"interrupted"', (self.out / "journal.jsonl").read_text())

    def test_signals_that_mean_nothing_end_nothing(self):
        go = self.folder / "go"
        os.mkfifo(go)
        self.write_check(f"open({str(self.mark)!r}, 'w').close(); open({str(go)!r}).read()")
        run = self.start("--isolation=fork-clean")
        self.wait_for(self.mark)
        for number in (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM, signal.SIGVTALRM, signal.SIGXFSZ):
            run.send_signal(number)
        go.write_text("go on")
        said = run.communicate(timeout=60)[0]
        self.assertEqual(run.returncode, 0, said)

    def test_a_limit_of_the_size_of_files_is_told(self):
        """`ulimit -f`: the journal cannot grow. The run must report that instead of being killed by a signal."""
        words = ["prlimit", "--fsize=2000", str(BUILD / "bin" / "assay"), "run", "--target", "./nothing.yaml",
                 "--out", str(self.out), "--isolation=fork-clean"]
        done = subprocess.run(words, cwd=self.folder, text=True, capture_output=True, timeout=60,
                              env=dict(os.environ, ASSAY_DATA=str(self.folder / "data")))
        self.assertEqual(done.returncode, 71, done)
        self.assertIn("File too large", done.stdout + done.stderr)

    # ---- output on a terminal

    def read_until(self, terminal, *texts):
        seen, until = "", time.monotonic() + 60
        while not all(text in seen for text in texts):
            if not select.select([terminal], [], [], max(0, until - time.monotonic()))[0]:
                self.fail(f"{texts} did not come: {seen!r}")
            seen += os.read(terminal, 4096).decode()
        return seen

    def test_a_terminal_is_told_each_second_what_is_under_way(self):
        go = self.folder / "go"
        os.mkfifo(go)
        self.write_check(f"open({str(go)!r}).read()")
        ours, its = pty.openpty()
        run = subprocess.Popen(
            [str(BUILD / "bin" / "assay"), "run", "--target", "./nothing.yaml", "--isolation=fork-clean",
             "--out", str(self.out)], cwd=self.folder, stdout=its, stderr=its,
            env=dict(os.environ, ASSAY_DATA=str(self.folder / "data"))
        )
        os.close(its)
        self.read_until(ours, "00:01  sample.passes", "00:02  sample.passes")
        go.write_text("on")
        self.assertEqual(run.wait(60), 0)
        os.close(ours)


if __name__ == "__main__":
    unittest.main()
