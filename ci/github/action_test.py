# SPDX-License-Identifier: BSD-3-Clause
"""Runs action.yml step by step with a stand-in for `assay run`, and tests inputs, outputs, reports and the verdict.
The set-up step is not tested here, because ci/test runs it."""

import contextlib
import json
import os
import shutil
import unittest
from pathlib import Path

import yaml
from fixtures.local_runner import Failed, Runner
from harness.command.fixtures.folder_case import FolderCase

HERE = Path(__file__).resolve().parent
MIXED = HERE.parents[1] / "reports" / "testdata" / "runs" / "mixed"
ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin" / "assay"
# This stand-in for assay copies the golden run and returns the requested status. All other programs are real.
STAND_IN = f"""#!/usr/bin/env bash
[ "$1" != bridge ] || {{ echo "$*" >> "$SAID.bridge"; echo "torch 2.99.0  /cache/bridge-2.99.0-f00/assay_bridge.so"; exit; }}
[ "$1" = run ] || exec "{ASSAY}" "$@"
printf '%s\\n' "$@" > "$SAID"
[ "$STATUS" -gt 2 ] || cp -r "{MIXED}" "$5"
exit "$STATUS"
"""


class Action(FolderCase):
    def setUp(self):
        super().setUp()
        self.used = []
        program = self.folder / "assay"
        program.write_text(STAND_IN)
        program.chmod(0o755)
        # Writes the action without its first step to a folder with scripts of the same names.
        body = yaml.safe_load((HERE / "action.yml").read_text())
        self.assertEqual("Set up assay", body["runs"]["steps"].pop(0)["name"])
        self.action = self.folder / "action" / "action.yml"
        self.action.parent.mkdir()
        self.action.write_text(yaml.safe_dump(body))
        for script in ("run_target", "write_reports"):
            (self.action.parent / script).symlink_to(HERE / script)

    def use(self, step, given):
        name = step["uses"].partition("@")[0]
        self.used.append((name, given))
        return {"actions/upload-artifact": {"artifact-url": "https://example.org/artifact"},
                "actions/cache/restore": {"cache-hit": self.hit}}.get(name, {})

    def uses_of(self, name):
        return [given for used, given in self.used if used == name]

    def run_action(self, status, hit="true", **inputs):
        self.hit = hit
        github = {"server_url": "https://example.org", "repository": "a/b", "run_id": 7}
        variables = {
            "ASSAY": str(self.folder / "assay"),
            "STATUS": str(status),
            "SAID": str(self.folder / "said"),
            "RUNNER_TEMP": str(self.folder),
            "GITHUB_STEP_SUMMARY": str(self.folder / "summary"),
        }
        self.runner = Runner(self.folder, {"github": github}, variables, self.use)
        return self.runner.run_action(self.action, inputs)

    def test_kept_contract_is_green_with_everything_reported(self):
        outputs = self.run_action(0, target="my.yaml")
        self.assertEqual("0", outputs["exit-status"])
        self.assertEqual("https://example.org/artifact", outputs["artifact-url"])
        self.assertEqual(11, json.loads(outputs["test-results"])["total"])
        self.assertTrue((Path(outputs["reports"]) / "report.html").is_file())
        self.assertIn(
            "https://example.org/a/b/actions/runs/7", (self.folder / "summary").read_text()
        )
        self.assertIn("my.yaml", (self.folder / "said").read_text().splitlines())

    def test_broken_contract_is_red_after_report_and_upload(self):
        with self.assertRaisesRegex(Failed, "Verdict: 1"):
            self.run_action(1)
        self.assertEqual(["Run the checks", "Report", "Upload", "Verdict"], self.runner.ran[-4:])
        self.assertEqual(1, len(self.uses_of("actions/upload-artifact")))

    def test_bridge_is_compiled_once_for_each_torch(self):
        kept = {"path": "/cache/bridge-2.99.0-f00", "key": "/cache/bridge-2.99.0-f00"}
        for hit, said, saved in (("", ["bridge build --where", "bridge build"], [kept]), ("true", ["bridge build --where"], [])):
            with contextlib.suppress(Failed):  # the bridge is stored even if the contract is invalid
                self.run_action(1, hit=hit)
            self.assertEqual([kept], self.uses_of("actions/cache/restore"))
            self.assertEqual(saved, self.uses_of("actions/cache/save"))
            self.assertEqual(said, (self.folder / "said.bridge").read_text().splitlines())
            self.used.clear()
            (self.folder / "said.bridge").unlink()
            shutil.rmtree(next(self.folder.glob("assay.*")))

    def test_broken_contract_is_left_to_a_judge_when_asked(self):
        self.assertEqual("1", self.run_action(1, fail="false")["exit-status"])

    def test_undecided_is_red(self):
        with self.assertRaisesRegex(Failed, "Verdict: 2"):
            self.run_action(2)

    def test_no_run_at_all_is_red(self):
        with self.assertRaisesRegex(Failed, "Run the checks: 65"):
            self.run_action(65, fail="false")

    def test_inputs_reach_the_program_as_they_are(self):
        self.run_action(
            0, target="$(id)", select="a;b", **{"fail-on": "should", "arguments": "--jobs 2"}
        )
        words = (self.folder / "said").read_text().splitlines()
        for word in ("$(id)", "a;b", "should", "--jobs", "2"):
            self.assertIn(word, words)

    def test_no_artifact_is_uploaded_without_a_name(self):
        self.run_action(0, artifact="")
        self.assertEqual([], self.uses_of("actions/upload-artifact"))


if __name__ == "__main__":
    unittest.main()
