# SPDX-License-Identifier: BSD-3-Clause
"""Compares parameters, result, virtual, defaults and body of C++ functions, and access and templates of classes.

Called by compare_cxx.py.
"""

import re

from assay.drift.compare_bases import entry
from assay.drift.internal import is_internal
from assay.drift.pairing import FUNCTIONS
from assay.drift.spelling import (
    CONDITION,
    canonical,
    declaration,
    is_number,
    is_wider,
    parameter_types,
    renumbered,
    spelled,
    split_list,
    unconditional,
    unscoped,
)
from assay.facts.dump import owner_of


def signature_entry(before, after):
    """Compares the parameters and qualifiers of a function whose id changed."""
    old_types, old_tail = parameter_types(before["id"])
    new_types, new_tail = parameter_types(after["id"])
    change = "signature"
    more = {}
    if old_types == new_types:
        change = "const" if (" const" in old_tail) != (" const" in new_tail) else "signature"
    elif len(new_types) > len(old_types):
        defaulted = all("default" in p for p in after.get("parameters", ())[len(old_types) :])
        change = "optional_parameter_added" if defaulted and new_types[: len(old_types)] == old_types else "parameter_added"
        if change == "parameter_added" and slides(old_types, after, new_types):
            change = "parameter_slides"
    elif len(new_types) < len(old_types):
        change = "parameter_removed"
    else:
        pairs = {(a, b) for a, b in zip(old_types, new_types) if a != b}
        more["causes"] = {f"type:{a} => {b}" for a, b in pairs}
        change = "same_words" if written(before) == written(after) else "signature"
        if is_any_type_now(before, after, pairs):
            change = "taken_alike"
        if not before.get("virtual") and all(is_taken_alike(a, b) for a, b in pairs):
            change = "taken_alike"
    found = entry(before, change, before=declaration(before), after=declaration(after), **more)
    found.header, found.line = after["header"], after.get("line", 0)
    found.rank = rank_of_signature(change, before, found.rank)
    return found


def is_taken_alike(was, now):
    """True if the new parameter type accepts every argument of the old type: a wider integer, `const T &` or `T &&` for
    a value, a forwarded for a copied argument, or a forwarded argument for `const T &` of any type."""
    forwarded = re.fullmatch(r"(type-parameter-\d+-\d+) &&(\.\.\.)?", now) or re.fullmatch(r"const (type-parameter-\d+-\d+) &()", now)
    if is_wider(was, now) or was.endswith(" *") and now == f"const {was}" or spelled(was) == spelled(now):
        return True
    by_any = forwarded is not None and was in (forwarded[1], f"{forwarded[1]}...", f"{forwarded[1]} &&")
    return handed_out(was) == handed_out(now) != "" or was == f"{now} &&" or by_any


def is_any_type_now(before, after, pairs):
    """True if a parameter now accepts any type without a condition. Existing calls still compile."""
    template = after.get("template", "")
    conditional = before.get("virtual") or "template" in before or not template or "enable_if" in template or "requires" in template
    return not conditional and all(re.fullmatch(r"(const )?type-parameter-\d-\d+ &{0,2}|type-parameter-\d-\d+", other) for _, other in pairs)


def slides(old_types, after, new_types):
    """True if calls with the old number of arguments still compile: each argument must fit the new parameter at its
    position. All numeric types count as compatible."""
    required = sum("default" not in parameter for parameter in after.get("parameters", ()))
    fits = (one == other or (is_number(one) and is_number(other)) for one, other in zip(old_types, new_types))
    return required <= len(old_types) and all(fits)


def written(fact):
    """The parameter types as the header spells them. In NEW, an alias in such a type may have another meaning."""
    return [parameter.get("type") for parameter in fact.get("parameters", ())]


def rank_of_signature(change, fact, rank):
    """Lowers the rank for callers, because C++ converts arguments. Only an override must repeat the signature."""
    if change == "const" and not fact.get("virtual"):
        return "adapt" if " const" in parameter_types(fact["id"])[1] else "abi"
    if change == "optional_parameter_added":
        return "break" if fact.get("virtual") else "abi"
    return rank


def access_entries(before, after):
    order = {"": 0, "protected": 1, "private": 2}
    step = order[after.get("access", "")] - order[before.get("access", "")]
    if step > 0:
        narrowed = {f"access:{owner_of(after['id'])}:{after['access']}"}
        yield entry(after, "access_narrowed", before=before.get("access", "public"), after=after["access"], causes=narrowed)
    elif step < 0:
        yield entry(after, "access_widened", after=after.get("access", "public"))


def is_condition_moved(before, after):
    """True if an enable_if condition moved from the result type to the end of the template parameters."""
    was, now = (spelled(canonical(fact, "returns")) for fact in (before, after))
    old, new = (split_list(fact.get("template", "")) for fact in (before, after))
    return CONDITION in was and unconditional(was) == now and new[: len(old)] == old and all("enable_if" in part for part in new[len(old) :])


def template_entries(before, after):
    """Separates changes of a default from other changes, because a new default does not affect code that writes all
    template arguments."""
    was, now = (fact.get("template", "") for fact in (before, after))
    if spelled(was) == spelled(now) or renumbered(was) == renumbered(now):
        return
    change = "template"
    same = [part.split("=")[0] for part in split_list(was)] == [part.split("=")[0] for part in split_list(now)]
    if unscoped(was) == unscoped(now) or (after["kind"] in FUNCTIONS and is_template_longer(was, now)):
        change = "template_alike"
    elif same and was.count("=") == now.count("="):
        change = "template_default"
    yield entry(after, change, before=was, after=now)


def is_template_longer(was, now):
    """True if only parameters with a default were added at the end. An enable_if condition also has a default, but the
    condition may be false, so it does not count."""
    old, new = split_list(was), split_list(now)
    return new[: len(old)] == old and all("=" in part and "enable_if" not in part for part in new[len(old) :])


def function_entries(before, after):
    if before.get("access") == after.get("access") == "private" and not after.get("virtual"):
        return
    yield from access_entries(before, after)
    yield from virtual_entries(before, after)
    yield from result_entries(before, after)
    yield from default_entries(before, after)
    yield from flag_entries(before, after)
    yield from body_entries(before, after)


def virtual_entries(before, after):
    was, now = before.get("virtual"), after.get("virtual")
    if now == "pure" and was != "pure":
        yield entry(after, "became_pure" if was else "pure_virtual_added", before=was or "not virtual", after="pure")
    elif was == "pure" and now and now != "pure":
        yield entry(after, "no_longer_pure")
    elif was and not now:
        yield entry(after, "no_longer_virtual", before=declaration(before), after=declaration(after))
    elif now and not was:
        yield entry(after, "became_virtual", after=declaration(after))
    if now and after.get("final") and not before.get("final"):
        yield entry(after, "final")


def result_entries(before, after):
    old, new = canonical(before, "returns"), canonical(after, "returns")
    if spelled(old) == spelled(new):
        return
    causes = {f"type:{old} => {new}"}
    if before["returns"] == after["returns"]:
        yield entry(after, "same_words", before=old, after=new, causes=causes)
        return
    if not after.get("virtual") and (handed_out(old) == handed_out(new) != "" or old == f"const {new}" or new in DEDUCED or unconditional(old) == spelled(new)):
        yield entry(after, "returns_alike", before=before["returns"], after=after["returns"], causes=causes)
        return
    number = is_number(old) and is_number(new)
    rank = "break" if after.get("virtual") else ""
    change = "returns_number" if number else "returns"
    yield entry(after, change, before=before["returns"], after=after["returns"], rank=rank, causes=causes)


DEDUCED = ("auto", "decltype(auto)")  # both forms mean the same if the function body is the same


def handed_out(returned):
    """Returns `T` for results of type T, const T and const T &, because a caller that reads a T accepts all three.
    Returns "" for a result that the caller may modify."""
    if returned.startswith("const ") and returned.endswith(" &"):
        return returned[len("const ") : -len(" &")]
    return "" if returned.endswith(("&", "*")) else returned.removeprefix("const ")


def same_parameters(old, new):
    """Pairs parameters by position, or by name if one was added or removed."""
    if len(old) == len(new):
        return zip(old, new)
    named = {parameter["name"]: parameter for parameter in new if parameter.get("name")}
    return ((was, named[was["name"]]) for was in old if was.get("name") in named)


def default_entries(before, after):
    for was, now in same_parameters(before.get("parameters", ()), after.get("parameters", ())):
        old, new = was.get("default", ""), now.get("default", "")
        if unscoped(old) != unscoped(new):
            change = "default" if old and new else "default_removed" if old else "default_added"
            alike = f"{change}:{after['header']}:{owner_of(after['id'])}:{of_its_type(was)} => {of_its_type(now)}"
            yield entry(after, change, before=old, after=new, causes={alike})


def of_its_type(parameter):
    """`AllreduceOptions()` and `BroadcastOptions()` count as the same default: T()."""
    words = re.findall(r"\w+", parameter.get("type", ""))
    kinds = [word for word in words if word not in ("const", "std", "optional")]
    return re.sub(rf"(\w+::)*\b{kinds[-1]}\b", "T", parameter.get("default", "")) if kinds else ""


def flag_entries(before, after):
    # Destructors are always noexcept.
    if bool(before.get("noexcept")) != bool(after.get("noexcept")) and after["kind"] != "destructor":
        narrowed = after.get("noexcept") and after.get("virtual")
        yield entry(after, "noexcept" if narrowed else "noexcept_plain")
    if bool(before.get("static")) != bool(after.get("static")):
        yield entry(after, "static", after="static" if after.get("static") else "not static")
    if after.get("deleted") and not before.get("deleted"):
        yield entry(after, "deleted")
    if before["id"] == after["id"] and not is_condition_moved(before, after):
        yield from template_entries(before, after)


def body_entries(before, after):
    if before.get("body") and after.get("body") and before["body"] != after["body"]:
        virtual = after.get("virtual") in ("virtual", "override") and not after.get("final") and not (before.get("throws") and after.get("throws"))
        yield entry(after, "body" if virtual else "inline_body", internal=is_internal(after["id"], after["header"]) or is_jit_type(after["header"]))


def is_jit_type(header):
    """True for headers of TorchScript's types. Backends do not depend on how these types are printed or compared."""
    return re.fullmatch(r"ATen/core/(\w+_)?(class|enum|function|interface|jit|union)_type\w*\.h", header) is not None
