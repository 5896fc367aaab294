# SPDX-License-Identifier: BSD-3-Clause
"""All names on the guide's pages exist. `ci/full texts` verifies that Sphinx builds the pages without a warning."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from new_backend import FEATURES, write

GUIDE = Path(__file__).resolve().parent
from troubleshooting.explain_error import read_entries

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin/assay"
PAGES = {path.relative_to(GUIDE / "pages").as_posix(): path.read_text() for path in (GUIDE / "pages").rglob("*.md")}
INCLUDE = re.compile(r"```\{literalinclude\} /code/(\S+)\n((?::.*\n)*)```")
MADE = {"troubleshooting.md", "modules/index.md"}  # pages that make_guide.py writes


class Named(unittest.TestCase):
    def test_pages_of_error_texts(self):
        for entry in read_entries():
            self.assertIn(f"{entry.page}.md", PAGES, entry.name)

    def test_every_page_is_in_the_contents(self):
        listed = {f"{line}.md" for line in re.findall(r"(?m)^(?:readers|steps)/\w+$", PAGES["index.md"])}
        self.assertEqual(listed, PAGES.keys() - {"index.md"})

    def test_links_between_pages(self):
        for page, text in PAGES.items():
            for target in re.findall(r"\]\(([^)#:]+\.md)\)", text):
                place = os.path.normpath(Path(page).parent / target)
                self.assertIn(place, PAGES.keys() | MADE, page)

    def test_checks_that_a_step_selects(self):
        for selection in {found for text in PAGES.values() for found in re.findall(r"--select (\S+)", text)}:
            with self.subTest(selection=selection):
                listed = subprocess.run([ASSAY, "list", selection], capture_output=True, text=True, timeout=60)
                self.assertEqual(listed.returncode, 0, listed.stderr)
                self.assertNotEqual(listed.stdout, "")

    def test_commands(self):
        for command in {found for text in PAGES.values() for found in re.findall(r"(?m)^    assay (\w+)", text)}:
            with self.subTest(command=command):
                told = subprocess.run([ASSAY, command, "--help"], capture_output=True, text=True, timeout=60)
                self.assertEqual(told.returncode, 0, told.stderr)


class Included(unittest.TestCase):
    """Code on a page is included from the files that `assay new` writes."""

    @classmethod
    def setUpClass(cls):
        scratch = tempfile.TemporaryDirectory()
        cls.addClassCleanup(scratch.cleanup)
        cls.code = Path(scratch.name)
        write(cls.code, "foo", set(FEATURES), "nobody")

    def test_begin_and_end_of_each_part(self):
        found = [(page, *included) for page, text in PAGES.items() for included in INCLUDE.findall(text)]
        self.assertEqual(len(found), sum(text.count("{literalinclude}") for text in PAGES.values()))
        for page, path, options in found:
            with self.subTest(page=page, path=path):
                text = (self.code / path).read_text()
                begin, end = (self.option(options, name) for name in ("start-at", "end-before"))
                self.assertIn(begin, text)
                self.assertIn(end, text[text.index(begin) :])

    def option(self, options, name):
        given = re.search(rf':{name}: "(.*)"', options)
        return given.group(1) if given else ""


if __name__ == "__main__":
    unittest.main()
