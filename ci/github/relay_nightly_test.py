# SPDX-License-Identifier: BSD-3-Clause
"""The nightly's form for PyTorch's cross-repository relay (RFC-0056), its very steps: one callback, when all is over, with
the revision of main that the wheel was made of. The action and the callback are stand-ins, and so is gh."""

import tempfile
import unittest
from pathlib import Path

from fixtures.local_runner import Failed, Runner

WORKFLOW = Path(__file__).parent / "pytorch" / "assay_relay_nightly.yml"
NIGHTLY, MAIN = "a" * 40, "b" * 40


class Relay(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = Path(folder.name)
        self.told = []

    def night(self, outputs, title, status=0):
        """A dictionary for each callback: what the relay is told."""
        gh = self.folder / "gh"
        # A message is longer than a pipe holds, as those of merged pull requests can be.
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
