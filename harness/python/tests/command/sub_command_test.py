# SPDX-License-Identifier: BSD-3-Clause
"""Tests the exit status and output of a Python sub-command, and how it reads and writes files."""

import json
import os
import subprocess
import sys
import unittest

from assay import files
from assay.command import Refused
from assay.terminal import clean
from harness.command.fixtures.folder_case import FolderCase


class Ends(unittest.TestCase):
    def run_main(self, body, **more):
        program = f"import sys\nfrom assay.command import Refused, serve\ndef main(words):\n    {body}\nserve(main, list)\n"
        return subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=False, **more)

    def test_status_is_never_the_one_of_a_failed_must_by_accident(self):
        for body, status, said in (("return 2", 2, ""), ("raise Refused('no', 65)", 65, "assay: no\n"), ("raise MemoryError", 71, "assay: out of memory\n"),
                                   ("raise KeyError('x')", 71, "assay: a defect of assay: KeyError"), ("open('/none')", 71, "assay: cannot use /none: No such file"),
                                   ("raise RecursionError", 71, "assay: a defect of assay: RecursionError")):  # fmt: skip
            done = self.run_main(body)
            self.assertEqual((done.returncode, said in done.stderr), (status, True), done.stderr)

    def test_foreign_text_cannot_act_on_the_terminal(self):
        done = self.run_main(r"print('\x1b[2J \u202e \udcff ::error::x'); raise Refused('\x1b]0;t\x07')", env={**os.environ, "LC_ALL": "C"})
        self.assertEqual((done.stdout, done.stderr), ("\\u001b[2J \\u202e \\udcff \\u003a:error::x\n", "assay: \\u001b]0;t\\u0007\n"))

    def test_a_document_stays_one(self):
        document = {"a": "::b\x7f ##[c] \u202e", "d": "c10::e"}
        self.assertEqual(json.loads(clean(json.dumps(document, ensure_ascii=False))), document)


class Files(FolderCase):
    def test_link_inside_a_run_is_replaced_and_its_target_is_unchanged(self):
        foreign, link = self.folder / "foreign", self.folder / "link"
        foreign.write_text("mine")
        link.symlink_to(foreign)
        files.write_inside(link, "new")
        self.assertEqual((foreign.read_text(), link.read_text(), link.is_symlink()), ("mine", "new", False))

    def test_loop_of_links_is_no_defect(self):
        (self.folder / "a").symlink_to("b")
        (self.folder / "b").symlink_to("a")
        program = "import sys\nfrom pathlib import Path\nfrom assay.command import serve\nserve(lambda words: Path(words[0]).resolve(strict=True), list)\n"
        done = subprocess.run([sys.executable, "-c", program, self.folder / "a"], capture_output=True, text=True, check=False)
        self.assertEqual((done.returncode, "Traceback" in done.stderr), (71, False), done.stderr)
        self.assertIn("ymbolic links", done.stderr)

    def test_what_is_no_small_file_of_json_is_refused(self):
        os.mkfifo(self.folder / "pipe")
        for name, text in (("deep", "[" * 100_000), ("bytes", "\xff"), ("text", "x"), ("long", " " * 101)):
            (self.folder / name).write_text(text, encoding="latin-1")
        for place in (*self.folder.iterdir(), self.folder, "/dev/zero", "/none"):
            with self.assertRaises(Refused):
                files.read_json(place, 100_000 if str(place).endswith("deep") else 100)

    def test_output_replaces_only_a_file_that_is_not_read(self):
        source, link, output = (self.folder / name for name in ("source", "link", "output"))
        source.write_text("source")
        link.symlink_to(source)
        for path in (source, link):
            with self.assertRaises(Refused):
                files.write(path, [b"x"], [source])
        self.assertEqual(source.read_text(), "source")
        output.write_text("old")
        output.chmod(0o600)
        with self.assertRaises(ZeroDivisionError):
            files.write(output, (bytes(1 // number) for number in (1, 0)))
        self.assertEqual(output.read_text(), "old")
        files.write(output, [b"n", b"ew"])
        self.assertEqual((output.read_text(), output.stat().st_mode & 0o777), ("new", 0o600))
        files.write(link, [b"through"])
        self.assertEqual((source.read_text(), link.is_symlink()), ("through", True))
        self.assertEqual(len(list(self.folder.iterdir())), 3)


if __name__ == "__main__":
    unittest.main()
