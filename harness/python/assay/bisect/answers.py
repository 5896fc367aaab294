# SPDX-License-Identifier: BSD-3-Clause
"""Stores the builds and run results of points in a folder. A point is built once, each result is reused, and a
bisection that was killed continues at the same point."""

import fcntl
import hashlib
import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

from assay import files
from assay.bisect.axes import git
from assay.command import Refused
from assay.bisect.odds import RUNS_MOST

LEDGER = "answers.jsonl"


class Answers:
    def __init__(self, folder, question, axes, build, run):
        self.folder, self.axes, self.build_command, self.run_command = Path(folder), axes, build, run
        self.builds_made = self.runs_made = 0
        self.built, self.results = {}, {}
        self.folder.mkdir(parents=True, exist_ok=True)
        for name in ("lock", LEDGER, "log.txt"):  # opening a pipe would block
            if (self.folder / name).exists() and not (self.folder / name).is_file():
                raise Refused(f"{self.folder / name}: is not a regular file: give another --state")
        # The builds of this process inherit the lock.
        self.lock = open(self.folder / "lock", "a+", encoding="utf-8")
        self.take_lock()
        self.recall(question)

    def take_lock(self):
        """If another bisection runs, this process ends with an error. If a bisection was killed, its build may still
        run in the same work tree, so this process waits for that build."""
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            self.lock.seek(0)
            owner = self.lock.read().strip()
            if owner and Path("/proc", owner).exists():
                raise Refused(f"{self.folder}: another bisection uses this folder: wait until it ends, or give another --state") from None
            print(f"assay: {self.folder}: waiting for the build that a killed bisection left running", file=sys.stderr)
            fcntl.flock(self.lock, fcntl.LOCK_EX)
        self.lock.seek(0)
        self.lock.truncate()
        self.lock.write(str(os.getpid()))
        self.lock.flush()

    def recall(self, question):
        """Rejects results of a different bisection, because they do not apply to this bisection."""
        ledger = self.folder / LEDGER
        lines = files.read_text(ledger).splitlines() if ledger.exists() else []
        for place, line in enumerate(lines):
            try:
                said = json.loads(line)
                key = tuple(said.get("point", ()))
            except (ValueError, AttributeError, TypeError, RecursionError):
                if place == len(lines) - 1:  # the process was killed while it wrote this line
                    self.cut_last_line(ledger)
                    break
                raise Refused(f"{ledger}:{place + 1}: is damaged: give another --state") from None
            if place == 0 and said != question:
                raise Refused(f"{self.folder}: belongs to another bisection: give another --state")
            if "built" in said:
                self.built[key] = said["built"]
            if "failed" in said:
                self.results.setdefault(key, []).append(said["failed"])
        if not ledger.exists() or not ledger.stat().st_size:
            self.note(question)

    @staticmethod
    def cut_last_line(ledger):
        whole = ledger.read_bytes()
        beside = ledger.with_suffix(".part")
        beside.write_bytes(whole[: whole.rstrip(b"\n").rfind(b"\n") + 1])
        beside.replace(ledger)

    def note(self, said):
        with open(self.folder / LEDGER, "a", encoding="utf-8") as file:
            file.write(json.dumps(said) + "\n")
            file.flush()
            os.fsync(file.fileno())

    # ---- a point ----

    def place_of(self, key):
        """The folder of a point. The names of two specs may be cut to the same text, or may differ only in a character
        that file names do not allow. The hash distinguishes such specs."""
        plain = "-".join(re.sub(r"[^A-Za-z0-9._+]", "_", name)[-40:] for name in key)
        return self.folder / "built" / f"{plain}-{hashlib.sha256(repr(key).encode()).hexdigest()[:12]}"

    def environment(self, key):
        named = {f"ASSAY_{axis.what.upper()}": name for axis, name in zip(self.axes, key, strict=True)}
        trees = {f"ASSAY_{axis.what.upper()}_TREE": str(self.tree(axis)) for axis in self.axes if axis.folder}
        return os.environ | named | trees | {"ASSAY_PREFIX": str(self.place_of(key).resolve())}

    def tree(self, axis):
        return (self.folder / f"{axis.what}-tree").resolve()

    def check_out(self, axis, revision):
        tree, held = self.tree(axis), [self.lock.fileno()]
        if not tree.exists():  # a separate clone, so that the user's repository is not changed
            beside = tree.with_suffix(".part")
            shutil.rmtree(beside, ignore_errors=True)
            git(axis.folder, "clone", "--quiet", "--shared", "--no-checkout", ".", str(beside), held=held)
            beside.rename(tree)
        for left in (tree / ".git").glob("*.lock"):  # left by a killed process; no other process uses this tree
            left.unlink()
        git(tree, "checkout", "--quiet", "--force", "--detach", revision, held=held)
        git(tree, "clean", "-fdxq", held=held)

    def build(self, key):
        """1 if the point is built."""
        if key in self.built and (not self.built[key] or self.place_of(key).is_dir()):
            return self.built[key]
        shutil.rmtree(self.place_of(key), ignore_errors=True)
        self.place_of(key).mkdir(parents=True)
        for axis, revision in zip(self.axes, key, strict=True):
            if axis.folder:
                self.check_out(axis, revision)
        self.builds_made += 1
        self.built[key] = self.call(self.build_command, key) == 0
        if not self.built[key]:
            shutil.rmtree(self.place_of(key), ignore_errors=True)
        self.note({"point": key, "built": self.built[key]})
        return self.built[key]

    def call(self, command, key):
        """Runs a command in the work tree of the backend or in the folder of the build. The output goes to a log."""
        first = next((self.tree(axis) for axis in self.axes if axis.folder), self.place_of(key))
        with open(self.folder / "log.txt", "ab") as log:
            log.write(f"\n# {' '.join(key)}: {command}\n".encode())
            log.flush()
            return subprocess.run(["bash", "-c", command], cwd=first, env=self.environment(key), stdin=subprocess.DEVNULL,
                                  stdout=log, stderr=log, check=False, pass_fds=[self.lock.fileno()]).returncode

    def run_once(self, key):
        """True or False for the result of the run, or None if the run decided nothing."""
        self.runs_made += 1
        status = self.call(self.run_command, key)
        failed = {0: False, 1: True}.get(status)
        if failed is not None:
            self.note({"point": key, "failed": failed})
            self.results.setdefault(key, []).append(failed)
        return failed

    def failures(self, key, runs):
        """Returns (failures, runs) of at least `runs` runs, or None if the point cannot be tested."""
        if not self.build(key):
            return None
        while len(self.results.get(key, [])) < runs:
            if self.run_once(key) is None:
                return None
        return sum(self.results[key]), len(self.results[key])

    def decide(self, key, odds):
        """True if the point is bad, False if it is good, None if it does not build or its runs decide nothing."""
        if not self.build(key):
            return None
        while (answer := odds.decide(self.results.get(key, []))) is None:
            if len(self.results.get(key, [])) >= RUNS_MOST or self.run_once(key) is None:
                return None
        return answer
