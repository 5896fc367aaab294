# SPDX-License-Identifier: BSD-3-Clause
"""Tests that the commands on the guide's pages do what the pages say.

Without ASSAY_FULL=1 (`ci/full guide`), tests the commands that need no backend. Pages about the backend foo use the
last step that step_runs.py built. Pages about the backend "mine" use the output of `assay new`, installed with pip."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from step_runs import interpreter

GUIDE = Path(__file__).resolve().parent
BUILD = Path(os.environ["ASSAY_BUILD"])
STEPS = BUILD / "guide/steps"
BLOCK = re.compile(r"(?m)^    (\S.*)$")  # a code block in Markdown: four spaces
INLINE = re.compile(r"`(assay [^`\n]* [^`\n]*)`")
WORDS = {"CLAUSE": "DEV-004", '"TEXT"': '"Allocator for foo is not a DeviceAllocator"'}
NEEDS_NOTHING = ("assay explain",)
RUN_ELSEWHERE = {
    "assay drift OLD NEW": "harness/python/tests/drift compares the releases that are kept there",
    "assay ops --target ci/foo.yaml": "takes minutes: ci/full operators",
}
NOT_YET = {0, 1}  # 1: a stage is not reached
ENDS = {"assay next": NOT_YET, "assay run": {0, 2}, "assay gate": {0, 2}}  # 2: many features that a backend may lack are undecided


def commands_of(page):
    """Returns the commands in blocks, then the commands within sentences."""
    text = page.read_text(encoding="utf-8")
    return [*BLOCK.findall(text), *INLINE.findall(text)]


def pages():
    found = {page: commands_of(page) for page in sorted((GUIDE / "pages").rglob("*.md"))}
    return {page: commands for page, commands in found.items() if commands}


def filled(command):
    for word, instead in WORDS.items():
        command = command.replace(word, instead)
    return command


class Shell:
    """Runs all commands of a page in one shell and one folder, because a command may need earlier commands."""

    def __init__(self, folder, **variables):
        self.folder = folder
        path = os.pathsep.join([str(BUILD / "bin"), *([variables.pop("first")] if "first" in variables else []), os.environ["PATH"]])
        self.environment = os.environ | {"PATH": path} | variables

    def run(self, commands):
        """Returns (command, status, output) for each command."""
        said = self.folder / "said"
        for command in commands:
            script = f"cd \"$(cat at 2> /dev/null || pwd)\"; {command}; status=$?; pwd > {self.folder}/at; exit $status"
            with said.open("w") as file:
                told = subprocess.run(["bash", "-c", script], cwd=self.folder, env=self.environment, stdout=file, stderr=file)
            yield command, told.returncode, said.read_text(errors="replace")[-2000:]


class Here(unittest.TestCase):
    def test_there_are_commands(self):
        self.assertGreater(sum(map(len, pages().values())), 20)

    def test_what_is_run_elsewhere_still_stands_there(self):
        self.assertEqual(RUN_ELSEWHERE.keys() - {command for commands in pages().values() for command in commands}, set())

    def test_those_that_need_no_backend(self):
        with tempfile.TemporaryDirectory() as folder:
            shell = Shell(Path(folder))
            asked = [filled(command) for commands in pages().values() for command in commands if command.startswith(NEEDS_NOTHING)]
            self.assertGreater(len(asked), 2)
            for command, status, said in shell.run(asked):
                self.assertEqual(status, 0, f"{command}: {said}")


@unittest.skipUnless(os.environ.get("ASSAY_FULL"), "asks a backend everything, and installs another")
class All(unittest.TestCase):
    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.folder = Path(scratch.name)

    def do(self, page, shell):
        commands = [filled(command) for command in commands_of(page) if command not in RUN_ELSEWHERE]
        for command, status, said in shell.run(commands):
            wanted = next((ends for begin, ends in ENDS.items() if command.startswith(begin)), {0})
            self.assertIn(status, wanted, f"{page.name}: {command}: {said}")

    def test_pages_about_foo(self):
        (self.folder / "ci").symlink_to(STEPS / "tree/ci")
        shell = Shell(self.folder, ASSAY_PYTHON=str(interpreter(STEPS)))
        for page, commands in pages().items():
            if not any("mine" in command for command in commands):
                with self.subTest(page=page.name):
                    self.do(page, shell)

    def test_pages_about_one_of_their_own(self):
        """The author creates and installs a backend. The release manager compares it with its earlier version."""
        python = interpreter(self.folder)
        subprocess.run([python, "-m", "ensurepip"], check=True, capture_output=True)
        (python.parent / "pip").write_text(f'#!/bin/sh\nexec {python} -m pip "$@"\n')
        (python.parent / "pip").chmod(0o755)
        shell = Shell(self.folder, first=str(python.parent), ASSAY_PYTHON=str(python))
        self.do(GUIDE / "pages/readers/backend_author.md", shell)
        for _, status, said in shell.run(["cp -rL runs/last runs/old"]):
            self.assertEqual(status, 0, said)
        self.do(GUIDE / "pages/readers/release_manager.md", shell)


if __name__ == "__main__":
    unittest.main()
