# SPDX-License-Identifier: BSD-3-Clause
"""Runs a failed program again under a watch to find the first wrong operator or another cause.

Called by assay/programs/judge.py after the failure is reported. The second run explains a verdict but does not change
the verdict.
"""

import tempfile

from assay.programs import run as program_run
from assay.values import tables as judge_tables
from assay.watcher.block import Block
from assay.watcher.kinds import HARMLESS

# largest factor by which a watch slows a program; after a third of the time, the watch stops comparing
SLOWER = 15
SPARE = 3  # seconds that must remain for the check
BY_NAME = {  # maps the start of a difference to its explanation
    "the identity of parameters": "identity: no operator is wrong; Module.to creates new Parameters, because "
    "torch._has_compatible_shallow_copy_type(cpu, device) is False: the backend has no kernel of its own for it that returns True",
    "parameters that are shared": "sharing: no operator is wrong; one Parameter is two Parameters after Module.to",
    "missing gradients": "missing gradients: no operator is wrong; autograd has lost the recorded graph",
}


def has_time(seconds_left, took):
    return seconds_left > SPARE + SLOWER * took


def cause(program, run, difference_of, seconds_left):
    """The cause in words. `run` is a new run of the program. `difference_of(seen)` returns words or None."""
    with tempfile.TemporaryDirectory() as folder, \
            Block(folder, everything=True, most_seconds=max(1, seconds_left / 3), quiet=True) as found:
        program_run.finished(program, run)
    return of_operator(found.first) if found.first else of_the_rest(found.document, difference_of(run.seen))


def of_no_operator(words):
    """The cause of a difference that cannot come from an operator, or None for any other difference."""
    names = ("the identity of parameters", "parameters that are shared")
    return next((BY_NAME[name] for name in names if (words or "").startswith(name)), None)


def of_operator(first):
    module = f" in {first['module']}" if first["module"] else ""
    backward = ", in backward; the line is that of the forward call" if first["backward"] else ""
    return f"{first['op']} is the first wrong operator, at {first['line']}{module}{backward}: {first['wrong']}"


def of_the_rest(document, words):
    """`words` is the difference under the watch, or None."""
    if words is None:
        return ("order or memory: under a watch, which waits for each call and keeps copies, the result is right; without one, "
                "work may be out of order, or memory may be used too early or not be freed")
    for name, found in BY_NAME.items():
        if words.startswith(name):
            return found
    left_out = {row["reason"]: row["calls"] for row in document["uncompared"] if row["reason"] not in HARMLESS}
    drawn = left_out.pop(judge_tables.RANDOM, 0)
    if left_out:
        why = "; ".join(f"{calls} calls, {why}" for why, calls in left_out.items())
        return f"unknown: no operator that was compared is wrong; not compared: {why}" + (f"; {drawn} calls drew numbers" if drawn else "")
    if drawn:
        return f"random numbers: no operator that was compared is wrong, {drawn} calls drew random numbers, which cannot be compared"
    return "memory: each operator computes the right result from its inputs; memory changes between two operators"
