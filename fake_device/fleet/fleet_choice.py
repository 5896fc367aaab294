# SPDX-License-Identifier: BSD-3-Clause
"""Which checks a change asks of a backend: those that its lists name, those of modules that the change touches, and a
tenth of the others by lot. All are asked by ci/full, and wherever it is not known what changed."""

import hashlib
import subprocess

from fleet_lists import ASKED_MODULES, HERE, read_defects, read_messages, read_open

ROOT = HERE.parents[1]
SHARE = 10  # one in so many of the others


def git(*words):
    """The lines that it says; None where there is no repository, or no commit before this one."""
    done = subprocess.run(["git", "-C", ROOT, *words], capture_output=True, text=True)
    return done.stdout.splitlines() if done.returncode == 0 else None


def named(backend, checks):
    """Checks of the clauses that the backend breaks, and those that another list speaks of."""
    broken = {clause for one in read_defects(HERE / backend / "defects.tsv").values() for clause in one.requirements}
    told = {one.subject for one in read_open() if one.backend == backend} | {one.check for one in read_messages() if one.backend == backend}
    return {one["id"] for one in checks if broken & set(one["covers"]) or one["id"] in told}


def drawn(seed, identity):
    """Whether the lot falls on this check."""
    return int.from_bytes(hashlib.sha256(f"{seed}\t{identity}".encode()).digest()[:8], "big") % SHARE == 0


def choose(backend, checks, changed, seed):
    """The ids to ask for. `changed`: paths that differ from the commit before; None if nobody knows."""
    asked = [one for one in checks if one["module"] in ASKED_MODULES]
    if changed is None or any(path.startswith(f"fake_device/fleet/{backend}/") for path in changed):
        return {one["id"] for one in asked}
    touched = {path.split("/")[1] for path in changed if path.startswith("suites/")}
    return named(backend, asked) | {
        one["id"] for one in asked if one["module"] in touched or drawn(f"{seed} {backend}", one["id"])}


def of_this_change(backend, checks):
    """The same for this tree: what it adds to its last commit counts with that commit."""
    last = git("log", "-1", "--format=%H")
    return choose(backend, checks, last and git("diff", "--name-only", "HEAD^"), last and last[0])
