# SPDX-License-Identifier: BSD-3-Clause
"""Tests that no interpreter that assay starts imports from the current folder. A checkout may contain a json.py."""

import os
import subprocess
import unittest
from pathlib import Path

from harness.command.fixtures.folder_case import FolderCase

ASSAY = Path(os.environ["ASSAY_BUILD"]) / "bin/assay"
# Modules that assay or PyTorch imports, including some that the start of the interpreter does not import.
NAMES = ("json", "re", "tempfile", "subprocess", "dataclasses", "contextlib", "ctypes", "typing", "lzma", "struct", "socket", "traceback", "unittest", "runpy",
         "inspect", "shutil", "functools", "numbers", "torch_fakedev")  # fmt: skip
TRAP = "import os\nwith open(os.environ['TRAP_MARK'], 'a') as file:\n    file.write(__name__ + '\\n')\nraise ImportError('from the current folder')\n"


class CurrentFolder(FolderCase):
    def setUp(self):
        super().setUp()
        self.folder, self.mark = self.folder / "checkout", self.folder / "mark"
        self.folder.mkdir()
        for name in NAMES:
            (self.folder / f"{name}.py").write_text(TRAP, encoding="utf-8")

    def assay(self, *words, status=0, **settings):
        environment = {**os.environ, "TRAP_MARK": str(self.mark), **settings}
        done = subprocess.run([ASSAY, *map(str, words)], cwd=self.folder, env=environment, capture_output=True, text=True, timeout=600)
        self.assertFalse(self.mark.exists() and self.mark.read_text(), words)
        self.assertEqual(done.returncode, status, done.stdout[-2000:] + done.stderr[-2000:])
        return done.stdout

    def watch(self, program, **settings):
        """The verdict is undecided, because the program does nothing on the device."""
        words = ("watch", "--target", "fakedev", "--out", self.folder / "watched", "--", "python", program)
        return self.assay(*words, status=2, **settings)

    def test_run_with_a_job_of_its_own_process(self):
        self.assay("run", "--target", "fakedev", "--select", "check:guard.is_registered,check:serialization.file_loads_on_the_cpu_without_the_backend", "--isolation",
                   "exec", "--out", self.folder / "run", "--quiet")  # fmt: skip

    def test_interpreter_that_a_check_starts(self):
        """The author of a backend often works in its checkout, where the package is in its source form."""
        self.assay("run", "--target", "fakedev", "--select", "check:accelerator.current_device_index_starts_the_device", "--isolation", "fork-loaded",
                   "--out", self.folder / "run", "--quiet")  # fmt: skip

    def test_probe(self):
        self.assay("probe", "--target", "fakedev")

    def test_list_of_what_a_program_finds(self):
        self.assay("ops", "--target", "fakedev", "--select", "add", "--dtypes", "float32", "--out", self.folder / "ops")

    def test_uses_and_drift(self):
        package = self.folder / "package"
        package.mkdir()
        (package / "own.py").write_text("import torch\ntorch.load(1)\n", encoding="utf-8")
        self.assay("uses", package, "-o", self.folder / "u.json")
        self.assay("drift", "nowhere", "nowhere", status=65)

    def test_program_under_watch_imports_what_lies_beside_it(self):
        """The program imports from its own folder as usual. Programs that assay starts do not import from this
        folder."""
        place = self.folder.parent / "program"
        place.mkdir()
        (place / "beside.py").write_text("value = 7\n", encoding="utf-8")
        (place / "main.py").write_text("import beside\nprint('beside', beside.value)\n", encoding="utf-8")
        self.assertIn("beside 7", self.watch(place / "main.py"))

    def test_setting_of_the_user_stays(self):
        place = self.folder.parent / "main.py"
        place.write_text("import os\nprint('safe', os.environ.get('PYTHONSAFEPATH'))\n", encoding="utf-8")
        self.assertIn("safe 1", self.watch(place, PYTHONSAFEPATH="1"))

    def test_setting_of_ours_ends_with_our_program(self):
        place = self.folder.parent / "main.py"
        place.write_text("import os\nprint('safe', os.environ.get('PYTHONSAFEPATH'))\n", encoding="utf-8")
        self.assertIn("safe None", self.watch(place))


if __name__ == "__main__":
    unittest.main()
