# SPDX-License-Identifier: BSD-3-Clause
"""A program that came out wrong, once more under a watch: which operator is the first wrong one, or what else it is.

Called by assay/programs/judge.py once the failure is reported: it explains a verdict and gives none.
"""

import tempfile

from assay.programs import run as program_run
from assay.values import tables as judge_tables
from assay.watcher.block import Block
from assay.watcher.kinds import HARMLESS

SLOWER = 15  # a watch that compares every call, where copies are slow; from a third of the time on it compares no more
SPARE = 3  # seconds that it leaves a check
BY_NAME = {  # of what differs, by how a program calls it
    "the identity of parameters": "identity: no operator is wrong; Module.to makes other Parameters, as "
    "torch._has_compatible_shallow_copy_type(cpu, device) is False: the backend has no kernel of its own for it that says True",
    "parameters that are shared": "sharing: no operator is wrong; what was one Parameter is two after Module.to",
    "missing gradients": "missing gradients: no operator is wrong; autograd has lost what was recorded",
}


def has_time(seconds_left, took):
    return seconds_left > SPARE + SLOWER * took


def cause(program, run, difference_of, seconds_left):
    """In words. `run`: a new one of the program; `difference_of(seen)`: words on what it saw, None where that is right."""
    with tempfile.TemporaryDirectory() as folder, \
            Block(folder, everything=True, most_seconds=max(1, seconds_left / 3), quiet=True) as found:
        program_run.finished(program, run)
    return of_operator(found.first) if found.first else of_the_rest(found.document, difference_of(run.seen))


def of_no_operator(words):
    """The cause of a difference that none makes, so that nobody has to watch for it; None of any other."""
    names = ("the identity of parameters", "parameters that are shared")
    return next((BY_NAME[name] for name in names if (words or "").startswith(name)), None)


def of_operator(first):
    module = f" in {first['module']}" if first["module"] else ""
    backward = ", in backward; the line is its forward's" if first["backward"] else ""
    return f"{first['op']} is the first wrong operator, at {first['line']}{module}{backward}: {first['wrong']}"


def of_the_rest(document, words):
    """`words`: what differs under the watch."""
    if words is None:
        return ("order or memory: under a watch, which waits for each call and keeps copies, it comes out right; without one, "
                "work may be out of order, or memory be used too early or not be given back")
    for name, found in BY_NAME.items():
        if words.startswith(name):
            return found
    left_out = {row["reason"]: row["calls"] for row in document["uncompared"] if row["reason"] not in HARMLESS}
    drawn = left_out.pop(judge_tables.RANDOM, 0)
    if left_out:
        why = "; ".join(f"{calls} calls, {why}" for why, calls in left_out.items())
        return f"unknown: no operator that was compared is wrong; not compared: {why}" + (f"; {drawn} calls drew numbers" if drawn else "")
    if drawn:
        return f"random numbers: no operator that was compared is wrong, {drawn} calls drew numbers that nobody can compare"
    return "memory: each operator gives what it must of its inputs; something changes between two of them"
