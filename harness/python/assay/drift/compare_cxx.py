# SPDX-License-Identifier: BSD-3-Clause
"""Compares C++ declarations, with one function for each kind of fact. entry.py states the meaning of each change."""

import re

from assay.drift.compare_bases import base_entries, entry, unseen_virtuals
from assay.drift.compare_functions import access_entries, function_entries, signature_entry, template_entries
from assay.drift.compare_macros import macro_entries, macro_head
from assay.drift.elsewhere import is_implicit, is_respelled, reached, target_of
from assay.drift.entry import leaf_of
from assay.drift.pairing import FUNCTIONS, ambiguous_with, pair_facts
from assay.drift.reaching import is_reached, reach, readers
from assay.drift.spelling import canonical, declaration, initialised, is_number, is_wider, spelled, unscoped
from assay.facts.dump import owner_of, plain_name

COUNT = re.compile(r"(?i)(::|^)(num|n|k?num\w+|\w*count|\w*max\w*|\w*last\w*|\w*end\w*|undefined|compile_time_max\w*)(options|types|keys)?$")
DECLARED = FUNCTIONS + ("class", "enum", "enumerator", "alias", "field", "variable", "macro", "concept")


def cxx_entries(old, new):
    """Compares two dumps. Declarations that only ctags has seen are compared by name."""
    ours = {key: fact for key, fact in old.facts.items() if fact["kind"] in DECLARED}
    theirs = {key: fact for key, fact in new.facts.items() if fact["kind"] in DECLARED}
    parsed_old = {key: fact for key, fact in ours.items() if "seen" not in fact}
    parsed_new = {key: fact for key, fact in theirs.items() if "seen" not in fact}
    pairs = pair_facts(parsed_old, parsed_new)
    for before, after in pairs.both:
        yield from differences(before, after, old, new)
    for before, after in pairs.changed:
        yield signature_entry(before, after)
        yield from differences(before, after, old, new, same_id=False)
    yield from gone(pairs.removed, old, new)
    yield from come(pairs.added, old)
    yield from unparsed(ours, theirs, old, new)
    yield from unseen_virtuals(ours, theirs)


def gone(facts, old, new):
    for fact in facts:
        if fact.get("access") == "private" or is_out_of_reach(fact):
            continue
        if came_back_elsewhere(fact, new) or is_implicit(fact, new) or is_respelled(fact, old, new):
            continue
        if is_reached(fact["header"], old) and not is_reached(fact["header"], new):
            yield entry(fact, "unreached", after=fact["header"], causes={f"unreached:{fact['header']}"})
            continue
        other = new.by_name.get(plain_name(fact["id"]), [])
        if any(o["kind"] not in FUNCTIONS and fact["kind"] not in FUNCTIONS for o in other):
            found = next(o for o in other if o["kind"] not in FUNCTIONS)
            if "seen" in found and found["header"] == fact["header"]:
                yield entry(fact, "inactive", before=shown(fact))
            elif "seen" in found:
                yield entry(fact, "moved", before=fact["header"], after=found["header"])
            continue
        if any("seen" in o and o["header"] == fact["header"] for o in other):
            yield entry(fact, "inactive", before=shown(fact))
        elif now := reached(fact, old, new):
            yield entry(fact, now[0], before=shown(fact), after=now[1])
        else:
            yield entry(fact, "removed", before=shown(fact))


def came_back_elsewhere(fact, new):
    """True if the entity is still reachable. If an override was removed, the function of the base remains. If a class
    became an alias, its members are found under the name of the alias's target. Overloads that a tag selects are not
    called directly."""
    if "std::integral_constant<bool" in fact["id"] and plain_name(fact["id"]) in new.by_name:
        return True
    if any(f"cxx:{base}" in new.facts for base in fact.get("overrides", ())):
        return True
    return new.facts.get(owner_of(fact["id"]), {}).get("kind") == "alias"


def is_out_of_reach(fact):
    """True for deleted functions, which cannot be used, and for destructors, which callers do not name."""
    return bool(fact.get("deleted")) or fact["kind"] == "destructor"


def come(facts, old):
    for fact in facts:
        owner = old.facts.get(owner_of(fact["id"]))
        if owner and "seen" in owner:
            continue  # the class is not new: in OLD, the compiler did not parse its header
        overloaded = fact["kind"] in FUNCTIONS and plain_name(fact["id"]) in old.by_name
        if owner and owner["kind"] == "class":
            yield from come_in_class(fact, owner, old, overloaded)
        elif owner and fact["kind"] == "enumerator":
            yield entry(fact, "enumerator_added", after=f"{fact['value']}")
        elif plain_name(fact["id"]) not in old.by_name or overloaded:
            yield from plainly_added(fact, old, overloaded)


def plainly_added(fact, old, overloaded):
    change = "overload_added" if overloaded else "added"
    if overloaded and (rival := ambiguous_with(fact, old)):
        yield entry({**rival, "header": fact["header"], "line": fact.get("line", 0)}, "overload_ambiguous", before=declaration(rival), after=shown(fact))
    else:
        yield entry(fact, change, after=shown(fact))


def come_in_class(fact, owner, old, overloaded):
    virtual = fact.get("virtual")
    if fact["kind"] == "destructor" or (fact.get("access") == "private" and not virtual and fact["kind"] != "field"):
        return
    if virtual == "pure" and not owner.get("final"):
        yield entry(fact, "pure_virtual_added", after=shown(fact))
    elif virtual == "virtual" and not owner.get("final"):
        yield entry(fact, "virtual_refuses" if fact.get("throws") else "virtual_added", after=shown(fact))
    elif fact["kind"] == "field":
        yield entry(fact, "field_added", after=shown(fact))
    else:
        yield from plainly_added(fact, old, overloaded)


def differences(before, after, old, new, same_id=True):
    if before["kind"] != after["kind"]:
        if not {before["kind"], after["kind"]} <= set(FUNCTIONS):
            yield from kind_entry(before, after)
        return
    if before["header"] != after["header"] and same_id and before["kind"] not in ("enumerator", "field", "method", "constructor"):
        yield from moved_entry(before, after, old, new)
    if "deprecated" in after and "deprecated" not in before:
        yield entry(after, "deprecated", after=after["deprecated"])
    compare = COMPARE.get(before["kind"])
    if compare:
        yield from compare(before, after)
    yield from export_entries(before, after, new)
    if before["kind"] == "class":
        yield from base_entries(before, after, old, new)
    if after.get("explicit") and not before.get("explicit") and old.knows_explicit:
        yield entry(after, "explicit")
    if before["kind"] == "class":
        yield from layout_entries(before, old, new)


def kind_entry(before, after):
    """If a class becomes an alias or an alias a class, almost all code that uses it still compiles. The same holds if a
    constant of a class becomes an enumerator, except for code with a switch."""
    if before["kind"] in ("class", "enum") and (target := target_of(after)):
        yield entry(after, "brought", before=before["kind"], after=target)
        return
    change = "kind_alike" if (before["kind"], after["kind"]) in NEAR_KINDS else "kind"
    yield entry(after, change, before=before["kind"], after=after["kind"])


NEAR_KINDS = {("class", "alias"), ("alias", "class"), ("enum", "alias"), ("enum", "class"), ("enumerator", "variable")}


def moved_entry(before, after, old, new):
    """A moved declaration is harmless while the old header still includes the new header. If backends reach the old
    header only through other headers, all of these must include the new header."""
    home, now = before["header"], after["header"]
    if now in reach(new, home) or is_written_often(after, new):
        return
    above = readers(home, old)
    along = home not in above and above and all(now in reach(new, header) for header in above)
    yield entry(after, "moved_along" if along else "moved", before=home, after=now, causes={f"moved:{home}"})


def is_written_often(fact, new):
    """True if many headers may declare the function by `using`. A fact stores only one of these headers."""
    return fact["kind"] == "alias" and "canonical" not in fact and any(o["kind"] in FUNCTIONS for o in new.by_name.get(f"cxx:{target_of(fact)}", ()))


def class_entries(before, after):
    yield from access_entries(before, after)
    if after.get("final") and not before.get("final"):
        yield entry(after, "final")
    elif before.get("final") and not after.get("final"):
        yield entry(after, "no_longer_final")
    yield from template_entries(before, after)


def export_entries(before, after, new):
    """Compares the declarations if there are no libraries. Otherwise compare_symbols.py finds removed symbols."""
    if not before.get("exported") or after.get("exported") or not has_code(after, new):
        return
    change = "export_mark" if new.has("symbols") else "not_exported"
    yield entry(after, change, before="exported", causes={f"exports:{owner_of(after['id'])}:{after['header']}"})


def has_code(fact, dump):
    """True if a library must contain the code, because the header does not define all of it."""
    if fact["kind"] == "class":
        return any(member["kind"] in FUNCTIONS and has_code(member, dump) for member in dump.members_of(fact["id"]))
    return not any(fact.get(mark) for mark in ("inline", "body", "deleted", "template")) and fact.get("virtual") != "pure"


def layout_entries(before, old, new):
    """Reports a field that changed its position among the fields that both versions have. Added and removed fields are
    reported separately."""
    was, now = (fields_in_order(dump, before["id"]) for dump in (old, new))
    was, now = [name for name in was if name in now], [name for name in now if name in was]
    if was != now:
        moved = next((name for name in was if without(was, name) == without(now, name)), next(b for a, b in zip(was, now) if a != b))
        place = now.index(moved)
        yield entry(new.facts[moved], "layout", after=f"behind {leaf_of(now[place - 1])}" if place else "first")


def fields_in_order(dump, owner):
    fields = [fact for fact in dump.members_of(owner) if fact["kind"] == "field" and "seen" not in fact]
    return [fact["id"] for fact in sorted(fields, key=lambda fact: (fact["header"], fact["line"], fact.get("offset", 0)))]


def without(names, name):
    return [other for other in names if other != name]


def elements(kind):
    """The element type of an array. A longer array of the same type is compatible."""
    return re.sub(r"\[\d+\]", "[]", spelled(kind))


def typed_entries(before, after):
    if after.get("access") == "private":
        return
    yield from access_entries(before, after)
    old, new = canonical(before, "type"), canonical(after, "type")
    if old == f"const {new}" and before["kind"] == "field" or old != new and elements(old) == elements(new):
        return  # code that reads the field still compiles
    if old != new and is_wider(old, new) and before["kind"] == "field":
        return
    if old != new and before["type"] == after["type"]:
        yield entry(after, "same_words", before=old, after=new, causes={f"type:{old} => {new}"})
    elif old != new:
        change = "type_number" if is_number(old) and is_number(new) else "type"
        yield entry(after, change, before=before["type"], after=after["type"], causes={f"type:{old} => {new}"})
    elif before["kind"] == "field" and "default" in before and initialised(before) != initialised(after):
        alike = f"field_default:{after['header']}:{leaf_of(after['id'])}:{before['default']} => {after.get('default')}"
        yield entry(after, "field_default", before=before["default"], after=after.get("default", ""), causes={alike})
    elif before["kind"] == "variable" and unscoped(before.get("default", "")) != unscoped(after.get("default", "")):
        yield entry(after, "constant", before=before.get("default", ""), after=after.get("default", ""))


def enum_entries(before, after):
    if bool(before.get("scoped")) != bool(after.get("scoped")):
        yield entry(after, "scoped", before=enum_head(before), after=enum_head(after))
    elif before.get("underlying") != after.get("underlying"):
        yield entry(after, "underlying", before=before["underlying"], after=after["underlying"])


def enum_head(fact):
    return "enum class" if fact.get("scoped") else "enum"


def enumerator_entries(before, after):
    if before["value"] != after["value"]:
        change = "count" if COUNT.search(before["id"]) else "value"
        yield entry(after, change, before=str(before["value"]), after=str(after["value"]), causes={f"enum:{owner_of(after['id'])}"})


def alias_entries(before, after):
    yield from access_entries(before, after)
    old, new = (canonical(f, "target") for f in (before, after))
    if spelled(old) != spelled(new) and not is_own_alias(old, new, after):
        number = is_number(old) and is_number(new)
        yield entry(after, "type_number" if number else "alias", before=old, after=new, causes={f"type:{old} => {new}"})


def is_own_alias(old, new, fact):
    """A declaration `using A::x;` has the name of the entity that it introduces, and `using typename Base::x;` has the
    name of a member of a base. A template parameter is spelled by its position."""
    of_base = re.fullmatch(r"using typename [\w:<>]+::(\w+)", new)
    return "canonical" not in fact and (old.split("::")[-1] == new.split("::")[-1] or (of_base is not None and of_base[1] == leaf_of(fact["id"])))


COMPARE = {
    "class": class_entries, "enum": enum_entries, "enumerator": enumerator_entries, "alias": alias_entries,
    "field": typed_entries, "variable": typed_entries, "macro": macro_entries,
    **dict.fromkeys(FUNCTIONS, function_entries),
}  # fmt: skip


def unparsed(ours, theirs, old, new):
    """Compares names in headers that are not parsed and in regions that the compiler skips. A name counts as removed if
    neither the compiler nor ctags sees it in NEW."""
    for identity, fact in ours.items():
        if "seen" in fact and identity not in theirs and plain_name(identity) not in new.by_name:
            yield entry(fact, "removed", internal=True)


def shown(fact):
    if fact["kind"] in FUNCTIONS:
        return declaration(fact)
    if fact["kind"] == "macro":
        return macro_head(fact)
    if fact["kind"] == "enumerator":
        return f"{fact.get('value', '')}"
    return f"{fact.get('tag') or fact['kind']} {fact.get('type') or fact.get('target', '')}".strip()
