# SPDX-License-Identifier: BSD-3-Clause
"""Reads operator schemas from libraries and from native_functions.yaml. The YAML file is read line by line, because a
YAML parser takes ten times as long."""

import re

from assay.facts.elf import ElfFile

FUNCTION = re.compile(r"^- func: (?P<schema>(?P<name>[\w:]+(?:\.\w+)?)\(.*)$")
MEMBER = re.compile(r"^  (?P<key>\w+):\s*(?P<value>[^#]*)")
DISPATCH = re.compile(r"^    (?P<keys>[\w, ]+):")
COMPOSITE = ("CompositeImplicitAutograd", "CompositeExplicitAutograd", "CompositeExplicitAutogradNonFunctional")


def operator_facts(path):
    """Facts of kind op: the schema, its tags, and the code that computes the operator for a backend without a
    kernel."""
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
    """`implicit`, `explicit`: a composite kernel of core. `structured`: the out= variant. `kernel`: the backend's
    kernel."""
    if "structured_delegate" in members:
        return "structured"
    if "CompositeImplicitAutograd" in keys or ("dispatch" not in members and not keys):
        return "implicit"
    return "explicit" if keys & set(COMPOSITE) else "kernel"


# Finds schemas as text in a library. Schemas without a namespace are copies of core's schemas or belong to TorchScript.
# Collectives have a process group as an argument.
DEFINED = re.compile(rb"(?<![^\0])((?:[a-z]\w*::)?[a-zA-Z_]\w*(?:\.\w+)?\([^\0\n{};]{0,4000}\) ?-> ?[A-Z_a-z(][^\0\n;&|]{0,199})(?=\0)")
COLLECTIVE = "__torch__.torch.classes.c10d.ProcessGroup "
OTHERS = {"aten", "prim", "prims", "static_runtime", "onnx", "std"}  # std:: occurs in the texts of assertions


def library_operators(path):
    """Operators outside aten that a library registers, such as those of c10d, which native_functions.yaml does not
    list."""
    elf, found = ElfFile(path), {}
    for data in elf.read_only():
        for match in DEFINED.finditer(data):
            schema = match[1].decode("utf-8", "replace")
            space, colons, _ = schema.partition("(")[0].partition("::")
            if not colons and COLLECTIVE in schema:
                space, schema = "c10d", f"c10d::{schema}"
            elif not colons or space in OTHERS:
                continue
            found[schema.partition("(")[0]] = schema
    for name in sorted(found):
        yield {"id": f"op:{name}", "kind": "op", "header": path.stem, "line": 0, "schema": found[name], "tags": [], "computed": "kernel", "defined_in": path.stem}
