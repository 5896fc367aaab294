# SPDX-License-Identifier: BSD-3-Clause
"""Small pieces of C++ that use an entity of OLD the way a backend would: derive, override, call, name, switch over.

A probe is made from OLD's facts alone. It says nothing but declarations, so that PyTorch's headers are parsed without bodies; a switch
stands in a constexpr function, whose body is parsed all the same. `Unprobed` says why an entry has none.
"""

import re

from assay.drift.entry import leaf_of
from assay.drift.pairing import FUNCTIONS
from assay.drift.spelling import canonical, parameter_types


class Unprobed(Exception):
    """No probe, and why."""


def probe_of(entry, old):
    """Lines of C++ that compile with OLD, and with NEW unless the entry's rank is right."""
    if not entry.id.startswith(("cxx:", "macro:", "header:")):
        raise Unprobed(f"a compiler does not know of {SPACES.get(entry.id.partition(':')[0], 'it')}")
    make = BY_CHANGE.get(entry.change)
    if not make:
        raise Unprobed(WITHOUT.get(entry.change, "it compiles in either case"))
    return make(entry, old)


SPACES = {"build": "how a backend is built", "op": "operators' schemas", "py": "Python", "symbol": "symbols; the libraries were asked", "file": "templates of generated code"}
WITHOUT = {
    "unreached": "it takes a file of its own that includes what brought it along",
    "moved": "it takes a file of its own that includes the old header alone",
    "not_exported": "the libraries are not here",
    "body": "a compiler does not see what a default does",
    "default": "a compiler does not see what an argument means",
    "macro_body": "a compiler does not see what an expansion means",
}


# --- what an entity of OLD is called in C++ -------------------------------------------------------------


def fact_of(entry, old):
    """The entity in OLD; what is only known by ctags has no types."""
    fact = old.facts.get(entry.id)
    if fact is None or "seen" in fact:
        raise Unprobed("only its name is known" if fact else "OLD does not have it")
    return fact


def qualified(id):
    """`::c10::Allocator`, without parameters."""
    name = id.partition(":")[2]
    name = name[: name.find("(", name.find("operator()") + len("operator()") if "operator()" in name else 0)] if "(" in name else name
    if "<" in re.sub(r"operator\W+$", "", name):
        raise Unprobed("a specialisation of a template")
    return f"::{name}"


def owner_in(entry, old):
    """The class that a member of it belongs to: (fact, C++ name)."""
    fact = old.facts.get(entry.owner)
    if not fact or fact["kind"] != "class":
        raise Unprobed("it is no member of a class")
    if fact.get("template"):
        raise Unprobed("its class is a template")
    if fact.get("access") in ("private", "protected"):
        raise Unprobed("its class is not accessible")
    return fact, qualified(entry.owner)


def is_member(entry, old):
    return old.facts.get(entry.owner, {}).get("kind") == "class"


def types_of(fact):
    return parameter_types(fact["id"])[0]


def values(types):
    """Arguments of these types, in a place that is not evaluated."""
    return ", ".join(f"std::declval<{kind}>()" for kind in types)


def plain(fact):
    if fact.get("template"):
        raise Unprobed("a template")
    if "..." in types_of(fact):
        raise Unprobed("it takes any arguments")
    return fact


# --- one probe for each way of use ----------------------------------------------------------------------


BINARY = re.compile(r"operator([<>=!]=|[-+*/%&|^]=?|[<>]|&&|\|\||<<|>>)")  # nobody calls these by name


def call_expression(entry, old, types):
    """A call with arguments of these types; a protected member is called from a class that derives."""
    fact = plain(fact_of(entry, old))
    if fact["kind"] == "constructor":
        return f"{owner_in(entry, old)[1]}({values(types)})"
    if not is_member(entry, old):
        return f"{qualified(entry.id)}({values(types)})"
    _, owner = owner_in(entry, old)
    if fact.get("static"):
        return f"{qualified(entry.id)}({values(types)})"
    tail = parameter_types(fact["id"])[1]
    this = f"{'const ' if ' const' in tail else ''}{owner}{'' if '&&' in tail else '&'}"
    leaf = qualified(entry.id).removeprefix(f"{owner}::")
    if (sign := BINARY.fullmatch(leaf)) and len(types) == 1:
        return f"(std::declval<{this}>() {sign[1]} {values(types)})"
    return f"std::declval<{this}>().{leaf}({values(types)})"


def call_probe(entry, old, types=None):
    fact = fact_of(entry, old)
    if fact.get("access") == "protected":
        return protected_probe(entry, old)
    return [f"using Probe = decltype({call_expression(entry, old, types_of(fact) if types is None else types)});"]


def protected_probe(entry, old):
    """Named by a class that derives."""
    fact, owner = owner_in(entry, old)
    if fact.get("final"):
        raise Unprobed("nobody can derive from its class")
    return [f"struct Probe : {owner} {{ using {owner}::{leaf_of(entry.id)}; }};"]


def override_probe(entry, old):
    """A class that overrides as OLD wants it written."""
    fact = plain(fact_of(entry, old))
    owner, name = owner_in(entry, old)
    if not fact.get("virtual"):
        raise Unprobed("nobody can override it, and calls stay as they are")
    if owner.get("final") or fact.get("final") or fact.get("access") == "private" and fact.get("virtual") != "pure":
        raise Unprobed("nobody can override it")
    return [f"struct Probe : {name} {{ {overriding(fact)} }};"]


def overriding(fact):
    """`void f(type_identity<int>) const noexcept override;`: types by an alias, since an array's or function's name stands in its middle."""
    types = ", ".join(f"std::type_identity_t<{kind}>" for kind in types_of(fact))
    head = "" if "operator " in fact["id"] else f"auto {leaf_of(fact['id'])}({types})"
    if not head:
        raise Unprobed("a conversion")
    tail = parameter_types(fact["id"])[1] + (" noexcept" if fact.get("noexcept") else "")
    return f"{head}{tail} -> std::type_identity_t<{canonical(fact, 'returns')}> override;"


def function_probe(entry, old):
    """Chooses a probe: an override must write the exact signature, a call must find one that fits."""
    fact = fact_of(entry, old)
    return override_probe(entry, old) if fact.get("virtual") and not fact.get("final") else call_probe(entry, old)


def result_probe(entry, old):
    fact = fact_of(entry, old)
    if fact.get("virtual"):
        return override_probe(entry, old)
    if fact["kind"] not in FUNCTIONS or fact.get("access"):
        raise Unprobed("not accessible")
    expression = call_expression(entry, old, types_of(fact))
    return [f"static_assert(__is_same(decltype({expression}), {canonical(fact, 'returns')}));"]


def fewer_arguments_probe(entry, old):
    fact = fact_of(entry, old)
    required = [kind for kind, parameter in zip(types_of(fact), fact.get("parameters", ())) if "default" not in parameter]
    return call_probe(entry, old, required)


def derive_probe(entry, old):
    """A class with everything that OLD wants: it must not be abstract."""
    fact, name = owner_in(entry, old)
    if fact.get("final"):
        raise Unprobed("nobody can derive from it")
    bodies = " ".join(overriding(plain(method)) for method in pure_of(entry.owner, old))
    return [f"struct Probe : {name} {{ {bodies} }};", "static_assert(!__is_abstract(Probe));"]


def pure_of(owner, old, seen=()):
    """Pure functions of a class and its bases that nothing on the way implements."""
    members = old.members_of(owner)
    done = {base for method in members for base in method.get("overrides", ()) if method.get("virtual") != "pure"}
    found = [method for method in members if method.get("virtual") == "pure" and method["kind"] == "method"]
    named = {leaf_of(method["id"]) for method in found}
    for base in old.facts.get(owner, {}).get("bases", ()):
        identity = f"cxx:{base['name']}"
        if identity not in seen:
            found += [method for method in pure_of(identity, old, (*seen, owner))
                      if method["id"].removeprefix("cxx:") not in done and leaf_of(method["id"]) not in named]  # fmt: skip
    return found


def final_probe(entry, old):
    fact = fact_of(entry, old)
    if fact["kind"] != "class":
        return override_probe(entry, old)
    if fact.get("template"):
        raise Unprobed("a template")
    return [f"struct Probe : {qualified(entry.id)} {{}};"]


def base_probe(entry, old):
    fact_of(entry, old)
    return [f"static_assert(__is_convertible_to({qualified(entry.id)}*, {qualified('cxx:' + entry.before.removeprefix('public '))}*));"]


def switch_probe(entry, old):
    """Every enumerator of OLD has its case."""
    name = qualified(entry.owner)
    values = {}
    for fact in old.members_of(entry.owner):
        if fact["kind"] == "enumerator" and "seen" not in fact:
            values.setdefault(fact["value"], qualified(fact["id"]))
    if not values:
        raise Unprobed("OLD does not show its enumerators")
    cases = " ".join(f"case {value}:" for value in values.values())
    return [f"constexpr int probe({name} value) {{ switch (value) {{ {cases} return 1; }} return 0; }}"]


def value_probe(entry, old):
    fact = fact_of(entry, old)
    if fact["kind"] != "enumerator":
        raise Unprobed("its value is not known")
    return [f"static_assert(static_cast<long long>({qualified(entry.id)}) == {fact['value']}LL);"]


def type_probe(entry, old):
    fact = fact_of(entry, old)
    if fact.get("access") or "unnamed" in canonical(fact, "type"):
        raise Unprobed("not accessible" if fact.get("access") else "its type has no name")
    return [f"static_assert(__is_same(decltype({qualified(entry.id)}), {canonical(fact, 'type')}));"]


def alias_probe(entry, old):
    fact = fact_of(entry, old)
    return [f"static_assert(__is_same({qualified(entry.id)}, {canonical(fact, 'target')}));"]


def name_probe(entry, old):
    """Names it, as whatever it is in OLD."""
    if entry.id.startswith("macro:"):
        return [f"#ifndef {entry.name}", f"#error {entry.name} is not defined", "#endif"]
    if entry.id.startswith("header:"):
        return [f"#if !__has_include(<{entry.name}>)", f"#error {entry.name} is not there", "#endif"]
    fact = fact_of(entry, old)
    if fact["kind"] in FUNCTIONS:
        return function_probe(entry, old)
    if fact.get("access") == "private":
        raise Unprobed("not accessible")
    if "unnamed" in canonical(fact, "type"):
        raise Unprobed("it has no name")
    if fact["kind"] in ("class", "enum", "alias"):
        plain_template = f"using {qualified(entry.id)};" if not is_member(entry, old) else None
        text = f"using Probe = {qualified(entry.id)};" if not fact.get("template") else plain_template
        if not text:
            raise Unprobed("a template inside a class")
        return [text]
    if fact.get("access") == "protected":
        return protected_probe(entry, old)
    if fact["kind"] in ("enumerator", "field", "variable"):
        return [f"using Probe = decltype({qualified(entry.id)});"]
    raise Unprobed(f"a {fact['kind']}")


def kind_probe(entry, old):
    """Probe for a thing that becomes another alike: a switch over the enumeration breaks, other uses by name."""
    fact = fact_of(entry, old)
    return switch_probe(entry, old) if fact["kind"] == "enumerator" else name_probe(entry, old)


def arity_probe(entry, old):
    """Expanded with as many arguments as OLD takes, into a text: what it expands to need not compile."""
    fact = fact_of(entry, old)
    if "parameters" not in fact or any("..." in name for name in fact["parameters"]):
        raise Unprobed("it takes any arguments" if "parameters" in fact else "it takes none")
    words = ", ".join(f"a{number}" for number in range(len(fact["parameters"])))
    return [f"static_assert(sizeof(ASSAY_TEXT({entry.name}({words}))) > 0);"]


BY_CHANGE = {
    **dict.fromkeys(("removed", "inactive", "access_narrowed"), name_probe),
    **dict.fromkeys(("signature", "const", "parameter_removed", "parameter_added", "parameter_slides", "same_words", "no_longer_virtual"), function_probe),
    **dict.fromkeys(("optional_parameter_added", "noexcept"), override_probe),
    **dict.fromkeys(("returns", "returns_number"), result_probe),
    **dict.fromkeys(("static", "deleted"), call_probe),
    **dict.fromkeys(("pure_virtual_added", "became_pure"), derive_probe),
    **dict.fromkeys(("count", "value"), value_probe),
    **dict.fromkeys(("type", "type_number"), type_probe),
    "enumerator_added": switch_probe, "alias": alias_probe, "template": name_probe, "kind": name_probe, "kind_alike": kind_probe, "final": final_probe, "base_removed": base_probe,
    "default_removed": fewer_arguments_probe, "macro_arity": arity_probe,
}  # fmt: skip
