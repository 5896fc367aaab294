# SPDX-License-Identifier: BSD-3-Clause
"""Selects the part of a test to run for a change when the whole test takes too long: the cases that the change
touches, and a random sample of the others.

ci/full runs all cases."""

import functools
import hashlib
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def git(*words):
    """Lines of output of a git command, or None if there is no repository or no previous commit."""
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else None


@functools.cache
def changed_paths():
    """Paths that differ from the previous commit, committed or not, or None if they are unknown."""
    return git("diff", "--name-only", "HEAD^")


@functools.cache
def seed():
    """The id of the last commit, so that no person chooses the seed."""
    return (git("log", "-1", "--format=%H") or ["none"])[0]


def is_drawn(word, identity, share):
    """True if this case is in the sample, which has one of `share` cases. Another word gives another sample."""
    return int.from_bytes(hashlib.sha256(f"{word}\t{identity}".encode()).digest()[:8], "big") % share == 0
