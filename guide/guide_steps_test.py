# SPDX-License-Identifier: BSD-3-Clause
"""The steps of the guide: each is a patch on the step before, and the last equals the output of `assay new`."""

import subprocess
import tempfile
import unittest
from pathlib import Path

import yaml
from guide_steps import files_after, number_of, patch_of, read_steps
from new_backend import FEATURES, PARTS, files_of
from step_runs import UNSEEN, broken_by, green_since, seen_so_far

GUIDE = Path(__file__).resolve().parent
STEPS = read_steps()
MOST_LINES = 700  # longest patch of a step; a longer one is split


class Told(unittest.TestCase):
    def test_the_parts_come_once_and_all(self):
        parts = [part for step in STEPS for part in step.parts]
        self.assertEqual(sorted(parts), sorted([*PARTS, *FEATURES]))

    def test_the_last_step_is_what_assay_new_writes(self):
        self.assertEqual(files_after(STEPS), dict(files_of("foo", {*PARTS, *FEATURES}, "nobody")))

    def test_a_step_is_a_patch(self):
        with tempfile.TemporaryDirectory() as folder:
            for number, step in enumerate(STEPS, 1):
                with self.subTest(step=step.name):
                    patch = patch_of(STEPS[:number])
                    told = subprocess.run(["git", "apply", "-"], input=patch, capture_output=True, text=True, cwd=folder)
                    self.assertEqual(told.returncode, 0, told.stderr)
                    self.assertTrue(number == 1 or 0 < patch.count("\n") < MOST_LINES, patch.count("\n"))
            written = {path.relative_to(folder).as_posix(): path.read_text() for path in Path(folder).rglob("*") if path.is_file()}
        self.assertEqual(written, files_after(STEPS))

    def test_every_step_has_a_page(self):
        for step in STEPS:
            self.assertTrue((GUIDE / f"pages/steps/{step.name}.md").is_file(), step.name)


class Brought(unittest.TestCase):
    def step_of(self, name):
        number = number_of(name, STEPS)
        return None if number is None else STEPS[number].name

    def test_the_longest_name_that_a_step_brings_decides(self):
        for name, step in (("aten::as_strided", "views"), ("aten::set_.source_Storage", "views"), ("aten::mm.out", "fallback"),
                           ("streams.pool", "streams"), ("memory.pinned", "pinned"), ("memory.stats", "allocator"),
                           ("hooks.getNewGenerator", "module"), ("hooks.getPinnedMemoryAllocator", "pinned"), ("graphs", None),
                           ("memory.caching", None)):
            self.assertEqual(self.step_of(name), step, name)

    def test_no_name_is_brought_twice(self):
        names = [name for step in STEPS for name in step.brings]
        self.assertEqual(len(names), len(set(names)))

    def test_names_are_those_of_the_contract(self):
        contract = yaml.safe_load((GUIDE.parent / "conformance.yaml").read_text())
        checks = {check["id"] for path in GUIDE.parent.glob("suites/*/contract.yaml")
                  for check in yaml.safe_load(path.read_text()).get("checks") or []}
        known = {*contract["capabilities"], *contract["modules"], *checks, "aten", "module", "torch"}
        unknown = {name for step in STEPS for name in step.brings} - known
        self.assertEqual({name for name in unknown if not name.startswith(("aten::", "module.", "hooks."))}, set())


class Verdicts(unittest.TestCase):
    def test_what_is_not_observed_this_time_keeps_its_verdict(self):
        before, found = {"m.one": "pass", "m.two": "skip", "m.three": "pass"}, {"m.one": UNSEEN, "m.two": UNSEEN, "m.three": "fail"}
        self.assertEqual(seen_so_far(before, found), {"m.one": "pass", "m.two": UNSEEN, "m.three": "fail"})

    def test_what_passes_since_a_step(self):
        self.assertEqual(green_since({"m.one": "pass", "m.two": "skip"}, {"m.one": "pass", "m.two": "noted", "m.three": "fail"}), ["m.two"])

    def test_what_a_step_breaks_is_told(self):
        before = {"m.one": "pass", "m.two": "pass", "m.three": "fail"}
        after = {"m.one": "fail", "m.two": "skip", "m.three": "crash"}
        self.assertEqual(broken_by("a", before, after), ["a: m.one was pass and is fail"])


if __name__ == "__main__":
    unittest.main()
