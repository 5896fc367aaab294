# SPDX-License-Identifier: BSD-3-Clause
"""Verifies the rank of an entry with the compiler. probes.py writes code that a backend might contain, and libclang
parses it with NEW's headers.

All probes are in one source, each in its own namespace. An error belongs to the probe whose lines contain it.
If OLD's headers are available, OLD parses the same source: a probe that fails with OLD proves nothing.
"""

from concurrent.futures import ThreadPoolExecutor

from assay.drift.entry import worst
from assay.drift.probes import Unprobed, probe_of
from assay.facts.headers import run_check

MOST = 3000  # largest number of probes in one comparison
HEAD = ["#include <type_traits>", "#include <utility>"]
BEGIN = ['#pragma clang diagnostic error "-Wswitch"', "#define ASSAY_TEXT_(...) #__VA_ARGS__", "#define ASSAY_TEXT(...) ASSAY_TEXT_(__VA_ARGS__)"]
SAYS = "clang: "
NOT = "not confirmed: "
NOT_OLD = f"{NOT}the probe does not compile with OLD either: "
COMPILES = f"{NOT}the probe compiles with NEW"
# After these changes, old code may still compile by a conversion, an overload or an alias. Then a rebuild is enough.
SOFTENED = ("signature", "removed", "kind_alike", "parameter_added", "parameter_removed")


def confirm(result, dumps, sides, settings):
    """Sets entry.confirmed for entries that break or must be adapted. `sides` are the parsed sides, or None."""
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
            entry.confirmed = f"{NOT}NEW is a stored dump without headers"
    elif probed:
        judge(list(probed.values()), old, new, dumps[0], settings)
        soften(result)


def wanted(result):
    """Entries that the report shows, and entries that affect a backend."""
    hit = {(entry["id"], entry["change"]) for backend in result.backends for entry in backend["entries"]}
    return [e for e in result.entries if e.rank in ("break", "adapt") and (not e.internal or (e.id, e.change) in hit)]


def already_seen(entry):
    """Returns the confirmation if the compiler or the libraries have already shown the change, else ""."""
    if entry.change in ("no_longer_parses", "not_alone"):
        return f"{SAYS}{entry.after}"
    return f"symbols: {entry.before} no longer exports it" if entry.change == "not_exported" and entry.before.startswith("lib") else ""


def judge(probed, old, new, dump, settings):
    text, owner_of_line = source(probed, dump)
    with ThreadPoolExecutor(2) as pool:
        before, after = pool.map(lambda side: complaints(side, settings, text, owner_of_line), (old, new))
    for number, (entry, _) in enumerate(probed):
        entry.confirmed = verdict(entry, before, after, number)


def soften(result):
    """Lowers the rank of an entry if its old spelling still compiles (then a rebuild is enough) or if the entity could
    not be used in OLD either. A group gets the rank of its worst remaining entry."""
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
    """True for a macro that OLD's header undefines, or a function whose result type is only defined in a source
    file."""
    taken_back = entry.id.startswith("macro:") and entry.confirmed == f"{NOT_OLD}{entry.name} is not defined"
    return taken_back or (entry.confirmed.startswith(NOT_OLD) and entry.confirmed.endswith("cannot be used before it is defined"))


def verdict(entry, before, after, number):
    if before is not None and number in before:
        return f"{NOT_OLD}{before[number]}"
    if number not in after:
        return COMPILES
    if before is None and entry.leaf not in after[number] and "abstract" not in after[number] and "overrid" not in after[number]:
        return f"{NOT}OLD is a stored dump, and clang reports something else: {after[number]}"
    return f"{SAYS}{after[number]}"


def source(probed, old):
    """Returns the source text and the probe of each line."""
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
    """Headers in which OLD declares the entity and its class, and in which NEW declares it."""
    facts = (old.facts.get(entry.id), old.facts.get(entry.owner))
    found = {fact["header"] for fact in facts if fact and fact.get("header")}
    return {header for header in found | {entry.header} if header and entry.kind != "header"}


def complaints(side, settings, text, owner_of_line):
    """Returns {probe: first error of clang}, or None if no headers are available."""
    if side is None:
        return None
    found = {}
    for row in run_check(side, settings, text):
        if not row["in"] and row["line"] in owner_of_line:
            found.setdefault(owner_of_line[row["line"]], row["diagnostic"])
    return found
