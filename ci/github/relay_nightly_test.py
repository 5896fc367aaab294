# SPDX-License-Identifier: BSD-3-Clause
"""Tests the nightly workflow for PyTorch's cross-repository relay (RFC-0056) with its real steps: one callback at the
end, with the revision of main from which the wheel was built. The action, the callback and gh are stand-ins."""

import unittest
from pathlib import Path

from fixtures.local_runner import Failed, Runner
from harness.command.fixtures.folder_case import FolderCase

WORKFLOW = Path(__file__).parent / "pytorch" / "assay_relay_nightly.yml"
NIGHTLY, MAIN = "a" * 40, "b" * 40


class Relay(FolderCase):
    def setUp(self):
        super().setUp()
        self.told = []

    def night(self, outputs, title, status=0):
        """Returns a dictionary with the arguments of each callback."""
        gh = self.folder / "gh"
        # The message is longer than the buffer of a pipe, as messages of merged pull requests can be.
        gh.write_text(f"#!/bin/sh\n[ \"$2\" = repos/pytorch/pytorch/commits/{NIGHTLY} ] && echo '{title}' &&"
                      f" head -c 200000 /dev/zero | tr '\\0' x && exit {status}\n")
        gh.chmod(0o755)

        def uses(step, given):
            if "callback" in step["uses"]:
                self.told.append(given)
            if step.get("id") != "assay":
                return {}
            if outputs["conclusion"] == "failure":
                runner.outputs["assay"] = outputs
                raise Failed("a must is broken")
            return outputs

        runner = Runner(self.folder, {"github": {"token": "t"}}, {}, uses)
        runner.variables["PATH"] = f"{self.folder}:{runner.variables['PATH']}"
        try:
            runner.run_job(WORKFLOW, "assay")
        except Failed:
            self.assertEqual("failure", outputs["conclusion"])
        return self.told

    def outputs(self, conclusion="success", git=NIGHTLY):
        return {"conclusion": conclusion, "test-results": '{"passed": 1}', "artifact-url": "https://x/y", "torch-git": git}

    def test_one_callback_names_the_revision_of_main(self):
        (told,) = self.night(self.outputs(), f"2026-11-26 nightly release ({MAIN})")
        self.assertEqual({"status": "completed", "event-type": "nightly", "delivery-id": MAIN, "conclusion": "success",
                          "test-results": '{"passed": 1}', "artifact-url": "https://x/y"}, told)

    def test_broken_musts_are_told_as_well(self):
        (told,) = self.night(self.outputs("failure"), f"2026-11-26 nightly release ({MAIN})")
        self.assertEqual(("failure", MAIN), (told["conclusion"], told["delivery-id"]))

    def test_wheel_of_main_itself_is_its_own_revision(self):
        (told,) = self.night(self.outputs(), "[ATen] Something (#1234)")
        self.assertEqual(NIGHTLY, told["delivery-id"])

    def test_night_without_a_wheel_or_an_answer_tells_nothing(self):
        self.assertEqual([], self.night(self.outputs("failure", git=""), ""))
        self.assertEqual([], self.night(self.outputs(), "", status=1))


if __name__ == "__main__":
    unittest.main()
