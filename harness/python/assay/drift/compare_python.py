# SPDX-License-Identifier: BSD-3-Clause
"""Compares Python facts: removed names, signatures and bases. A name that is now imported still exists."""

import ast
import collections.abc

from assay.drift.entry import Entry
from assay.drift.internal import is_internal

FUNCTIONS = ("pyfunction", "pymethod")
KINDS = ("module", "pyclass", "pyattribute", "pyimport", *FUNCTIONS)
UNKNOWN = {"...", "Ellipsis"}  # the default was too long for the dump, or comes from a stub
TYPING = {"Dict", "FrozenSet", "List", "Set", "Tuple", "Type"}  # names in typing; the matching builtins are lower case
NO_DEFAULT = ("required", "_required")  # markers of optimizers for a required argument
FOLLOWED = 10  # depth to which re-exports are followed


def python_entries(old, new):
    if not (old.has("python") and new.has("python")):
        return
    for identity, fact in old.facts.items():
        if fact["kind"] not in KINDS:
            continue
        other = new.facts.get(identity)
        if other is None:
            yield from gone(fact, old, new)
        else:
            yield from changed(resolved(fact, old), resolved(other, new), fact, (old, new))
    for identity, fact in new.facts.items():
        if fact["kind"] in KINDS and identity not in old.facts:
            yield entry(fact, "added", after=fact.get("signature", ""))


def entry(fact, change, **more):
    internal = is_internal(fact["id"], fact["module"]) or "/_internal/" in fact["module"] or fact["id"].startswith("py:torchgen") or is_own_import(fact)
    if ".__main__" in fact["id"]:
        more["rank"] = "info"  # a command-line program: no backend imports it
    return Entry(fact["id"], fact["kind"], change, fact["module"], fact.get("line", 0), internal=internal, **more)


def is_own_import(fact):
    """True if a module imports the name for its own use. A package (`__init__.py`) imports names for its users."""
    of_all_torch = fact.get("target") in ("py:torch", "py:torchgen", "py:functorch")
    return fact["kind"] == "pyimport" and (of_all_torch or not fact["module"].endswith("__init__.py"))


def gone(fact, old, new):
    """Entry for a removed name that is neither a member of a base nor a submodule."""
    if fact["kind"] in ("pymethod", "pyattribute") and inherited(fact, new) or fact["id"].endswith(".__del__"):
        return
    owner = fact["id"].rpartition(".")[0]
    if is_of_another_file(new.facts.get(owner), new) or comes_by_star(fact["id"].rpartition(".")[2], new.facts.get(owner), new):
        return
    if fact["kind"] == "pyimport" and f"{owner}.__getattr__" in new.facts and fact["target"] == fact["id"]:
        return  # a submodule that is imported on demand
    causes = {f"gone:{owner}"} if owner in old.facts and owner not in new.facts else set()
    yield entry(fact, "removed", before=fact.get("signature", ""), causes=causes, rank="info" if is_program(fact, old) else "")


def is_program(fact, dump):
    """True for a package that holds only a command-line program, such as torch.utils.bottleneck."""
    inside, program = f"{fact['id']}.", f"{fact['id']}.__main__"
    return fact["kind"] == "module" and program in dump.facts and all(id.startswith(program) for id in dump.facts if id.startswith(inside))


def is_of_another_file(owner, dump):
    """True if the class is now imported from a module of which the dump has no facts."""
    return owner is not None and owner["kind"] == "pyimport" and owner.get("target") not in dump.facts


def comes_by_star(name, module, dump, most=FOLLOWED):
    """True if the module gets the name by `from other import *`, which skips names with an underscore. If the dump has
    no facts about the other module, returns True for a module that no longer defines names itself."""
    targets = (module or {}).get("stars", ())
    if name.startswith("_") or not most:
        return False
    if any(f"{target}.{name}" in dump.facts or comes_by_star(name, dump.facts.get(target), dump, most - 1) for target in targets):
        return True
    return any(target not in dump.facts for target in targets) and not defines(module["id"], dump)


def defines(module, dump):
    return any(fact["kind"] in ("pyclass", *FUNCTIONS) and identity.rpartition(".")[0] == module for identity, fact in dump.facts.items())


def inherited(fact, dump):
    owner, _, name = fact["id"].rpartition(".")
    todo, seen = [owner], set()
    while todo:
        current = dump.facts.get(todo.pop())
        if current is None or current["id"] in seen:
            continue
        seen.add(current["id"])
        current = resolved(current, dump)
        if f"{current['id']}.{name}" in dump.facts:
            return True
        scope = current["id"].rpartition(".")[0]
        bases = without_parameters(current)
        if any(hasattr(getattr(collections.abc, leaf_of(base), None), name) for base in bases):
            return True
        todo += [resolved_name(f"{scope}.{base}", f"py:{base}", dump) for base in bases]
    return False


def resolved_name(local, absolute, dump):
    fact = dump.facts.get(local)
    return resolved(fact, dump)["id"] if fact else absolute


def resolved(fact, dump):
    """The fact of the definition that an imported name refers to."""
    for _ in range(FOLLOWED):
        if fact["kind"] != "pyimport" or fact.get("target") not in dump.facts:
            break
        fact = dump.facts[fact["target"]]
    return fact


def changed(before, after, bound, dumps):
    """Entries for a changed entity. A change is reported where the entity is defined, not again at each import."""
    if bound["kind"] == "pyimport" and before["id"] != bound["id"]:
        return
    if "deprecated" in after and "deprecated" not in before:
        yield entry(after, "deprecated", after=after["deprecated"])
    if before["kind"] in FUNCTIONS and after["kind"] in FUNCTIONS:
        yield from signature_entries(before, after)
        yield from binding_entries(before, after)
    elif before["kind"] != after["kind"] and "pyimport" not in (before["kind"], after["kind"]):
        yield entry(after, "kind", before=before["kind"], after=after["kind"].removeprefix("py"), rank=rank_of_kind(before, after, dumps[1]))
    elif before["kind"] == "pyclass" and without_parameters(before) != without_parameters(after):
        rank = "" if lost_bases(before, *dumps, after) else "info"
        yield entry(after, "bases", before=", ".join(before.get("bases", ())), after=", ".join(after.get("bases", ())), rank=rank)


def rank_of_kind(before, after, dump):
    """The rank of an entity whose kind changed. Callers are not affected if the entity became a property or a class
    whose constructor takes the old arguments, or if it was an attribute that held a class or function."""
    if is_called_alike(before, dump.facts.get(f"{after['id']}.__init__")):
        return "info"
    held = before["kind"] == "pyattribute" and "value" not in before
    if held and after["kind"] == "pyfunction" or before["kind"] == "pyattribute" and (after["kind"] == "pyclass" or "property" in after.get("decorators", ())):
        return "info"
    return "" if {before["kind"], after["kind"]} & {"module", "pyclass"} else "adapt"


def is_called_alike(function, init):
    """True if each call of the old function is also a valid construction of the class."""
    if function["kind"] != "pyfunction" or not init:
        return False
    old, new = (arguments_of(fact.get("signature", "()")) for fact in (function, init))
    if old is None or new is None:
        return False
    own = dict(list(new.items())[1:])  # without `self`
    return old.keys() <= own.keys() and all(name in old or name[0] == "*" or default is not None for name, (_, default) in own.items())


def lost_bases(before, old, new, after):
    """Bases of OLD that are neither direct nor indirect bases in NEW. A base with a leading underscore is private, so
    its own bases are compared instead."""
    kept = {leaf_of(identity) for identity in ancestors(after, new)}
    lost, todo = [], [(before, base) for base in without_parameters(before)]
    while todo:
        fact, base = todo.pop()
        if leaf_of(base) in kept or leaf_of(base) in ("object", "Generic"):
            continue
        private = base_of(fact, base, old) if leaf_of(base).startswith("_") else None
        if leaf_of(base).startswith("_") and not private:
            continue  # the dump has no facts about private bases in an extension module
        if private:
            todo += [(private, one) for one in without_parameters(private)]
        else:
            lost.append(base)
    return lost


def leaf_of(name):
    return name.rpartition(".")[2]


def base_of(fact, base, dump):
    """The class that the name of a base refers to, if the dump has it."""
    scope = fact["id"].rpartition(".")[0]
    found = dump.facts.get(resolved_name(f"{scope}.{base}", f"py:{base}", dump))
    return found if found and found["kind"] == "pyclass" else None


def ancestors(fact, dump):
    """Names of all direct and indirect bases that the dump knows."""
    found, todo = [], [fact]
    while todo:
        current = todo.pop()
        for base in without_parameters(current):
            if base not in found:
                found.append(base)
                todo += [one for one in [base_of(current, base, dump)] if one]
    return found

def without_parameters(fact):
    """Bases without type parameters: `Base[T]` counts as `Base`, and `typing.Dict` as `dict`."""
    names = (base.partition("[")[0] for base in fact.get("bases", ()))
    return [name.lower() if name in TYPING else name for name in names]


def binding_entries(before, after):
    kinds = {"property", "staticmethod", "classmethod"}
    old, new = (set(fact.get("decorators", ())) & kinds for fact in (before, after))
    if old != new:
        yield entry(after, "binding", before=", ".join(old) or "a method", after=", ".join(new) or "a method")


# Kinds of parameters that may be passed by position, and by keyword.
BY_PLACE, BY_NAME = ("place", "plain"), ("plain", "keyword")


def arguments_of(signature):
    """{name: (kind, default text)} in order, or None if the stored text was cut off and does not parse."""
    try:
        node = ast.parse(f"def f{signature}: 0").body[0].args
    except SyntaxError:
        return None
    plain = [*node.posonlyargs, *node.args]
    defaults = [None] * (len(plain) - len(node.defaults)) + list(node.defaults)
    kinds = ["place"] * len(node.posonlyargs) + ["plain"] * len(node.args)
    found = {a.arg: (kind, d and ast.unparse(d)) for a, kind, d in zip(plain, kinds, defaults)}
    found.update((a.arg, ("keyword", d and ast.unparse(d))) for a, d in zip(node.kwonlyargs, node.kw_defaults))
    for star, argument in (("*", node.vararg), ("**", node.kwarg)):
        if argument:
            found[f"{star}{argument.arg}"] = (star, None)
    return found


def signature_entries(before, after):
    if before.get("signature") == after.get("signature"):
        return
    old, new = arguments_of(before.get("signature", "()")), arguments_of(after.get("signature", "()"))
    if old is None or new is None:
        yield entry(after, "argument_order", before=before["signature"], after=after["signature"], rank="info")
        return
    if is_positional(after["id"]) and (len(old) == len(new) or any(kind == "*" for kind, _ in (*old.values(), *new.values()))):
        return
    old = named_as_in(old, new)
    takes_any = any(kind == "**" for kind, _ in new.values())
    package = after["module"].rpartition("/")[0]
    for name in sorted(old.keys() - new.keys()):
        if name[0] != "*" and not takes_any:
            yield entry(after, "argument_removed", before=name, causes={f"argument-:{package}:{name}"})
    for name in sorted(new.keys() - old.keys()):
        if name[0] != "*":
            required = new[name][1] is None
            change = "required_argument" if required else "optional_argument"
            yield entry(after, change, after=name, causes={f"argument+:{package}:{name}"})
    yield from kept_arguments(old, new, after)


def named_as_in(old, new):
    """A renamed positional-only parameter counts as the same parameter, because callers do not pass it by name."""
    others = dict(zip(old, new))
    same = {name for name, other in others.items() if old[name][0] == new[other][0] == "place" and other not in old and name not in new}
    return {others[name] if name in same else name: value for name, value in old.items()}


def same_default(one, other):
    """True for equal defaults. 0 and 0.0 count as equal."""
    try:
        values = [ast.literal_eval(text) for text in (one, other)]
    except (ValueError, SyntaxError, TypeError):
        return False
    return all(type(value) in (int, float) for value in values) and values[0] == values[1]


def is_positional(identity):
    """True for `__exit__` and similar methods, because the interpreter passes their arguments by position."""
    leaf = identity.rpartition(".")[2]
    return leaf.startswith("__") and leaf not in ("__init__", "__new__", "__call__")


def kept_arguments(old, new, after):
    for name in old.keys() & new.keys():
        if old[name][0] in BY_PLACE and new[name][0] == "keyword":
            yield entry(after, "argument_order", before=name, after=f"{name}=...")
        if old[name][0] in BY_NAME and new[name][0] == "place":
            yield entry(after, "positional_only", before=name)
        if old[name][1] != new[name][1] and not same_default(old[name][1], new[name][1]):
            if new[name][1] is None and name[0] != "*":
                yield entry(after, "required_argument", before=old[name][1], after=name)
            elif old[name][1] is not None and not UNKNOWN & {old[name][1], new[name][1]}:
                stands_for = new[name][1] == "None" and old[name][1].startswith(("lambda", "[", "{")) or old[name][1] in NO_DEFAULT
                one = {f"default:{after['module']}:{name}:{old[name][1]} => {new[name][1]}"}
                yield entry(after, "argument_default", before=old[name][1], after=new[name][1], rank="info" if stands_for else "", causes=one)
    kept = [n for n in old if old[n][0] in BY_PLACE and n in new]  # a keyword-only parameter may become positional
    by_place = [n for n in new if new[n][0] in BY_PLACE]
    if [n for n in by_place if n in kept] != [n for n in kept if n in by_place] or by_place[: len(kept)] != kept[: len(by_place)]:
        yield entry(after, "argument_order", before=", ".join(old), after=", ".join(new))
