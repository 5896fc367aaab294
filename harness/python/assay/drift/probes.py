# SPDX-License-Identifier: BSD-3-Clause
"""Writes small pieces of C++ that use an entity of OLD as a backend would: derive, override, call, name, switch over.

A probe is made from OLD's facts only. A probe consists of declarations, so that PyTorch's headers can be parsed without
function bodies. A switch is in a constexpr function, whose body is always parsed. `Unprobed` gives the reason if an
entry has no probe.
"""

import re

from assay.drift.entry import leaf_of
from assay.drift.pairing import FUNCTIONS
from assay.drift.spelling import canonical, parameter_types


class Unprobed(Exception):
    """The entry has no probe; the message is the reason."""


def probe_of(entry, old):
    """Lines of C++ that compile with OLD. If the entry's rank is right, these lines do not compile with NEW."""
    if not entry.id.startswith(("cxx:", "macro:", "header:")):
        raise Unprobed(f"a compiler does not know of {SPACES.get(entry.id.partition(':')[0], 'it')}")
    make = BY_CHANGE.get(entry.change)
    if not make:
        raise Unprobed(WITHOUT.get(entry.change, "it compiles in either case"))
    return make(entry, old)


SPACES = {"build": "a setting of the build", "op": "operators' schemas", "py": "Python", "symbol": "symbols, which are compared in the libraries", "file": "templates of generated code"}
WITHOUT = {
    "unreached": "it needs a separate file that includes the headers that included it",
    "moved": "it needs a separate file that includes only the old header",
    "not_exported": "the libraries are not available",
    "body": "a compiler does not see what a default does",
    "default": "a compiler does not see what an argument means",
    "macro_body": "a compiler does not see what an expansion means",
}


# --- C++ names of entities of OLD ------------------------------------------------------------------------


def fact_of(entry, old):
    """The fact of the entity in OLD. If only ctags saw the entity, the fact has no types."""
    fact = old.facts.get(entry.id)
    if fact is None or "seen" in fact:
        raise Unprobed("only its name is known" if fact else "OLD does not have it")
    return fact


def qualified(id):
    """The qualified C++ name without parameters, such as `::c10::Allocator`."""
    name = id.partition(":")[2]
    name = name[: name.find("(", name.find("operator()") + len("operator()") if "operator()" in name else 0)] if "(" in name else name
    if "<" in re.sub(r"operator\W+$", "", name):
        raise Unprobed("a specialisation of a template")
    return f"::{name}"


def owner_in(entry, old):
    """The class of a member: (fact, C++ name)."""
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
    """Expressions of these types, for an unevaluated context."""
    return ", ".join(f"std::declval<{kind}>()" for kind in types)


def plain(fact):
    if fact.get("template"):
        raise Unprobed("a template")
    if "..." in types_of(fact):
        raise Unprobed("it takes any arguments")
    return fact


# --- one probe for each way of use ----------------------------------------------------------------------


BINARY = re.compile(r"operator([<>=!]=|[-+*/%&|^]=?|[<>]|&&|\|\||<<|>>)")  # operators are not called by name


def call_expression(entry, old, types):
    """A call with arguments of these types. A protected member is called in a derived class."""
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
    """A derived class that names the member."""
    fact, owner = owner_in(entry, old)
    if fact.get("final"):
        raise Unprobed("its class cannot be a base class")
    return [f"struct Probe : {owner} {{ using {owner}::{leaf_of(entry.id)}; }};"]


def override_probe(entry, old):
    """A class that overrides the function with OLD's signature."""
    fact = plain(fact_of(entry, old))
    owner, name = owner_in(entry, old)
    if not fact.get("virtual"):
        raise Unprobed("it cannot be overridden, and calls stay unchanged")
    if owner.get("final") or fact.get("final") or fact.get("access") == "private" and fact.get("virtual") != "pure":
        raise Unprobed("it cannot be overridden")
    return [f"struct Probe : {name} {{ {overriding(fact)} }};"]


def overriding(fact):
    """Returns for example `void f(type_identity<int>) const noexcept override;`. Types are wrapped in an alias:
    otherwise the name of an array or function would stand in the middle of its type."""
    types = ", ".join(f"std::type_identity_t<{kind}>" for kind in types_of(fact))
    head = "" if "operator " in fact["id"] else f"auto {leaf_of(fact['id'])}({types})"
    if not head:
        raise Unprobed("a conversion")
    tail = parameter_types(fact["id"])[1] + (" noexcept" if fact.get("noexcept") else "")
    return f"{head}{tail} -> std::type_identity_t<{canonical(fact, 'returns')}> override;"


def function_probe(entry, old):
    """Chooses a probe: an override needs the exact signature, a call needs an overload that accepts the arguments."""
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
    """A class that implements all functions that OLD requires. The class must not be abstract."""
    fact, name = owner_in(entry, old)
    if fact.get("final"):
        raise Unprobed("it cannot be a base class")
    bodies = " ".join(overriding(plain(method)) for method in pure_of(entry.owner, old))
    return [f"struct Probe : {name} {{ {bodies} }};", "static_assert(!__is_abstract(Probe));"]


def pure_of(owner, old, seen=()):
    """Pure virtual functions of a class and its bases that no class in between implements."""
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
    """A switch with a case for each enumerator of OLD."""
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
    """Names the entity according to its kind in OLD."""
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
    """A probe for an entity that changed to a similar kind: a switch for enumerations, else a use by name."""
    fact = fact_of(entry, old)
    return switch_probe(entry, old) if fact["kind"] == "enumerator" else name_probe(entry, old)


def arity_probe(entry, old):
    """Passes OLD's number of arguments to the macro. The expansion becomes a string, so it need not compile."""
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
