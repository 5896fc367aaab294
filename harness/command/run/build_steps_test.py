# SPDX-License-Identifier: BSD-3-Clause
"""Tests the build steps of a profile: their order, how they end, and the processes that they leave behind."""

import json
import os
import select
import signal
import subprocess
import unittest
from pathlib import Path

from harness.command.fixtures.run_fixture import BUILD, RunCase


class BuildSteps(RunCase):
    def write_build(self, *steps):
        path = self.folder / "nothing.yaml"
        rows = "".join(f"  - run: {json.dumps(list(step))}\n" for step in steps)
        text = path.read_text()
        if "build:" not in text:
            text = text.replace("load:", "build:\nload:")
        path.write_text(text.replace("load:", f"{rows}load:"))

    def test_build_steps_run_in_order_beside_the_profile(self):
        self.write_build(["touch", "first"], ["sh", "-c", "ls; echo $ASSAY_HOST_TARGET >second"])
        self.assertEqual(self.run_target("--isolation=fork-clean"), 0, self.said)
        self.assertEqual((self.folder / "second").read_text(), "torture_target\n")
        self.assertIn("first", (self.out / "build.log").read_text())

    def test_an_adapter_that_a_step_makes_is_found_wherever_the_command_is_given(self):
        self.write_build(["touch", "adapter.so"])
        profile = self.folder / "nothing.yaml"
        profile.write_text(profile.read_text() + "adapter: adapter.so\n")
        done = subprocess.run([BUILD / "bin" / "assay", "run", "--target", profile, "--out", self.out, "--isolation=fork-clean"],
                              cwd="/", env=dict(os.environ, ASSAY_DATA=str(self.folder / "data")), capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stdout + done.stderr)

    def test_a_build_step_that_fails_is_a_run_that_says_so(self):
        self.write_build(["sh", "-c", "echo words; exit 3"], ["touch", "never"])
        self.assertEqual(self.run_target(), 2, self.said)
        (finish,) = self.records("finish")
        self.assertFalse(finish["complete"])
        self.assertIn("build step 1 (sh) ended with exit status 3", finish["why"])
        self.assertEqual(finish["totals"], {"notrun": 5})
        self.assertIn("words", (self.out / "build.log").read_text())
        self.assertFalse((self.folder / "never").exists())

    def test_a_build_step_that_prints_without_end_is_ended(self):
        self.write_build(["sh", "-c", "yes; touch never"])
        self.assertEqual(self.run_target(), 2, self.said)
        (finish,) = self.records("finish")
        self.assertIn("printed more than 64 MiB and was ended", finish["why"])
        self.assertLess((self.out / "build.log").stat().st_size, 4 << 30)

    def test_a_build_step_does_not_outlive_the_command(self):
        self.write_build(["sh", "-c", "echo $$ >step; exec sleep 600"])
        run, step = self.start_at_step()
        run.kill()
        run.wait()
        for _ in range(3000):
            if not Path("/proc", step).exists() or "Z" in Path("/proc", step, "stat").read_text().split()[2]:
                return
            select.select([], [], [], 0.01)
        self.fail(f"process {step} is still there")

    def test_what_a_build_step_leaves_behind_is_ended(self):
        """A daemon is ended too, even in its own session and if it ignores every signal except KILL."""
        daemon = "trap '' TERM HUP; echo $$ >daemon; exec sleep 600"
        self.write_build(["sh", "-c", 'setsid --fork sh -c "$0"; until test -s daemon; do :; done', daemon])
        self.assertEqual(self.run_target("--isolation=fork-clean"), 0, self.said)
        self.assertFalse(Path("/proc", (self.folder / "daemon").read_text().strip()).exists())

    def start_at_step(self):
        """Starts the command and waits for the build step, which writes its process id to `step`. Returns the command
        and that id."""
        words = ["run", "--target", "./nothing.yaml", "--out", str(self.out)]
        settings = dict(os.environ, ASSAY_DATA=str(self.folder / "data"))
        run = subprocess.Popen([str(BUILD / "bin" / "assay"), *words], cwd=self.folder, env=settings,
                               stderr=subprocess.PIPE, text=True)
        self.addCleanup(run.stderr.close)
        step = self.folder / "step"
        for _ in range(3000):
            if step.exists() and step.read_text().strip():
                return run, step.read_text().strip()
            select.select([], [], [], 0.01)
        self.fail("the step never began")

    def test_a_build_step_ends_with_the_command_that_is_told_to_stop(self):
        self.write_build(["sh", "-c", "trap '' TERM INT; echo $$ >step; while :; do :; done"])
        run, step = self.start_at_step()
        run.terminate()
        said = run.communicate(timeout=60)[1]
        self.assertEqual(run.returncode, 128 + signal.SIGTERM)
        self.assertIn("stopped while sh was under way", said)
        self.assertFalse(Path("/proc", step).exists())


if __name__ == "__main__":
    unittest.main()
