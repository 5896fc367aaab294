# SPDX-License-Identifier: BSD-3-Clause
"""Fixture for tests of assay watch: runs a program on the device with faults."""

import json
import os
import subprocess
import sys
import textwrap
from pathlib import Path

from harness.command.fixtures.folder_case import FolderCase
from harness.command.fixtures.schemas import validate

ROOT = Path(__file__).resolve().parents[3]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
BEGIN = """
import os, threading
import torch
import torch_{device}
"""
TRAIN = """
torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(4, 8), torch.nn.Tanh(), torch.nn.Linear(8, 2)).to("fakedev")
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
x = torch.randn(6, 4).to("fakedev")
for _ in range(5):
    optimizer.zero_grad()
    model(x).square().mean().backward()  # the line of all of it
    optimizer.step()
"""


class WatchCase(FolderCase):
    def setUp(self):
        super().setUp()
        self.found = self.folder / "found"
        # The clean device must not be loaded beside the one with faults, as in ci/targets/fakedev_faulty.yaml.
        self.environment = {**os.environ, "TORCH_DEVICE_BACKEND_AUTOLOAD": "0"}

    def watch(self, code, *words, fault="", command=(), device="fakedev_faulty"):
        """Returns the exit status and the document."""
        program = self.folder / "train.py"
        program.write_text(BEGIN.format(device=device) + textwrap.dedent(code), encoding="utf-8")
        once = () if "--order" in words else ("--order", "never")
        said = subprocess.run(
            [BUILD / "bin/assay", "watch", "--target", device, "--out", self.found, "--format", "json", *once, *words,
             "--", *(command or (sys.executable, program))],
            env=self.with_fault(fault), capture_output=True, text=True, cwd=self.folder)
        self.assertTrue(Path(self.found, "watch.json").is_file(), said.stdout + said.stderr)
        document = json.loads(Path(self.found, "watch.json").read_text(encoding="utf-8"))
        validate(document, "watch")
        self.said = said
        if document["signal"]:  # shows the reason if the test did not expect a signal
            print(said.stderr[-2000:], file=sys.stderr)
        return said.returncode, document

    def assay(self, *words):
        """Returns exit status and standard output of another command."""
        said = subprocess.run([BUILD / "bin/assay", *words], env=self.environment, capture_output=True, text=True)
        return said.returncode, said.stdout

    def with_fault(self, fault):
        return {**self.environment, **({"FAKEDEV_FAULT": fault} if fault else {})}

    def line_of(self, words):
        lines = (self.folder / "train.py").read_text(encoding="utf-8").splitlines()
        return next(number for number, line in enumerate(lines, 1) if words in line)

    def row(self, document, name):
        return next((row for row in document["operators"] if row["name"] == name), None)
