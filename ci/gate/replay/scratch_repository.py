# SPDX-License-Identifier: BSD-3-Clause
"""A Git repository in which pull requests are branches. It contains a stand-in for the upstream surface and a fake
backend. For each branch, this module does the steps of CI: check out, build, assay run, assay gate.

Used by every test of this folder."""

import json
import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from harness.command.fixtures.folder_case import FolderCase
import jsonschema

HERE = Path(__file__).resolve().parent
ROOT = HERE.parents[2]
BUILD = Path(os.environ.get("ASSAY_BUILD", ROOT / "build"))
SCHEMA = json.loads((ROOT / "reports" / "schema" / "decision.schema.json").read_text())
LABEL = "oot: needs adaptation"
PROFILE = """\
name: {name}
python: {python}
isolation: fork-clean
env: {{ASSAY_HOST_TARGET: replay_target, PYTHONPATH: {path}}}
build:
  - run: [{backend}/build.sh, {backend}, {upstream}, {out}]
load:
  - dlopen: {out}/libbackend.so
"""


def git(folder, *words):
    identity = ("-c", "user.name=replay", "-c", "user.email=replay@example.org")
    return subprocess.run(
        ["git", "-C", str(folder), *identity, *words], check=True, capture_output=True, text=True
    ).stdout


class Repository:
    """main contains the surface and the backend. propose() makes a branch of it."""

    def __init__(self, folder):
        self.folder = Path(folder)
        self.origin = self.folder / "origin"
        self.contract = self.folder / "contract"
        shutil.copytree(HERE / "testdata" / "contract", self.contract)
        for part in ("upstream", "backend"):
            shutil.copytree(HERE / "testdata" / part, self.origin / part)
        git(self.origin, "init", "-q", "-b", "main")
        git(self.origin, "add", "-A")
        git(self.origin, "commit", "-q", "-m", "surface and backend")
        self.runs = {}

    def propose(self, branch, edits, start="main"):
        """Makes a branch with `edits`: path -> [(old, new), ...]."""
        git(self.origin, "checkout", "-q", "-b", branch, start)
        for path, pairs in edits.items():
            file = self.origin / path
            text = file.read_text()
            for old, new in pairs:
                if old not in text:
                    raise AssertionError(f"{path} does not hold {old!r}")
                text = text.replace(old, new)
            file.write_text(text)
        git(self.origin, "add", "-A")
        git(self.origin, "commit", "-q", "-m", branch)
        return branch

    def changed_files(self, branch):
        path = self.folder / f"{branch}.files"
        path.write_text(git(self.origin, "diff", "--name-only", f"main...{branch}"))
        return path

    def checkout(self, branch):
        folder = self.folder / "trees" / branch
        if not folder.exists():
            git(self.origin, "worktree", "add", "-q", "--detach", str(folder), branch)
        return folder

    def assay(self, *words, **environment):
        settings = dict(os.environ, ASSAY_DATA=str(self.contract), **environment)
        return subprocess.run(
            [str(BUILD / "bin" / "assay"), *map(str, words)],
            env=settings, capture_output=True, text=True, timeout=300, cwd=self.folder,
        )  # fmt: skip

    def run(self, backend, upstream=None, *words, name="scratch", compile=None, **environment):
        """Runs the backend of one branch with the surface of another, and returns the run's folder. `compile` is a
        command that becomes the first build step of the profile."""
        upstream = upstream or backend
        key = (backend, upstream, name, words, str(compile), tuple(environment.items()))
        if key in self.runs:
            return self.runs[key]
        number = len(self.runs)
        profile, out = self.folder / f"{number}.yaml", self.folder / f"run{number}"
        text = PROFILE.format(
            name=name,
            python=sys.executable,
            path=os.pathsep.join([str(HERE), str(ROOT / "harness" / "host")]),
            backend=self.checkout(backend) / "backend",
            upstream=self.checkout(upstream) / "upstream",
            out=self.folder / f"out{number}",
        )
        if compile:
            text = text.replace("build:\n", f"build:\n  - run: {json.dumps(compile)}\n")
        profile.write_text(text)
        said = self.assay(
            "run", "--target", profile, "--out", out, "--jobs", "2", *words, **environment
        )
        if not (out / "journal.jsonl").exists():
            raise AssertionError(said.stdout + said.stderr)
        self.runs[key] = out
        return out


class Replay(FolderCase):
    """Each class has one repository. Tests may modify copies of its runs."""

    maxDiff = None

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory(prefix="assay-replay-")
        cls.addClassCleanup(temporary.cleanup)
        cls.repository = Repository(temporary.name)

    def copy_of(self, run, name="head"):
        shutil.copytree(run, self.folder / name)
        return self.folder / name

    def gate(self, head, base=None, unadapted=None, **options):
        """Runs the gate and returns the exit status. The decision, its Markdown and the output are stored."""
        words = ["gate", "--head", head]
        for name, value in dict(base=base, unadapted=unadapted, **options).items():
            if value is not None:
                words += ["--" + name.replace("_", "-"), value]
        out, markdown = self.folder / "decision.json", self.folder / "decision.md"
        result = self.repository.assay(*words, "--out", out, "--markdown", markdown)
        self.said = result.stdout + result.stderr
        self.assertIn(result.returncode, (0, 1, 2), self.said)
        self.decision = json.loads(out.read_text())
        self.markdown = markdown.read_text()
        jsonschema.Draft202012Validator(SCHEMA).validate(self.decision)
        self.assertEqual(self.decision["exit_status"], result.returncode)
        return result.returncode

    def cause(self, rule):
        found = [cause for cause in self.decision["causes"] if cause["rule"] == rule]
        self.assertEqual(len(found), 1, f"{rule} in {self.said}")
        return found[0]

    def assert_decided(self, status, decision, label):
        """`label` is "add", "remove" or None (unchanged)."""
        self.assertEqual((status, self.decision["decision"]), ({"pass": 0, "blocked": 1, "undecided": 2}[decision], decision), self.said)  # fmt: skip
        for kind in ("add", "remove"):
            wanted = ["oot: needs adaptation"] if label == kind else []
            self.assertEqual(self.decision["labels"][kind], wanted, self.said)
