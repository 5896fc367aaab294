# SPDX-License-Identifier: BSD-3-Clause
"""Asks the compiler whether an entry's rank is right: probes.py writes what a backend would, libclang reads it with NEW's headers.

All probes are one source, each in a namespace of its own; a complaint belongs to the probe on whose lines it stands. OLD reads the same
source when its headers are there: a probe that OLD does not take either proves nothing.
"""

from concurrent.futures import ThreadPoolExecutor

from assay.drift.entry import worst
from assay.drift.probes import Unprobed, probe_of
from assay.facts.headers import run_check

MOST = 3000  # probes of one comparison
HEAD = ["#include <type_traits>", "#include <utility>"]
BEGIN = ['#pragma clang diagnostic error "-Wswitch"', "#define ASSAY_TEXT_(...) #__VA_ARGS__", "#define ASSAY_TEXT(...) ASSAY_TEXT_(__VA_ARGS__)"]
SAYS = "clang: "
NOT = "not confirmed: "
NOT_OLD = f"{NOT}OLD does not take the probe either: "
COMPILES = f"{NOT}what a backend would write compiles with NEW"
# A call that converts or finds another overload, an alias of what was there: nothing but a new build is needed.
SOFTENED = ("signature", "removed", "kind_alike", "parameter_added", "parameter_removed")


def confirm(result, dumps, sides, settings):
    """Fills entry.confirmed of what breaks or must be adapted. `sides`: what was parsed, None for a stored dump."""
    old, new = sides
    probed = {}
    for entry in wanted(result):
        try:
            seen = already_seen(entry)
            if not seen and len(probed) < MOST:
                probed[entry.id, entry.change] = (entry, probe_of(entry, dumps[0]))
            entry.confirmed = seen or f"{NOT}more than {MOST} probes"
        except Unprobed as why:
            entry.confirmed = f"{NOT}{why}"
    if new is None:
        for entry, _ in probed.values():
            entry.confirmed = f"{NOT}NEW is a stored dump, its headers are not here"
    elif probed:
        judge(list(probed.values()), old, new, dumps[0], settings)
        soften(result)


def wanted(result):
    """Entries that a report shows, and entries that hit a backend."""
    hit = {(entry["id"], entry["change"]) for backend in result.backends for entry in backend["entries"]}
    return [e for e in result.entries if e.rank in ("break", "adapt") and (not e.internal or (e.id, e.change) in hit)]


def already_seen(entry):
    """Confirmation that is no inference: the compiler or the libraries have said it."""
    if entry.change in ("no_longer_parses", "not_alone"):
        return f"{SAYS}{entry.after}"
    return f"symbols: {entry.before} exports it no longer" if entry.change == "not_exported" and entry.before.startswith("lib") else ""


def judge(probed, old, new, dump, settings):
    text, owner_of_line = source(probed, dump)
    with ThreadPoolExecutor(2) as pool:
        before, after = pool.map(lambda side: complaints(side, settings, text, owner_of_line), (old, new))
    for number, (entry, _) in enumerate(probed):
        entry.confirmed = verdict(entry, before, after, number)


def soften(result):
    """Lowers entries whose old spelling compiles: a rebuild is enough; and what nobody could use in OLD either. A group is
    as bad as the worst left in it."""
    softened = [entry for entry in result.entries
                if entry.change in SOFTENED and entry.confirmed == COMPILES or was_never_there(entry)]  # fmt: skip
    touched = {entry.group for entry in softened}
    for entry in softened:
        entry.rank = "abi"
    for group in result.groups:
        if group["id"] in touched:
            members = result.members(group)
            group["rank"] = worst([e.rank for e in members if not e.internal] or [e.rank for e in members])


def was_never_there(entry):
    """A macro that OLD's header takes back itself, a function whose result stands in a source file alone."""
    taken_back = entry.id.startswith("macro:") and entry.confirmed == f"{NOT_OLD}{entry.name} is not defined"
    return taken_back or (entry.confirmed.startswith(NOT_OLD) and entry.confirmed.endswith("cannot be used before it is defined"))


def verdict(entry, before, after, number):
    if before is not None and number in before:
        return f"{NOT_OLD}{before[number]}"
    if number not in after:
        return COMPILES
    if before is None and entry.leaf not in after[number] and "abstract" not in after[number] and "overrid" not in after[number]:
        return f"{NOT}OLD is a stored dump, and clang speaks of something else: {after[number]}"
    return f"{SAYS}{after[number]}"


def source(probed, old):
    """The text, and which probe each of its lines belongs to."""
    headers = sorted({header for entry, _ in probed for header in headers_of(entry, old)})
    lines = list(HEAD)
    for header in headers:
        lines += [f"#if __has_include(<{header}>)", f"#include <{header}>", "#endif"]
    lines += BEGIN
    owner_of_line = {}
    for number, (_, probe) in enumerate(probed):
        for line in (f"namespace assay_probe_{number} {{", *probe, "}"):
            lines.append(line)
            owner_of_line[len(lines)] = number
    return "\n".join([*lines, ""]), owner_of_line


def headers_of(entry, old):
    """Where OLD declares it, and its class; where NEW does."""
    facts = (old.facts.get(entry.id), old.facts.get(entry.owner))
    found = {fact["header"] for fact in facts if fact and fact.get("header")}
    return {header for header in found | {entry.header} if header and entry.kind != "header"}


def complaints(side, settings, text, owner_of_line):
    """{probe: the first thing clang says of it}; None when there are no headers to ask."""
    if side is None:
        return None
    found = {}
    for row in run_check(side, settings, text):
        if not row["in"] and row["line"] in owner_of_line:
            found.setdefault(owner_of_line[row["line"]], row["diagnostic"])
    return found
