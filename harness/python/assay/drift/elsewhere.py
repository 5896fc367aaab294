# SPDX-License-Identifier: BSD-3-Clause
"""Finds names that moved but are still usable through a using-declaration, an overload, a base or another spelling."""

import re
from itertools import zip_longest

from assay.drift.entry import leaf_of
from assay.drift.pairing import FUNCTIONS
from assay.drift.spelling import bare, declaration, parameter_types, split_list, unscoped
from assay.facts.dump import owner_of, plain_name

USING = re.compile(r"using (?:\w+=)?(?:typename )?((?:::)?(?:\w+(?:<.*>)?::)+(\w+))(?:<.*>)?")


def target_of(fact):
    """The target of an alias with the same name: `torch::headeronly::Tag` for `using torch::headeronly::Tag` and for
    `using Tag=torch::headeronly::Tag`; "" for other aliases."""
    text = fact.get("target", "")
    found = USING.fullmatch(text[max(text.rfind("using "), 0) :]) if fact["kind"] == "alias" else None
    return found[1].removeprefix("::") if found and found[2] == leaf_of(fact["id"]) else ""


def reached(fact, old, new):
    """Returns (change, new place) for an entity whose id NEW does not have, or None if the entity is removed."""
    for way in (brought_in, taken_by_overload, held_by_base, written_by_compiler, found_by_operands):
        if found := way(fact, old, new):
            return found
    return None


def brought_in(fact, old, new):
    """A function of another scope that a using-declaration makes available under the old name."""
    if fact["kind"] not in FUNCTIONS:
        return None
    targets = [target_of(other) for other in new.by_name.get(plain_name(fact["id"]), ()) if other["kind"] == "alias"]
    for target in filter(None, targets):
        others = new.by_name.get(f"cxx:{target}", ())
        if any(o["kind"] in FUNCTIONS and parameter_types(o["id"]) == parameter_types(fact["id"]) for o in others):
            return "brought", target
    return None


def taken_by_overload(fact, old, new):
    """An overload with the same parameters, followed only by parameters with defaults."""
    if fact["kind"] not in FUNCTIONS or fact.get("virtual"):
        return None
    types, tail = parameter_types(fact["id"])
    for other in new.by_name.get(plain_name(fact["id"]), ()):
        if other["kind"] != fact["kind"] or other.get("deleted") or other.get("access") != fact.get("access"):
            continue
        others, other_tail = parameter_types(other["id"])
        rest = list(zip_longest(others, other.get("parameters", ()), fillvalue={}))[len(types) :]
        if others[: len(types)] == types and tail == other_tail and all("default" in p or kind.endswith("...") for kind, p in rest):
            return "overload_merged", declaration(other)
    return None


def held_by_base(fact, old, new):
    """A member with the same parameters in a public base. A constructor counts only if it is inherited."""
    owner = owner_of(fact["id"])
    if not owner or fact.get("virtual"):
        return None
    if base := gained_foreign_base(owner, old, new):
        return "held_by_base", base
    for base in bases_of(owner, new):
        leaf, base_leaf = leaf_of(owner), leaf_of(base)
        member = re.sub(rf"\b{re.escape(leaf)}\b", base_leaf, fact["id"].removeprefix(f"{owner}::"))
        if fact["kind"] == "constructor" and not any(bare(leaf_of(o["id"])) == base_leaf for o in new.members_of(owner) if o["kind"] == "alias"):
            continue
        found = new.facts.get(f"{base}::{member}")
        if found and found["kind"] == fact["kind"] and found.get("access") == fact.get("access"):
            return "held_by_base", base.partition(":")[2]
    return None


def gained_foreign_base(owner, old, new):
    """Returns a new public base from the standard library, or "". The dump has no facts about the members of such a
    base. A dependent base is named without its scope and may have the name of the class."""
    was, now = ({base["name"] for base in dump.facts.get(owner, {}).get("bases", ()) if base["access"] == "public"} for dump in (old, new))
    return next((base for base in sorted(now - was) if base.startswith("std::") or classes_called(leaf_of(f"cxx:{bare(base)}"), new) <= {owner}), "")


def classes_called(leaf, dump):
    found = dump.__dict__.setdefault("by_leaf", {})
    if not found:
        for identity, fact in dump.facts.items():
            if fact["kind"] in ("class", "alias"):
                found.setdefault(leaf_of(identity), set()).add(identity)
        found.setdefault("", set())
    return found.get(leaf, set())


COMPARISON = re.compile(r"(.*\boperator)(==|!=|<=|>=|<|>)(\(.*)", re.DOTALL)


def written_by_compiler(fact, old, new):
    """A comparison that C++20 synthesises from `==` or `<=>` with the same operands."""
    found = COMPARISON.fullmatch(fact["id"])
    if not found or fact["kind"] not in FUNCTIONS or fact.get("virtual") or int(re.sub(r"\D", "", new.head.get("std") or "0") or 0) < 20:
        return None
    head, comparison, rest = found.groups()
    source = "==" if comparison in ("==", "!=") else "<=>"
    operands, tail = parameter_types(fact["id"])
    turned = f"({', '.join(reversed(operands))}){tail}"  # C++20 tries `a == b` also as `b == a`
    other = new.facts.get(f"{head}{source}{rest}") or new.facts.get(f"{head}{source}{turned}")
    return ("overload_merged", f"operator{source}") if other and other.get("access") == fact.get("access") and not other.get("deleted") else None


def found_by_operands(fact, old, new):
    """Finds an operator that moved together with the class of its operands, if the old class name is now an alias. Also
    finds an operator of a base of the operands."""
    leaf, types = leaf_of(fact["id"]), parameter_types(fact["id"])[0] if fact["kind"] == "function" else ()
    names = re.findall(r"(?:\w+::)+\w+", " ".join(types)) if leaf.startswith("operator") else ()
    for name in names:
        alias = new.facts.get(f"cxx:{name}", {})
        if base := gained_foreign_base(f"cxx:{name}", old, new):
            return "brought", f"{bare(base)}'s {leaf}"
        home = target_of(alias).rpartition("::")[0] if alias.get("kind") == "alias" else ""
        if home == "std" and leaf in ("operator==", "operator!="):  # the dump has no facts about the standard library
            return "brought", f"{home}::{leaf}"
        if home and any(unscoped(", ".join(parameter_types(o["id"])[0])) == unscoped(", ".join(types)) for o in new.by_name.get(f"cxx:{home}::{leaf}", ())):
            return "brought", f"{home}::{leaf}"
    return None


def bases_of(owner, dump):
    """Ids of all direct and indirect public bases of a class. A dependent base is named without its scope."""
    found, todo = [], [owner]
    while todo:
        current = todo.pop()
        for base in dump.facts.get(current, {}).get("bases", ()):
            name = bare(base["name"])
            ids = (f"cxx:{name}", f"{owner_of(current)}::{name}")
            identity = next((one for one in ids if dump.facts.get(one, {}).get("kind") == "class"), "")
            if identity and base["access"] == "public" and identity not in found:
                found.append(identity)
                todo.append(identity)
    return found


def is_implicit(fact, new):
    """True for a default, copy or move constructor which the class no longer declares. The compiler generates such a
    constructor."""
    owner = owner_of(fact["id"])
    if fact["kind"] != "constructor" or owner not in new.facts or any(member["kind"] == "constructor" for member in new.members_of(owner)):
        return False
    own = owner.partition(":")[2]
    return parameter_types(fact["id"])[0] in ([], [f"const {own} &"], [f"{own} &&"])


def is_respelled(fact, old, new):
    """True for a specialisation whose arguments are now spelled differently or whose template is now an alias of
    another template, and for the members of such specialisations."""
    special = fact["id"] if "<" in bare_owner(fact["id"]) else ""
    if not special:
        return False
    primary = special.partition("<")[0]
    if new.facts.get(primary, {}).get("kind") == "alias" or ("enable_if" in special and primary in new.facts):
        return True  # callers do not name a specialisation that a condition selects
    if hashed := re.fullmatch(r"cxx:std::hash<([\w:]+)>(::operator\(\).*)?", special):
        # The standard library provides a hash for every enumeration.
        return new.facts.get(f"cxx:{hashed[1]}", {}).get("kind") == "enum"
    same = any(other not in old.facts for other in spellings(new).get(without_scopes(special), ()))
    return same or is_taken_over(special, old, new)


def is_taken_over(special, old, new):
    """True if `A<Half, true>` is covered by a new `A<T, true>`, including its members."""
    special = special if special.endswith(">") else owner_of(special)
    head, arguments = special.partition("<")[0], arguments_of(special)
    return any(fits(arguments, arguments_of(fact["id"]), names_of(fact.get("template", "")))
               for fact in specialisations(new).get(head, ()) if fact["id"] not in old.facts)


def specialisations(dump):
    """Returns {id of a template: its specialisations}."""
    found = dump.__dict__.setdefault("specialisations", {})
    if not found:
        for identity, fact in dump.facts.items():
            if fact["kind"] == "class" and identity.endswith(">"):
                found.setdefault(identity.partition("<")[0], []).append(fact)
        found.setdefault("", [])
    return found


def arguments_of(special):
    return split_list(special.partition("<")[2][:-1])


def names_of(template):
    return {part.split("=")[0].split()[-1] for part in split_list(template)}


def fits(arguments, general, parameters):
    return len(arguments) == len(general) and all(one in (given, *parameters) for given, one in zip(arguments, general))


def bare_owner(identity):
    """The id without the parameters of its function."""
    return plain_name(identity) if "operator" not in identity else owner_of(identity)


def spellings(dump):
    """Returns {id of a specialisation, without scopes in its arguments: the full ids}."""
    found = dump.__dict__.setdefault("spelled", {})
    if not found:
        for identity, fact in dump.facts.items():
            if "<" in identity and fact["kind"] != "header":
                found.setdefault(without_scopes(identity), []).append(identity)
        found.setdefault("", [])
    return found


def without_scopes(identity):
    """Gives `c10::Trait<at::Half>` and `c10::Trait<c10::Half>` the same text, and also `X<is_same<A, B>::value>` and
    `X<is_same_v<A, B>>`."""
    head, mark, rest = identity.partition("<")
    return f"{head}{mark}{unscoped(rest)}"

