# SPDX-License-Identifier: BSD-3-Clause
"""Tests targets that hinder their host: the run must report that, and must end."""

import os
import select
import signal
import subprocess
import unittest

from harness.command.fixtures.run_fixture import BUILD, RunCase


class Hostile(RunCase):
    READS = """
        import os, threading
        def steal():
            while os.read(3, 65536):
                pass
        threading.Thread(target=steal, daemon=True).start()
        """
    FORKS_NEVER = """
        import os, select
        os.register_at_fork(before=lambda: select.select([], [], []))
        """
    HANGS = """
        import select
        select.select([], [], [])
        """

    def test_what_a_host_is_told_and_does_not_hear_is_done_without_the_target_in_it(self):
        self.write_target(self.READS)
        self.assertEqual(self.run_target("--isolation=fork-loaded", "--timeout-scale=0.1"), 0, self.said)
        self.assertEqual(self.verdicts(), self.good)
        # Target and host write at the same time, so the host may be abandoned before or during the run.
        *_, isolation = self.records("isolation")
        self.assertEqual(isolation["mode"], "fork-clean")
        self.assertRegex(isolation["why"], "^fork-loaded is abandoned: a host .* does not begin a check")

    def test_a_host_that_does_not_hear_is_no_reason_to_wait_for_the_end(self):
        self.write_target(self.FORKS_NEVER)
        command = [str(BUILD / "bin" / "assay"), "run", "--target", "./nothing.yaml", "--isolation=fork-loaded",
                   "--timeout-scale=99", "--out", str(self.out)]
        run = subprocess.Popen(command, cwd=self.folder, env=dict(os.environ, ASSAY_DATA=str(self.folder / "data")),
                               stderr=subprocess.DEVNULL, stdout=subprocess.DEVNULL)
        self.addCleanup(run.kill)
        journal = self.out / "calibration" / "description" / "journal.jsonl"
        while not journal.exists() or '"start"' not in journal.read_text():
            self.assertIsNone(run.poll())
            select.select([], [], [], 0.01)
        run.send_signal(signal.SIGTERM)
        self.assertEqual(run.wait(100), 128 + signal.SIGTERM)

    def test_a_target_that_hangs_when_it_is_loaded_has_the_time_of_the_profile(self):
        self.write_target(self.HANGS, "timeouts: {load: 2}\n")
        self.assertEqual(self.run_target(), 1, self.said)
        self.assertIn("timeout", self.verdicts().values())

    def test_what_the_users_python_is_told_does_not_reach_the_checks(self):
        """Docstrings name the checks, and PYTHONOPTIMIZE=2 removes docstrings."""
        self.assertEqual(self.run_clean(PYTHONOPTIMIZE="2", PYTHONINSPECT="1"), 0, self.said)
        self.assertEqual(self.verdicts(), self.good)

    def test_a_profile_that_takes_away_the_names_of_checks_is_refused(self):
        path = self.folder / "nothing.yaml"
        path.write_text(path.read_text().replace("env: {", 'env: {PYTHONOPTIMIZE: "2", '))
        self.assertEqual(self.run_clean(), 65, self.said)
        self.assertIn("nothing.yaml:3:23: PYTHONOPTIMIZE must not be set", self.said)

    def test_what_multiprocessing_keeps_in_a_folder_goes_with_the_job(self):
        self.write_check("import multiprocessing.util; multiprocessing.util.get_temp_dir()")
        temporary = self.folder / "temporary"
        temporary.mkdir()
        self.assertEqual(self.run_clean(TMPDIR=str(temporary)), 0, self.said)
        self.assertEqual(list(temporary.iterdir()), [])


if __name__ == "__main__":
    unittest.main()
