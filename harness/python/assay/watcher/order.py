# SPDX-License-Identifier: BSD-3-Clause
"""Finds out whether the wrong results of a watched program depend on the order of work, and which call must be complete.

Runs the program again with a wait for the device after each operator. If the results become right, a bisection moves the
first wait: the program waits after call n and all later ones. The largest n with right results is the last call after
which the program must wait. Called by __main__.py; settling.py waits in the program.
"""

import json
import shutil
import sys
from pathlib import Path

from assay.watcher import program as watch_program, summary as watch_sum
from assay.watcher.settling import NEVER

FIRST_CALL = 1
LONGER, SPARE = 20, 60  # a run may take this many times the first run, plus these seconds
MOST_RUNS = 60


class Unknown(Exception):
    """The search cannot go on; the text says why."""


class Outcome:
    """What a run shows: its exit status, its output, and the numbers of its wrong calls."""

    def __init__(self, ended, output, seen):
        self.exit, self.output = ended["exit"], output
        self.wrong = sorted(one["number"] for one in seen.told if one.get("wrong") and one.get("number"))
        self.settled = next((one for one in seen.told if "settled" in one), None)
        self.calls = sum(counted[0] for _key, counted in seen.of("settled"))


class Runs:
    """Runs the program again. `took` is the time of the first run in seconds."""

    def __init__(self, command, request, took):
        self.command, self.request, self.took, self.count = command, request, took, 0

    def run(self, since, compares):
        """The outcome of a run that waits after call `since` and all later calls."""
        if self.count == MOST_RUNS:
            raise Unknown(f"{MOST_RUNS} runs were not enough")
        self.count += 1
        folder = Path(self.request["folder"], f"order-{self.count}")
        folder.mkdir()
        request = {**self.request, "folder": str(folder), "settle": {"since": since, "compares": compares}}
        (folder / "request.json").write_text(json.dumps(request), encoding="utf-8")
        try:
            ended = watch_program.run_again(self.command, request, LONGER * self.took + SPARE)
            if ended is None:
                raise Unknown("a further run was stopped or took too long")
            return Outcome(ended, (folder / watch_program.OUTPUT).read_bytes(), watch_sum.Seen(folder))
        finally:
            shutil.rmtree(folder)


def found(document, command, request, took):
    """The member `order` of the document, or None. Runs the program only if operators differ or --order is always."""
    wrong, asked = first_wrong(request["folder"]) if document["first"] else None, request["order"]
    if document["cut_off"] or document["exit"] == watch_program.NOT_STARTED or asked == "never" or not wrong and asked != "always":
        return None
    print(f"assay watch: runs the program again, because {'operators differ' if wrong else '--order is always'}", file=sys.stderr, flush=True)
    runs = Runs(command, request, took)
    try:
        return of_operator(runs, wrong) if wrong else of_program(runs)
    except Unknown as reason:
        return told(runs, None, f"whether the order of work matters is not known: {reason}")


def first_wrong(folder):
    """The record of the first wrong call that has a number, or None."""
    wrong = [one for one in watch_sum.Seen(folder).told if one.get("how") == "wrong"]
    first = min(wrong, key=lambda one: one["at"], default=None)
    return first if first and first.get("number") else None


def of_operator(runs, first):
    """Compares as in the first run. The calls after the first wrong one decide nothing."""
    last = first["number"]

    def right(since):
        seen = runs.run(since, True)
        return None if any(number <= last for number in seen.wrong) else seen

    if not right(FIRST_CALL):
        return None
    differs = f"{first['op']} at {first['line']} has a wrong result"
    if right(last + 1):
        return told(runs, None, f"a further run without waits is right: in the first run {differs}, by time or chance")
    return told_place(runs, right, last, differs)


def of_program(runs):
    """Without a wrong operator, the exit status and the output of the program decide. Compares nothing, because a
    comparison waits for the device."""
    wanted, again = runs.run(FIRST_CALL, False), runs.run(FIRST_CALL, False)
    if wanted.exit != again.exit:
        raise Unknown("two runs with waits after all calls end differently")

    def is_same(seen):
        return seen.exit == wanted.exit and (seen.output == wanted.output or wanted.output != again.output)

    def right(since):
        seen = runs.run(since, False)
        return seen if is_same(seen) else None

    seen = runs.run(NEVER, False)
    if is_same(seen):
        return told(runs, None, f"order of work: {runs.count} further runs, with and without waits for the device, end in the same way")
    differs = f"the program ends with status {seen.exit}, not {wanted.exit}" if seen.exit != wanted.exit else "the program prints something else"
    return told_place(runs, right, wanted.calls, differs)


def told_place(runs, right, most, differs):
    place = last_wait(right, most).settled or {"op": "a call", "line": "", "module": "", "backward": False}
    return told(runs, place, f"order of work: the program must wait for the device after {place['op']} at {place['line']} at the latest; otherwise {differs}")


def last_wait(right, most):
    """The outcome with the latest wait that still gives right results. A wait after the first call is known to be early
    enough, and one after call `most` + 1 to be too late. A run may be right by chance, so a second run confirms it."""
    low, high = FIRST_CALL, most + 1
    while True:
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if right(middle) else (low, middle)
        seen = right(low)
        if seen:
            return seen
        if low == FIRST_CALL:
            raise Unknown("the results change from run to run")
        low, high = FIRST_CALL, low


def told(runs, place, words):
    place = place or {"op": "", "line": "", "module": "", "backward": False}
    return {"words": words, **{key: place[key] for key in ("op", "line", "module", "backward")}, "runs": runs.count}
