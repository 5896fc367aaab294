# SPDX-License-Identifier: BSD-3-Clause
"""Finds which headers include a header, from the include facts of a dump."""


def readers(home, dump):
    """The headers of the integration list that include this header, and the header itself if it is in the list."""
    cache = dump.__dict__.setdefault("readers", {})
    if home not in cache:
        listed = (fact["header"] for fact in dump.facts.values() if fact["kind"] == "header" and fact.get("integration"))
        cache[home] = [header for header in listed if home in reach(dump, header)]
    return cache[home]


def reach(dump, header):
    """The header and all headers that it includes directly or indirectly."""
    cache = dump.__dict__.setdefault("reached", {})
    if header not in cache:
        found, todo = set(), [header]
        while todo:
            name = todo.pop()
            if name not in found:
                found.add(name)
                todo += dump.facts.get(f"header:{name}", {}).get("includes", ())
        cache[header] = found
    return cache[header]


def is_reached(header, dump):
    """True if the header is parsed, directly or through another header. Also True for a header that does not exist."""
    fact = dump.facts.get(f"header:{header}")
    if not fact or fact.get("integration") or header.startswith("ATen/ops/"):
        return True
    included = dump.__dict__.setdefault("included", set())
    if not included:
        included.update(name for other in dump.facts.values() for name in other.get("includes", ()))
    return header in included
