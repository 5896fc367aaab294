# SPDX-License-Identifier: BSD-3-Clause
"""Summarises the records of the processes of a watched program as the document assay/watch/1.

Called by __main__.py. assay/watcher/ledger.py describes the files. If a process was killed, its last line may be cut
off.
"""

import collections
import json
from pathlib import Path

from assay.watcher import deaths as watch_deaths
from assay.watcher.kinds import EXPECTED
from assay.watcher.ledger import SLOT, SLOTS

MOST_LINES = 20
TOLD_OF_FIRST = ("op", "how", "wrong", "line", "module", "backward", "inputs", "reproducer")


def _lines(path):
    with path.open(encoding="utf-8", errors="replace") as file:
        for line in file:
            try:
                yield json.loads(line)
            except ValueError:
                continue


def _counters(path):
    try:
        data = path.read_bytes()
    except OSError:
        data = b""
    return data if len(data) == SLOTS * SLOT.size else bytes(SLOTS * SLOT.size)


class Seen:
    """The records of all processes together."""

    def __init__(self, folder):
        self.slots = collections.defaultdict(lambda: [0, 0, 0])  # counters, by the fields of their record
        self.told, self.processes, self.unwatched = [], 0, []
        self.died = []  # calls during which a process died
        self.memory = []  # by process: (step, bytes in use after it)
        for path in sorted(Path(folder).glob("process-*.jsonl")):
            self._add(path)

    def add_died(self, calls):
        """`calls` are in the form of assay/watcher/deaths.py."""
        self.died = calls
        self.told = sorted(self.told + calls, key=lambda one: one.get("at", 0))

    def _add(self, path):
        counters, steps = _counters(path.with_suffix(".counts")), []
        self.processes += 1
        for one in _lines(path):
            if "slot" in one:
                key = tuple(value for name, value in one.items() if name != "slot")
                for i, number in enumerate(SLOT.unpack_from(counters, one["slot"] * SLOT.size)):
                    self.slots[key][i] += number
            elif "op" in one:
                self.told.append(one)
            elif "step" in one:
                steps.append((one["step"], one["memory"]))
            elif "unwatched" in one:
                self.unwatched.append(one["unwatched"])
        self.memory.append(steps)

    def of(self, kind):
        """For each counter of this kind: its other fields, and its count, bytes and time."""
        return [(key[1:], counted) for key, counted in self.slots.items() if key[0] == kind]


def summed(folder, command, ended):
    seen, ended, process = Seen(folder), dict(ended), ended.get("process", 0)
    ended.pop("process", None)
    seen.add_died(watch_deaths.found(Path(folder), ended["cut_off"]))
    ended["ended"] = how_it_ended(folder, ended, seen.died, process)
    rows = operators(seen)
    reasons = collections.Counter()
    for (_op, reason), counted in seen.of("uncompared"):
        reasons[reason] += counted[0]
    unjudged = sum(calls for reason, calls in reasons.items() if reason not in EXPECTED)
    return {"schema": "assay/watch/1", "command": command, **ended, "operators": rows,
            "uncompared": [{"reason": reason, "calls": calls} for reason, calls in (+reasons).most_common()], "first": first(seen), "order": None, "unjudged": unjudged,
            "processes": seen.processes, "unwatched": seen.unwatched, "statistics": statistics(seen)}


def first(seen):
    """The first wrong call. A call that was interrupted on purpose is used only if there is no other wrong call."""
    found = sorted((one for one in seen.told if one.get("wrong")), key=lambda one: one["how"] == watch_deaths.STOPPED)
    return {key: found[0].get(key, "") for key in TOLD_OF_FIRST} if found else None


def how_it_ended(folder, ended, died, process):
    """Describes how the program ended and the call that was running."""
    own = next((one for one in died if one["process"] == process), None)
    if own is not None:
        return f"{ended['ended'] or 'the program ended with status 0'}, in {own['op']} at {own['line']}"
    last = watch_deaths.last(Path(folder), process) if ended["signal"] else ""
    return ", ".join(filter(None, (ended["ended"], last)))


def operators(seen):
    """The rows of operators: first the operators with wrong calls, then the other operators by number of calls."""
    rows = {}
    for (op, ran), counted in seen.of("calls"):
        row = rows.setdefault(op, {"name": op, "calls": 0, "kinds": 0, "compared": 0, "wrong": 0, "raised": 0,
                                   "refused": 0, "died": "", "worst": None, "cpu": None, "where": "", "seen": "", "module": "",
                                   "reproducer": "", "ran": ran, "ms": 0.0})
        row["calls"] += counted[0]
        row["ms"] += counted[2] / 1e6
    for name in ("kinds", "compared", "wrong", "raised", "refused"):
        for (op,), counted in seen.of(name):
            if op in rows:
                rows[op][name] += counted[0]
    for one in seen.told:
        if one["op"] in rows:
            _take(rows[one["op"]], one)
    return sorted((row for row in rows.values() if row["calls"]), key=_order)


def _order(row):
    return -(row["wrong"] + row["raised"]), not row["died"], -row["calls"], row["name"]


def _take(row, one):
    for key, name in (("worst", "worst"), ("cpu", "cpu")):
        if one.get(name) is not None:
            row[key] = max(row[key] or 0.0, one[name])
    if not one.get("wrong"):
        return
    if "form" in one:
        row["calls"] += 1
        row["died"] = row["died"] if row["died"] == watch_deaths.DIED else one["how"]
    if not row["seen"]:
        row.update(where=one["line"], seen=one["wrong"], module=one["module"], reproducer=one["reproducer"])


# ---- facts for a training program ---------------------------------------------------------------------------


def statistics(seen):
    steps = sum(counted[0] for _key, counted in seen.of("step"))
    traffic = [{"what": what, "line": line, "times": times, "bytes": size, "ms": round(took / 1e6, 3)}
               for (what, line), (times, size, took) in seen.of("traffic")]
    traffic.sort(key=lambda row: (-row["ms"], row["what"], row["line"]))
    fallbacks = [{"name": row["name"], "calls": row["calls"], "ms": round(row["ms"], 3)}
                 for row in operators(seen) if row["ran"] == "fallback"]
    fallbacks.sort(key=lambda row: (-row["ms"], row["name"]))
    return {"steps": steps, "traffic": traffic, "fallbacks": fallbacks, "growth": growth(max(seen.memory, key=len, default=[]))}


def growth(memory):
    """Bytes of memory that each step adds, or 0 if memory does not grow. Growth at the beginning is ignored.

    The steps after the first third are split into three parts. Memory grows if the minimum of each part exceeds the
    minimum of the part before."""
    memory = [(step, used) for step, used in memory if used is not None]
    rest = memory[len(memory) // 3:]
    if len(rest) < 6:
        return 0
    parts = [rest[len(rest) * i // 3:len(rest) * (i + 1) // 3] for i in range(3)]
    least = [min(part, key=lambda pair: pair[1]) for part in parts]
    if not least[0][1] < least[1][1] < least[2][1]:
        return 0
    return (least[2][1] - least[0][1]) // max(1, least[2][0] - least[0][0])
