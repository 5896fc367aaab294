# SPDX-License-Identifier: BSD-3-Clause
"""Tests a torch that is newer than all supported releases and built from a checkout: a copy of the real torch with a
higher version and one edited header. Checks must run, and one line must name the clause to verify again."""

import json
import os
import re
import subprocess
import sys
import unittest
from importlib.util import find_spec
from pathlib import Path

from harness.command.fixtures.folder_case import FolderCase

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
PACKAGES = Path(find_spec("torch").origin).parents[1]
BACKENDS = ROOT / "harness/host/fixtures/backends"
HEADER = "torch/include/c10/core/impl/DeviceGuardImplInterface.h"
EDITED = ("virtual Device getDevice() const = 0;", "virtual Device getDevice() const noexcept = 0;")
BUILT = "a0+git1234567"  # version suffix; the headers of such a build have only the numbers
RUN_S = 600  # only ends tests that hang


def copy_of_torch(folder, changed):
    """Makes a folder like site-packages. It contains links, except for the changed files {path: text}."""
    for name in ("torch", "torchgen"):
        lay_out(PACKAGES / name, folder / name, {Path(path) for path in changed}, Path(name))
    for path, text in changed.items():
        (folder / path).write_text(text, encoding="utf-8")


def lay_out(real, made, changed, below):
    if below in changed:
        return
    if any(below in path.parents for path in changed):
        made.mkdir(parents=True)
        for entry in real.iterdir():
            lay_out(entry, made / entry.name, changed, below / entry.name)
    else:
        made.parent.mkdir(parents=True, exist_ok=True)
        made.symlink_to(real)


class NewerTorch(FolderCase):
    def setUp(self):
        super().setUp()
        self.environment = dict(os.environ, XDG_CACHE_HOME=str(self.folder / "cache"))

    def make_target(self):
        version_file = (PACKAGES / "torch/version.py").read_text(encoding="utf-8")
        whole, self.own = re.search(r"^__version__ = '((\d+\.\d+\.\d+)[^']*)", version_file, re.MULTILINE).groups()
        self.raised = re.sub(r"\d", "9", self.own)
        header = (PACKAGES / HEADER).read_text(encoding="utf-8")
        self.assertIn(EDITED[0], header)
        copy_of_torch(self.folder / "packages", {
            "torch/version.py": version_file.replace(whole, self.raised + BUILT),
            HEADER: header.replace(*EDITED),
        })  # fmt: skip
        python = self.folder / "python"
        python.write_text(f'#!/bin/sh\nPYTHONPATH="{self.folder}/packages:$PYTHONPATH" exec "{sys.executable}" "$@"\n')
        python.chmod(0o755)
        profile = self.folder / "newer.yaml"
        profile.write_text(f"name: pyonly\npython: {python}\nenv: {{PYTHONPATH: '{self.folder}/packages:{BACKENDS}'}}\nload:\n  - import: fixture_on_import\n")
        self.lend_bridge(python)
        return profile

    def lend_bridge(self, python):
        """The edit changes no layout, so the bridge of this build works if it states the higher version. Nothing is
        compiled."""
        facts = subprocess.run([python, "-m", "assay.builds.torch_builds", "facts", ROOT, BUILD / "lib"], env=self.environment, text=True, check=True, capture_output=True)
        bridge, state = Path(facts.stdout.split("\n")[5]), facts.stdout.split("\n")[6]
        self.assertEqual(state, "missing")
        bridge.parent.mkdir(parents=True)
        built = (BUILD / "lib/libassay_bridge.so").read_bytes()
        own, raised = (f"{version}\0".encode() for version in (self.own, self.raised))
        self.assertIn(own, built)
        bridge.write_bytes(built.replace(own, raised))

    def listed(self):
        """Only the clauses of the edited anchors are listed."""
        (self.folder / "packages/torch/version.py").unlink()
        (self.folder / "packages/torch/version.py").symlink_to(PACKAGES / "torch/version.py")
        said = subprocess.run([BUILD / "bin/assay", "drift", "anchors", self.folder / "packages"], text=True, check=True, capture_output=True).stdout
        *places, _ = said.splitlines()
        self.assertEqual({place.split("  ")[0].partition(":")[0] for place in places}, {"c10/core/impl/DeviceGuardImplInterface.h"}, said)
        return said

    def test_it_runs_and_one_line_names_the_clause_to_read_again(self):
        profile, out = self.make_target(), self.folder / "run"
        done = subprocess.run([BUILD / "bin/assay", "run", "--target", profile, "--select", "generator.manual_seed_accepts_every_int,naming", "--out", out],
                              env=self.environment, text=True, capture_output=True, timeout=RUN_S)  # fmt: skip
        said = done.stdout + done.stderr
        lines = [line for line in said.splitlines() if "the contract is verified up to torch" in line]
        self.assertEqual(len(lines), 1, said)
        self.assertRegex(lines[0], r"; the text of [1-9]\d* of \d+ anchors differs in this one: verify [A-Z]+-\d+")
        self.assertIn("DEV-007", self.listed(), "the edited header's clause is to be read again")
        report = json.loads(subprocess.run([BUILD / "bin/assay", "report", out, "--format", "json"], text=True, check=True, capture_output=True).stdout)
        self.assertEqual(report["run"]["torch"]["version"], self.raised + BUILT)
        self.assertTrue(report["run"]["complete"], said)
        self.assertGreater(report["totals"].get("pass", 0), 5, said)
        self.assertEqual(report["totals"].get("broken", 0), 0, said)


if __name__ == "__main__":
    unittest.main()
