# SPDX-License-Identifier: BSD-3-Clause
"""The part of a test that a change asks for, where all would take too long: what it touches, and of the rest a part by lot.

ci/full asks for all of it."""

import functools
import hashlib
import subprocess
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]


def git(*words):
    """The lines that it says; None where there is no repository, or no commit before this one."""
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else None


@functools.cache
def changed_paths():
    """Paths that differ from the commit before, whether they are committed or not; None if nobody knows."""
    return git("diff", "--name-only", "HEAD^")


@functools.cache
def seed():
    """Nobody chooses it: the last commit."""
    return (git("log", "-1", "--format=%H") or ["none"])[0]


def is_drawn(word, identity, share):
    """Whether the lot falls on this one: on one in `share`, on others for another word."""
    return int.from_bytes(hashlib.sha256(f"{word}\t{identity}".encode()).digest()[:8], "big") % share == 0
