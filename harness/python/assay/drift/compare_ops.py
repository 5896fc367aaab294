# SPDX-License-Identifier: BSD-3-Clause
"""Compares operators, and the code-generator templates that some backends copy."""

import re

from assay.drift.entry import Entry
from assay.drift.internal import is_internal
from assay.drift.spelling import split_list


def operator_entries(old, new):
    """Compares operators. Operators that libraries register are compared only if both sides have libraries."""
    libraries = all(any("defined_in" in fact for fact in dump.facts.values() if fact["kind"] == "op") for dump in (old, new))
    for identity, fact in old.facts.items():
        if fact["kind"] not in ("op", "template") or ("defined_in" in fact and not libraries):
            continue
        other = new.facts.get(identity)
        if other is None:
            yield entry(fact, "removed", before=fact.get("schema", ""))
        elif fact["kind"] == "template":
            if fact["body"] != other["body"]:
                yield entry(other, "template_file")
        else:
            yield from changed(fact, other)
    for identity, fact in new.facts.items():
        if fact["kind"] == "op" and identity not in old.facts and (libraries or "defined_in" not in fact):
            yield entry(fact, "added", after=fact["schema"])


def entry(fact, change, **more):
    base = re.sub(r"\..*", "", fact["id"])
    return Entry(fact["id"], fact["kind"], change, fact["header"], fact.get("line", 0),
                 internal=is_internal(fact["id"]), causes={base}, **more)  # fmt: skip


def changed(fact, other):
    if fact["schema"] != other["schema"]:
        change = "schema_default" if only_adds_defaults(fact["schema"], other["schema"]) else "schema"
        rank = "info" if is_symbolic_now(fact["schema"], other["schema"]) else ""
        yield entry(other, change, before=fact["schema"], after=other["schema"], rank=rank)
    if fact["computed"] != other["computed"]:
        change = "computed_kernel" if fact["computed"] == "implicit" and other["computed"] == "kernel" else "computed"
        quiet = {fact["computed"], other["computed"]} <= {"structured", "kernel"} or gains_a_formula(fact, other)
        yield entry(other, change, before=fact["computed"], after=other["computed"], rank="info" if quiet else "")
    if fact["tags"] != other["tags"]:
        yield entry(other, "tags", before=", ".join(fact["tags"]), after=", ".join(other["tags"]))


def gains_a_formula(fact, other):
    """True if core still decomposes the operator, but now below autograd. Calls give the same results. A backend's
    kernel is still called, and now has core's gradients. After the opposite change, the kernel has no gradients."""
    return (fact["computed"], other["computed"]) == ("implicit", "explicit")


def only_adds_defaults(before, after):
    (old, old_result), (new, new_result) = taken_apart(before), taken_apart(after)
    kept = [argument for argument in new if argument in old]
    extra = [argument for argument in new if argument not in old and argument != "*"]
    return old_result == new_result and [a for a in old if a != "*"] == [a for a in kept if a != "*"] and all("=" in a for a in extra)


def is_symbolic_now(before, after):
    """True if plain sizes became symbolic and nothing else changed. Kernels with plain sizes still work: core passes
    them plain sizes."""
    return before.replace("SymInt", "int") == after.replace("SymInt", "int") and before.count("SymInt") < after.count("SymInt")


def taken_apart(schema):
    arguments, _, result = schema.partition("(")[2].rpartition(") -> ")
    return split_list(arguments), result
