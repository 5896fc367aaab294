# SPDX-License-Identifier: BSD-3-Clause
"""Verifies that the report of a run contains the text that a driver engineer needs. Reads only the report's text.

Each function yields one sentence for each problem in the text.
"""

import collections
import dataclasses
import re

TROUBLE = re.compile(r"(FAIL|CRASH|TIMEOUT|BROKEN|INCOMPLETE) (\S+)  .*\S (?:must|should|may|advisory)$")
FIELD = re.compile(r"     (\S[\w ]*?)  +(\S.*)|     (\S{8}) (\S.*)")
COUNTS = re.compile(r"(\d+) checks?: (.*)")
# A whole run prints "2 of 5 kept, 3 asked", any other run "2 of 3 asked kept, 5 in the contract".
LEVEL = re.compile(r"(must|should) (\d+) of (?:(\d+) kept, (\d+) asked|(\d+) asked kept, (\d+) in the contract)")


@dataclasses.dataclass
class Trouble:
    verdict: str
    id: str
    fields: dict


def troubles_of(text):
    """The failures in the order of the report. A field is the text after its label, on one line."""
    troubles, label = [], None
    for line in text.splitlines():
        begins, field = TROUBLE.match(line), FIELD.match(line)
        if begins:
            troubles.append(Trouble(begins[1].lower(), begins[2], {}))
        elif troubles and line.startswith(" " * 14) and label:
            troubles[-1].fields[label] += " " + line.strip()
        elif troubles and field:
            label = field[1] or field[3]
            troubles[-1].fields[label] = field[2] or field[4]
        else:
            label = None
    return troubles


JOINED = re.compile(r"that of (\S+), which is shown above")


def told_of(troubles):
    """Maps each check to its fields. Checks that the report joins under one cause share the fields of the first
    check."""
    told = {}
    for trouble in troubles:
        joined = JOINED.match(trouble.fields.get("cause", ""))
        told[trouble.id] = {**(told[joined[1]] if joined else {}), **trouble.fields}
    return told


def complaints(text, checks, signatures):
    """`checks` are in the form of `assay report --format json`. `signatures` are the texts that must occur before a
    check's hint may be shown."""
    troubles = troubles_of(text)
    by_id = {check["id"]: check for check in checks}
    yield from cut_ids(troubles, checks)
    yield from wrong_order(troubles)
    yield from dumb_crashes(troubles, by_id)
    yield from guesses(troubles, signatures)
    yield from repeated(troubles, text)
    yield from wrong_sums(text, checks)


def cut_ids(troubles, checks):
    wrong = {check["id"] for check in checks if check["verdict"] in ("fail", "crash", "timeout")}
    told = {trouble.id for trouble in troubles}
    yield from (f"{one} did not pass, and the report does not contain its id" for one in sorted(wrong - told))


def wrong_order(troubles):
    """Checks on which other checks depend must come first, in every module."""
    waiting = [sum(int(re.match(r"\d+", trouble.fields.get(label, "0"))[0]) for label in ("blocks", "follows"))
               for trouble in troubles]
    yield from (f"{later.id} blocks {more} and is listed after {former.id}, which blocks {less}"
                for former, later, less, more in zip(troubles, troubles[1:], waiting, waiting[1:], strict=False)
                if more > less)


def dumb_crashes(troubles, by_id):
    told = told_of(troubles)
    for trouble in troubles:
        if trouble.verdict != "crash":
            continue
        if by_id[trouble.id]["signal"] and "in" not in told[trouble.id]:
            yield f"{trouble.id} died, and the report names no function in which it died"
        is_told_above = JOINED.match(trouble.fields.get("cause", ""))
        if by_id[trouble.id].get("said") and "said" not in told[trouble.id] and not is_told_above:
            yield f"{trouble.id} died with output on stderr, and the report does not show it"


# For every check: words of a message, and the beginning of the hint for these words (table `known` in
# reports/render/check_likely.c).
CAUSES = {
    "PyTorch is not linked with support for": "Core finds no DeviceGuardImpl",
    "at::native::resize_bytes_cpu": "The CPU's resize_ got memory of the device",
    "as if computed in float32": "A float64 value is computed or stored in float32",
}


def guesses(troubles, signatures):
    """A report may name a likely cause only after a wrong value, a signature of the check, or words in CAUSES. A crash,
    a hang or an exception alone is not enough."""
    for trouble in troubles:
        exception = re.match(r"\w*(Error|Exception)\b", trouble.fields.get("seen", ""))
        words = " ".join(words for label, words in trouble.fields.items() if label != "likely")
        shown = any(known in words for known in signatures.get(trouble.id, ()))
        shown |= any(known in words and trouble.fields.get("likely", "").startswith(cause) for known, cause in CAUSES.items())
        if "likely" in trouble.fields and not shown and (trouble.verdict != "fail" or exception):
            yield f"{trouble.id} has a likely cause without any evidence in the report"


def repeated(troubles, text):
    for trouble in troubles:
        for label in ("fallback", "blocks"):
            items = re.sub(r" \(.*", "", trouble.fields.get(label, "")).rpartition(": ")[2].partition(" in ")
            names = (items[2] or items[0]).split(", ")
            yield from (f"{trouble.id}: {name} occurs twice after `{label}`"
                        for name, count in collections.Counter(names).items() if name and count > 1)
    lines = collections.Counter(line for line in text.splitlines() if re.search(r" checks? (blocked|skipped)", line))
    yield from (f"a line occurs twice: {line.strip()}" for line, count in lines.items() if count > 1)


def wrong_sums(text, checks):
    found = COUNTS.search(text)
    if not found:
        yield "no line states the number of checks"
        return
    parts = [int(number) for number in re.findall(r"(\d+) \w+", found[2])]
    counted = [check for check in checks if not check.get("support")]
    if not int(found[1]) == sum(parts) == len(counted):
        yield f"{found[1]} checks are told, {sum(parts)} verdicts, and there were {len(counted)} checks"
    yield from wrong_matrix(text, int(found[1]))
    levels = LEVEL.findall(text)
    if not levels:
        yield "no line states the number of musts that were kept and the number that were tested"
    for level, kept, *whole, asked_part, all_part in levels:
        promised, asked = whole if whole[0] else (all_part, asked_part)
        if not int(kept) <= int(asked) <= int(promised):
            yield f"{level}: {kept} of {promised} kept, {asked} asked"


def wrong_matrix(text, total):
    """The rows of the modules must add up to the total row, and the total row to the number of checks."""
    lines = text.splitlines()
    heads = [number for number, line in enumerate(lines) if re.match(r" {16,}(  \w+)+$", line)]
    rows = []
    for line in lines[heads[0] + 1:] if heads else []:
        cells = line.split()
        rows.append([0 if cell == "." else int(cell) for cell in cells[1:]])
        if cells[0] == "all":
            break
    sums = [sum(column) for column in zip(*rows[:-1], strict=False)]
    if not rows or sums != rows[-1] or sum(sums) != total:
        yield f"the modules add up to {sums}, the total row is {rows[-1:]}, of {total} checks"
