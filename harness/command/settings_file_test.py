# SPDX-License-Identifier: BSD-3-Clause
"""Tests assay.yaml: it is found up to the root of the repository, named in the first line of output, and never read
by the gate."""

import json
import os
import subprocess
import unittest

from fixtures.run_fixture import BUILD, RunCase


class Settings(RunCase):
    def setUp(self):
        super().setUp()
        (self.folder / ".git").mkdir()
        (self.folder / "deep").mkdir()
        self.write("target: nothing.yaml\nout: kept\njobs: 1\n")

    def write(self, text, name="assay.yaml"):
        (self.folder / name).write_text(text)

    def run_in(self, folder, *words):
        done = subprocess.run([BUILD / "bin" / "assay", *words], cwd=self.folder / folder, capture_output=True, text=True,
                              timeout=120, env=dict(os.environ, ASSAY_DATA=str(self.folder / "data")))
        self.said = done.stdout + done.stderr
        return done.returncode

    def run_folder(self):
        return next(path for path in (self.folder / "kept").iterdir() if not path.is_symlink())

    def test_run_takes_target_folder_and_jobs_from_above(self):
        self.assertEqual(self.run_in("deep", "run", "--isolation=fork-clean"), 0, self.said)
        self.assertIn(f"  by {self.folder}/assay.yaml  target nothing ", self.said.splitlines()[0])
        self.assertEqual(self.verdicts(self.run_folder()), self.good)
        self.assertIn("fork-clean x1", self.said)

    def test_next_reads_the_last_run_of_the_named_folder(self):
        """The contract here has no stages: the sentence names the run."""
        self.assertEqual(self.run_in("", "run", "--isolation=fork-clean"), 0, self.said)
        self.assertEqual(self.run_in("deep", "next"), 65)
        self.assertIn(f"{self.folder}/kept/last contains no stages", self.said)

    def test_words_of_the_command_line_go_first(self):
        self.write("target: missing.yaml\n")
        self.assertEqual(self.run_target("--isolation=fork-clean", "--select", "sample.passes"), 0, self.said)

    def test_commands_of_a_report_name_the_profile_from_here(self):
        self.run_target("--isolation=fork-clean", SAMPLE_FAILS="yes")
        self.assertIn("assay repro sample.passes --target nothing.yaml", self.report())
        self.assertEqual(self.run_in("deep", "report", self.out), 0)
        self.assertIn(f"--target {self.folder}/nothing.yaml", self.said)

    def report(self):
        self.assay("report", self.out)
        return self.said

    def test_outside_of_a_repository_only_the_current_folder_counts(self):
        (self.folder / ".git").rmdir()
        self.assertEqual(self.run_in("deep", "run", "--target", "./missing.yaml"), 65)
        self.assertNotIn("assay.yaml", self.said)

    def test_slip_in_it_is_told_with_its_place(self):
        for text, sentence in (("targe: x\n", 'assay.yaml:1:1: unknown key "targe"; did you mean "target"?'),
                               ("jobs: many\n", "assay.yaml:1:7: ")):
            self.write(text)
            self.assertEqual(self.assay("run"), 65)
            self.assertIn(sentence, self.said)

    def test_link_that_leads_nowhere_is_an_error(self):
        (self.folder / "assay.yaml").unlink()
        (self.folder / "assay.yaml").symlink_to("assay.yaml")
        self.assertNotEqual(self.assay("run"), 0)
        self.assertIn("assay.yaml", self.said.splitlines()[0])

    def test_gate_and_report_do_not_read_it(self):
        self.run_target("--isolation=fork-clean")
        self.write("targe: x\nexpectations: hide.yaml\n")
        decision = self.folder / "decision.json"
        self.assay("gate", "--head", self.out, "--out", decision)
        self.assertNotIn("assay.yaml", self.said + json.dumps(json.loads(decision.read_text())))
        self.assertEqual(self.assay("report", self.out), 0, self.said)


if __name__ == "__main__":
    unittest.main()
