# SPDX-License-Identifier: BSD-3-Clause
"""Axes of a bisection: the revisions of a backend's repository, and the versions of torch or the revisions of its
repository. An axis leads from the good point to the bad point, even if the bad point is older."""

import subprocess
from pathlib import Path

from assay import files
from assay.command import Refused


def git(folder, *words, held=()):
    """Output of a git command. git inherits the open, locked files `held`, so they stay locked as long as git runs."""
    done = subprocess.run(["git", "-C", str(folder), *words], capture_output=True, text=True, check=False, pass_fds=held)
    if done.returncode:
        raise Refused(f"{folder}: git {words[0]}: {done.stderr.strip().splitlines()[-1] if done.stderr else 'failed'}")
    return done.stdout


class Revisions:
    """An axis of commits along the first parents of a repository."""

    def __init__(self, what, folder, good, bad):
        self.what, self.folder = what, Path(folder)
        first, last = (self.commit(name) for name in (good, bad))
        self.points, self.backwards = self.between(first, last), False
        if self.points is None:
            self.points, self.backwards = self.between(last, first), True
        if self.points is None:
            raise Refused(f"{folder}: no chain of first parents connects {good} and {bad}")
        if self.backwards:
            self.points.reverse()

    def commit(self, name):
        done = subprocess.run(["git", "-C", str(self.folder), "rev-parse", "--verify", "--quiet", "--end-of-options",
                               f"{name}^{{commit}}"], capture_output=True, text=True, check=False)
        if done.returncode:
            raise Refused(f"{self.folder}: there is no revision {name}")
        return done.stdout.strip()

    def between(self, old, new):
        """Commits from `old` to `new`, both included, oldest first, or None if `new` does not descend from `old`."""
        if old == new:
            return [old]
        path = git(self.folder, "rev-list", "--first-parent", new).split()
        return list(reversed(path[: path.index(old) + 1])) if old in path else None

    def story(self, point):
        """Date, subject and changed files of a commit, for the report."""
        date, subject = git(self.folder, "show", "--no-patch", "--format=%cI%n%s", self.points[point]).splitlines()[:2]
        files = git(self.folder, "show", "--format=", "--name-only", "--first-parent", "-m", self.points[point]).split("\n")
        return {"revision": self.points[point], "date": date, "subject": subject, "files": [name for name in files if name]}


class Versions:
    """An axis of versions or pip specs from a file: one per line, oldest first."""

    def __init__(self, what, path, good, bad):
        self.what, self.folder = what, None
        lines = files.read_text(path).splitlines()
        every = [line.strip() for line in lines if line.strip() and not line.lstrip().startswith("#")]
        for name in (good, bad):
            if every.count(name) != 1:
                raise Refused(f"{path}: {name} must occur once, but occurs {every.count(name)} times")
        first, last = every.index(good), every.index(bad)
        self.backwards = first > last
        self.points = every[first : last + 1] if not self.backwards else every[last : first + 1][::-1]

    def story(self, point):
        return {"revision": self.points[point], "date": "", "subject": "", "files": []}


def axis(what, place, good, bad):
    return (Revisions if Path(place).is_dir() else Versions)(what, place, good, bad)
