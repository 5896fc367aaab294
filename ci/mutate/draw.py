# SPDX-License-Identifier: BSD-3-Clause
"""Draws mutations: lists the mutated files and selects mutations by a seed. First a place is drawn, then one of its
mutations, so that a place with many mutations is not drawn more often."""

import hashlib
import subprocess

import c_points
import python_points
from themes import PARTS, row_of

FOLDERS = ("fake_device/driver", "fake_device/integration", "fake_device/torch_fakedev")
SUFFIXES = (".c", ".cc", ".h", ".py")
SHARES = {"integration": 0.55, "kernels": 0.25, "driver": 0.15, "apart": 0.05}


def seed_of(root):
    """The last commit that changed the checks, so that no person chooses the seed."""
    said = subprocess.run(
        ["git", "log", "-1", "--format=%H", "--", "suites", "harness"],
        cwd=root, capture_output=True, text=True, check=True,
    )  # fmt: skip
    return said.stdout.strip()


def sources(root):
    """The files that are mutated, as paths below the root."""
    for folder in FOLDERS:
        for path in sorted((root / folder).rglob("*")):
            name = str(path.relative_to(root))
            if path.suffix in SUFFIXES and path.is_file() and row_of(name):
                yield name


def points(root):
    """Every mutation of the tree."""
    for name in sources(root):
        text = (root / name).read_bytes()
        yield from python_points.points(name, text.decode()) if name.endswith(".py") else c_points.points(name, text)


def luck(seed, text):
    return hashlib.sha256(f"{seed}\t{text}".encode()).digest()


def drawn(mutations, seed):
    """One mutation per place, in the order of the draw, numbered from 1."""
    by_place = {}
    for one in mutations:
        by_place.setdefault(one.place, []).append(one)
    chosen = [min(here, key=lambda one: luck(seed, one.key)) for here in by_place.values()]
    chosen.sort(key=lambda one: luck(seed, one.key))
    return chosen


def sample(mutations, seed, count, spare=1.0):
    """The requested number of each part, by its share. The factor `spare` allows for mutations that do not compile."""
    taken = []
    for part in PARTS:
        wanted = round(count * SHARES[part] * spare)
        taken += [one for one in drawn(mutations, seed) if row_of(one.file)[0] == part][:wanted]
    return numbered(taken)


def numbered(mutations):
    for number, one in enumerate(mutations, 1):
        one.number = number
    return mutations
