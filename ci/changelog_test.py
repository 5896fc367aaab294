# SPDX-License-Identifier: BSD-3-Clause
"""ci/changelog prints the section of one version, and fails for a version without entries."""

import subprocess
import tempfile
import unittest
from pathlib import Path

CHANGELOG = Path(__file__).resolve().with_name("changelog")
TEXT = """# Changelog
Words before the first section.

## Unreleased

## [1.1.0] - 2026-12-01
### Added
- a new thing

## 1.0.0 - 2026-11-01
- the first thing
"""


class Section(unittest.TestCase):
    def printed(self, version):
        with tempfile.NamedTemporaryFile("w", suffix=".md") as file:
            file.write(TEXT)
            file.flush()
            return subprocess.run([CHANGELOG, version, file.name], capture_output=True, text=True)

    def test_section_of_a_version(self):
        self.assertEqual(self.printed("1.0.0").stdout, "- the first thing\n")
        self.assertEqual(self.printed("1.1.0").stdout, "### Added\n- a new thing\n")

    def test_missing_and_empty_sections_are_refused(self):
        for version in ("1.0", "2.0.0", "Unreleased"):
            refused = self.printed(version)
            self.assertEqual((refused.returncode, refused.stdout), (65, ""), version)
            self.assertIn(f'no section "## {version}"', refused.stderr)

    def test_changelog_of_this_checkout_has_a_section_for_what_is_not_released(self):
        done = subprocess.run([CHANGELOG, "Unreleased"], capture_output=True, text=True)
        self.assertEqual(done.returncode, 0, done.stderr)


if __name__ == "__main__":
    unittest.main()
