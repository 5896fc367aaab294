# SPDX-License-Identifier: BSD-3-Clause
"""ci/changelog: a log becomes Markdown by area, from the last tag on."""

import os
import subprocess
import tempfile
import unittest
from pathlib import Path

CHANGELOG = Path(__file__).resolve().with_name("changelog")
NOBODY = {f"GIT_{who}_{what}": "nobody@example.org" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}


class Written(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)
        self.git("init", "--quiet")

    def git(self, *words):
        subprocess.run(["git", *words], cwd=self.folder, env=os.environ | NOBODY, check=True, capture_output=True)

    def commit(self, *lines):
        for line in lines:
            self.git("commit", "--quiet", "--allow-empty", "--message", line)

    def told(self, *words):
        return subprocess.run([CHANGELOG, *words], cwd=self.folder, capture_output=True, text=True, check=True).stdout

    def test_areas_with_most_changes_come_first(self):
        self.commit("run: begin", "Merge branch 'x'", "gate: judge", "no area at all", "gate: explain", "a: b: c")
        self.assertEqual(self.told(), "# Changes\n\n## gate\n- judge\n- explain\n\n## a\n- b: c\n\n## run\n- begin\n")

    def test_it_begins_at_the_last_tag_before(self):
        self.commit("run: old")
        self.git("tag", "v1")
        self.commit("run: new")
        self.git("tag", "v2")
        self.assertEqual(self.told(), "# Changes since v1\n\n## run\n- new\n")
        self.assertEqual(self.told("v1", "v1"), "# Changes since v1\n")


if __name__ == "__main__":
    unittest.main()
