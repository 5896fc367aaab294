# SPDX-License-Identifier: BSD-3-Clause
"""Headers that went, came back broken, or still parse: a header that no longer parses is evidence, not an accident."""

from .entry import Entry
from .internal import is_internal


def header_entries(old, new):
    for identity, fact in old.facts.items():
        if fact["kind"] != "header":
            continue
        other, name = new.facts.get(identity), fact["header"]
        internal = is_internal(identity, name) or not is_near(fact)
        if other is None:
            yield Entry(identity, "header", "removed", name, internal=internal, causes={f"header:{name}"})
        elif other.get("error") and not fact.get("error"):
            yield Entry(identity, "header", "no_longer_parses", name, after=other["error"], internal=internal)


def is_near(fact):
    """A header that backends include, or that one of those includes: it was parsed."""
    return bool(fact.get("integration") or fact.get("includes")) or fact["header"].startswith("ATen/ops/")
