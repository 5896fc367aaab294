# SPDX-License-Identifier: BSD-3-Clause
"""The troubleshooting tables: a broken program produces the text of each entry, and the correct program does not.

Runs the programs that need only PyTorch. With ASSAY_FULL=1 (`ci/full texts`), runs all on a scaffold backend whose
pieces can be removed."""

import os
import unittest
from pathlib import Path

os.environ["TORCH_DEVICE_BACKEND_AUTOLOAD"] = "0"  # before the import of torch: the programs load the backend

import symptoms_loading  # noqa: E402
import symptoms_names  # noqa: E402
import symptoms_pieces  # noqa: E402
import symptoms_use  # noqa: E402
from breaking import PROGRAMS, run  # noqa: E402
from explain_error import find, read_entries  # noqa: E402

ENTRIES = read_entries()
FULL = bool(os.environ.get("ASSAY_FULL"))
LEAST = 60  # least number of texts in the guide


class Tables(unittest.TestCase):
    def test_every_program_brings_about_one_entry(self):
        named = [program for entry in ENTRIES for program in entry.programs]
        self.assertEqual(sorted(named), sorted(PROGRAMS))

    def test_entries_are_told_apart(self):
        self.assertGreaterEqual(len(ENTRIES), LEAST)
        self.assertEqual(len({entry.name for entry in ENTRIES}), len(ENTRIES))
        for entry in ENTRIES:
            with self.subTest(entry=entry.name):
                self.assertEqual(find(entry.text, ENTRIES)[0].name, entry.name)


class BroughtAbout(unittest.TestCase):
    def entry_of(self, program):
        return next(entry for entry in ENTRIES if program.name in entry.programs)

    def shows(self, program):
        entry = self.entry_of(program)
        status, said = run(program, whole=False)
        self.assertIn(entry.name, [found.name for found in find(said, ENTRIES)], f"status {status}: {said}")
        status, said = run(program, whole=True)
        self.assertEqual(status, 0, said)
        self.assertNotIn(entry.name, [found.name for found in find(said, ENTRIES)], said)

    def show_all(self, programs):
        for program in programs:
            with self.subTest(program=program.name):
                self.shows(program)

    def test_texts_about_names(self):
        self.show_all(program for program in PROGRAMS.values()
                      if program.body.__module__ == symptoms_names.__name__ and not program.needs_backend)

    @unittest.skipUnless(FULL, "compiles a backend and starts many interpreters")
    def test_all_texts(self):
        from take_away import make

        os.environ["FOO_PACKAGE"] = str(make(Path(os.environ["ASSAY_BUILD"]) / "guide/taken_away"))
        self.show_all(PROGRAMS.values())


if __name__ == "__main__":
    unittest.main()
