# SPDX-License-Identifier: BSD-3-Clause
"""Chooses the checks that ci/test runs on a backend: checks that the lists of defects name, checks of modules that the
change touches, and a random tenth of the other checks. All checks run in three cases: in ci/full, if the change is
unknown, or if the change touches the backend or the skeleton. If the change touches no suite, the checks run on a
random half of the backends."""

from fleet_lists import ASKED_MODULES, defects_of, read_messages, read_open

from ci import change

BACKENDS_SHARE = 2  # one in BACKENDS_SHARE of the backends is drawn
SHARE = 10  # one in SHARE of the other checks is drawn


def named(backend, checks):
    """The ids of checks of clauses that the backend breaks, and of checks in open.tsv or messages.tsv."""
    broken = {clause for one in defects_of(backend).values() for clause in one.requirements}
    told = {one.subject for one in read_open() if one.backend == backend} | {one.check for one in read_messages() if one.backend == backend}
    return {one["id"] for one in checks if broken & set(one["covers"]) or one["id"] in told}


def is_left_out(backend, changed, seed):
    """True if no check runs on the backend. `changed` is None if the changed paths are not known."""
    folders = ("suites/", f"fake_device/fleet/{backend}/", "fake_device/fleet/common/")
    is_touched = changed is None or any(path.startswith(folders) for path in changed)
    return not is_touched and not change.is_drawn(f"{seed} backends", backend, BACKENDS_SHARE)


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


def is_left_out_of_this_change(backend):
    return is_left_out(backend, change.changed_paths(), change.seed())


def of_this_change(backend, checks):
    """The choice for the change in this tree."""
    return choose(backend, checks, change.changed_paths(), change.seed())
