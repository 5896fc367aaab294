# SPDX-License-Identifier: BSD-3-Clause
"""Copies runs from one history to another, as JSON lines of the schema assay/history-run/1 or directly from a file.

A line has the differences from the line before, the previous run of its series. Imported lines are untrusted."""

import contextlib
import json
import re

from assay import files
from assay.command import SYSTEM, Refused

from .reading import Answer, Change, Run, Series, read

SCHEMA = "assay/history-run/1"
LINE_MOST = 64 << 20  # bytes
COUNT_MOST = (1 << 31) - 1
# Members of a line, in the order in which they are written: (name, attribute of the Run, type).
SERIES_MEMBERS = ("target", "release", "asked")
RUN_MEMBERS = (("date", "date", str), ("torch", "torch", str), ("git", "git", str), ("backend", "backend", str),
               ("contract", "contract", int), ("digest", "digest", str), ("state", "state", str), ("must_kept", "kept", int),
               ("must_total", "total", int), ("must_promised", "promised", int), ("whole", "whole", bool))
KINDS = ("check", "clause", "capability", "stage")
TYPES = {str: "text", int: "a whole number", bool: "true or false", list: "an array", dict: "an object", float: "a fraction",
         type(None): "null"}
NO_TEXT = re.compile("[\0\ud800-\udfff]")  # characters that JSON can express but the file cannot store


def lines_of(path):
    """Yields (place, Run, date of the previous run or None, Changes since then) for each run, series by series."""
    for series in sorted(read(path), key=lambda one: (one.target, one.release, one.asked == "", one.asked)):
        after = None
        for run, changes in zip(series.runs, series.changes(), strict=True):
            yield path, run, after, changes
            after = run.date


def text_of(run, after, changes):
    """One line as bytes."""
    members = {"schema": SCHEMA} | {name: getattr(run.series, name) for name in SERIES_MEMBERS}
    members |= {name: getattr(run, attribute) for name, attribute, _ in RUN_MEMBERS}
    members |= {"after": after, "changes": [change_json(change) for change in changes]}
    return json.dumps(members, ensure_ascii=False, separators=(",", ":")).encode() + b"\n"


def change_json(change):
    kind, name, (level, verdict, covers, cause), seen = change
    maybe = {"level": level, "covers": " ".join(covers), "cause": cause, "seen": seen}
    return {"kind": kind, "name": name, "verdict": verdict} | {key: text for key, text in maybe.items() if text}


@contextlib.contextmanager
def said_of(where):
    try:
        yield
    except Refused as refusal:
        raise Refused(f"{where}: {refusal}", refusal.status) from None


# ---- reading untrusted lines


def read_lines(path):
    """Like lines_of, but reads a file of JSON lines."""
    try:
        with files.open_regular(path) as file:
            number = 0
            while text := file.readline(LINE_MOST + 1):
                number += 1
                with said_of(f"{path}:{number}"):
                    line = parsed(text)
                yield f"{path}:{number}", *line
    except OSError as error:
        status = {} if isinstance(error, FileNotFoundError) else {"status": SYSTEM}
        raise Refused(f"cannot read {path}: {error.strerror}", **status) from None


def members_once(pairs):
    members = dict(pairs)
    if len(members) != len(pairs):
        raise ValueError("an object has a member twice")
    return members


def parsed(text):
    if len(text) > LINE_MOST:
        raise Refused(f"is longer than {LINE_MOST} bytes, the most that a line may have")
    try:
        line = json.loads(text.decode(), object_pairs_hook=members_once, parse_constant=float)
    except RecursionError:
        raise Refused("JSON nested too deeply") from None
    except json.JSONDecodeError as error:
        raise Refused(f"not JSON: {error.msg} at column {error.colno}") from None
    except ValueError as error:  # invalid UTF-8, a duplicate member, or a number with thousands of digits
        raise Refused(f"not JSON: {error}") from None
    if not isinstance(line, dict):
        raise Refused(f"the document must be an object, not {TYPES[type(line)]}")
    if member(line, "schema", str) != SCHEMA:
        raise Refused(f'the document is of schema "{line["schema"][:60]}", and this assay reads {SCHEMA}')
    series = Series(*(member(line, name, str) for name in SERIES_MEMBERS))
    run = Run(**{attribute: member(line, name, kind) for name, attribute, kind in RUN_MEMBERS}, series=series)
    after = member(line, "after", str) if line.get("after") is not None else None
    return run, after, [change_of(change, f"changes[{place}]")
                        for place, change in enumerate(member(line, "changes", list))]


def change_of(value, where):
    if not isinstance(value, dict):
        raise Refused(f"{where} must be an object, not {TYPES[type(value)]}")
    kind, name, verdict = (member(value, key, str, f"{where}.") for key in ("kind", "name", "verdict"))
    level, covers, cause, seen = (member(value, key, str, f"{where}.") if value.get(key) is not None else ""
                                  for key in ("level", "covers", "cause", "seen"))
    if kind not in KINDS:
        raise Refused(f'{where} has kind "{kind[:40]}": it must be check, clause, capability or stage')
    return Change(kind, name, Answer(level, verdict, tuple(covers.split()), cause), seen)


def member(values, name, kind, where=""):
    if name not in values:
        raise Refused(f"{where}{name} is missing")
    value = values[name]
    if type(value) is not kind:
        raise Refused(f"{where}{name} must be {TYPES[kind]}, not {TYPES[type(value)]}")
    if kind is int and not 0 <= value <= COUNT_MOST:
        raise Refused(f"{where}{name} is out of range: it must lie between 0 and {COUNT_MOST}")
    if kind is str and NO_TEXT.search(value):
        raise Refused(f"{where}{name} has a character that no text may have: U+0000, or half of a pair of surrogates")
    return value


# ---- writing into a history


def take(writer, lines):
    """Adds runs and returns (number added, number already present). The caller opens the transaction."""
    added = known = 0
    before, says, differ = None, {}, None
    for where, run, after, changes in lines:
        series = (run.series.target, run.series.release, run.series.asked)
        with said_of(where):
            if after is None:
                says, differ = {}, None
            elif before != (series, after):
                raise Refused(f"continues the run of {after[:40]}, but the previous line has another run: export again")
            now = dict(map(writer.numbers_of, changes))
            says |= now
            differ = None if differ is None else differ | now.keys()
            is_new = writer.put_numbers(run, says, differ)
        before = (series, run.date)
        if is_new:
            added, differ = added + 1, set()
        else:
            known += 1
    return added, known
