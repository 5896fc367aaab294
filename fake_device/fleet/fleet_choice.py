# SPDX-License-Identifier: BSD-3-Clause
"""Chooses the checks that ci/test runs on a backend: checks that the lists of defects name, checks of modules that the
change touches, and a random tenth of the other checks. All checks run in three cases: in ci/full, if the change is
unknown, or if the change touches the backend or the skeleton."""

from fleet_lists import ASKED_MODULES, defects_of, read_messages, read_open

from ci import change

SHARE = 10  # one in SHARE of the other checks is drawn


def named(backend, checks):
    """The ids of checks of clauses that the backend breaks, and of checks in open.tsv or messages.tsv."""
    broken = {clause for one in defects_of(backend).values() for clause in one.requirements}
    told = {one.subject for one in read_open() if one.backend == backend} | {one.check for one in read_messages() if one.backend == backend}
    return {one["id"] for one in checks if broken & set(one["covers"]) or one["id"] in told}


def choose(backend, checks, changed, seed):
    """The ids of the checks to run. `changed` are the paths that differ from the previous commit, or None if this is
    not known."""
    asked = [one for one in checks if one["module"] in ASKED_MODULES]
    folders = tuple(f"fake_device/fleet/{folder}/" for folder in (backend, "common"))
    if changed is None or any(path.startswith(folders) for path in changed):
        return {one["id"] for one in asked}
    touched = {path.split("/")[1] for path in changed if path.startswith("suites/")}
    return named(backend, asked) | {
        one["id"] for one in asked if one["module"] in touched or change.is_drawn(f"{seed} {backend}", one["id"], SHARE)}


def of_this_change(backend, checks):
    """The choice for the change in this tree."""
    return choose(backend, checks, change.changed_paths(), change.seed())
