# SPDX-License-Identifier: BSD-3-Clause
"""Finds removed headers and headers that no longer parse. A parse error is a finding, not a failure of the tool."""

from assay.drift.entry import Entry
from assay.drift.internal import is_internal
from assay.drift.reaching import reach

SHOWN = 4  # headers listed in a message
LOST = "lost:"  # LOST and the name of the header form a cause of brings_less


def header_entries(old, new):
    yield from dropped_includes(old, new)
    compiled_alone = old.head.get("alone") and new.head.get("alone")
    for identity, fact in old.facts.items():
        if fact["kind"] != "header":
            continue
        other, name = new.facts.get(identity), fact["header"]
        internal = is_internal(identity, name) or not is_near(fact)
        if other is None:
            yield Entry(identity, "header", "removed", name, internal=internal, causes={f"header:{name}"})
        elif other.get("error") and not fact.get("error"):
            yield Entry(identity, "header", "no_longer_parses", name, after=other["error"], internal=internal)
        elif compiled_alone and other.get("alone") and not fact.get("alone") and not fact.get("error"):
            yield Entry(identity, "header", "not_alone", name, after=other["alone"], internal=internal)


def dropped_includes(old, new):
    """Finds headers that include fewer headers. Code that relied on such an include now needs its own include."""
    for identity, fact in old.facts.items():
        other, name = new.facts.get(identity, {}), fact.get("header")
        if fact["kind"] != "header" or not fact.get("includes") or not other.get("includes") or other.get("error"):
            continue
        dropped = [one for one in fact["includes"] if one not in other["includes"] and f"header:{one}" in new.facts]
        lost = sorted({one for top in dropped for one in reach(old, top) if f"header:{one}" in new.facts} - reach(new, name))
        if lost:
            told = ", ".join(lost[:SHOWN]) + (f" and {len(lost) - SHOWN} more" if len(lost) > SHOWN else "")
            yield Entry(identity, "header", "brings_less", name, after=told, internal=is_internal(identity, name), causes={f"{LOST}{one}" for one in lost})


def is_near(fact):
    """True if backends include the header directly or indirectly. Such headers were parsed."""
    return bool(fact.get("integration") or fact.get("includes")) or fact["header"].startswith("ATen/ops/")
