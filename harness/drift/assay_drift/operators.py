# SPDX-License-Identifier: BSD-3-Clause
"""Operator schemas from native_functions.yaml, read as the lines they are: a YAML parser takes ten times as long."""

import re

FUNCTION = re.compile(r"^- func: (?P<schema>(?P<name>[\w:]+(?:\.\w+)?)\(.*)$")
MEMBER = re.compile(r"^  (?P<key>\w+):\s*(?P<value>[^#]*)")
DISPATCH = re.compile(r"^    (?P<keys>[\w, ]+):")
COMPOSITE = ("CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")


def operator_facts(path):
    """Facts of kind op: the schema, its tags, and who computes it for a backend without a kernel."""
    current, members, keys = None, {}, set()
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if match := FUNCTION.match(line):
            if current:
                yield finished(current, members, keys)
            name = match["name"] if "::" in match["name"] else f"aten::{match['name']}"
            current = {"id": f"op:{name}", "kind": "op", "header": path.name, "line": number, "schema": match["schema"]}
            members, keys = {}, set()
        elif match := MEMBER.match(line):
            members[match["key"]] = match["value"].strip()
        elif "dispatch" in members and (match := DISPATCH.match(line)):
            keys |= {key.strip() for key in match["keys"].split(",")}
    if current:
        yield finished(current, members, keys)


def finished(fact, members, keys):
    fact["tags"] = sorted(re.findall(r"\w+", members.get("tags", "")))
    fact["computed"] = computed_by(members, keys)
    return fact


def computed_by(members, keys):
    """implicit, explicit: core's own; structured: its out variant; kernel: the backend's."""
    if "structured_delegate" in members:
        return "structured"
    if "CompositeImplicitAutograd" in keys or ("dispatch" not in members and not keys):
        return "implicit"
    return "explicit" if keys & set(COMPOSITE) else "kernel"
