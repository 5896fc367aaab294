# SPDX-License-Identifier: BSD-3-Clause
"""Joins the entries that one upstream decision caused: 66 entries about one removed feature become one group.

Entries are joined if they share a cause: their class, a replaced type, a removed header, the operator behind a
generated function, the virtual function that they override, or an argument that many functions gained.
"""

import re

from assay.drift.entry import RANKS, leaf_of, worst
from assay.drift.group_title import key_of, title_of, worst_first
from assay.drift.reaching import reach
from assay.drift.spelling import parameter_types
from assay.facts.dump import owner_of, plain_name

TOKEN = re.compile(r"[\w:]+|\S")
WORD = re.compile(r"(?:\w+::)*\w+")
GENERATED = re.compile(r"ATen/(ops/|core/TensorBody\.h|core/TensorBase\.h|RedispatchFunctions|NativeFunctions)|torch/csrc/autograd/generated/")


MISSING = re.compile(r"'([^']+)' file not found")
KEYWORDS = frozenset(("typename", "template", "unsigned", "signed", "double", "struct", "class", "decltype", "nullptr"))
INT = re.compile(r"\bint\b")
WENT = ("removed", "inactive", "moved", "unreached", "symbol_gone", "kind", "kind_alike", "brought", "overload_merged", "held_by_base")
TEMPLATES = ("template", "template_alike")
MANY = 20  # classes and headers of one library
LONG = 6  # letters; a shorter word does not identify a type


def vanished_types(entries):
    """Returns {name: id} of the removed types. The name without its scope is a key as well if it is unique."""
    found, leaves = {}, {}
    for entry in entries:
        if entry.change == "removed" and entry.kind in ("class", "alias", "enum") and entry.id.startswith("cxx:"):
            found[entry.name] = entry.id
            leaves.setdefault(entry.leaf, []).append(entry.id)
    return {**{leaf: ids[0] for leaf, ids in leaves.items() if len(ids) == 1 and len(leaf) >= LONG}, **found}


def other_names(entries, old, new):
    """Returns {id: key} of removed entities and their replacements if both differ only in name or only in scope.
    Ambiguous replacements are left out."""
    alike = {}
    for entry in entries:
        side = {"removed": old, **dict.fromkeys(CAME, new)}.get(entry.change)
        fact = side.facts.get(entry.id) if side else None
        if fact and entry.kind not in ("class", "enum", "header"):
            alike.setdefault((owner_of(fact["id"]), shape_of(fact)), []).append(entry)
            alike.setdefault((entry.leaf, shape_of(fact)), []).append(entry)
    pairs = (found for found in alike.values() if len(found) == 2 and found[0].change != found[1].change and "removed" in (e.change for e in found))
    return {entry.id: f"renamed:{pair[0].id}" for pair in pairs for entry in pair}


def tell_successors(entries, renamed):
    """Adds a hint with the replacement of a removed entity, if exactly one new entity differs only in its name."""
    came = {key: entry for entry in entries if entry.change in CAME and (key := renamed.get(entry.id))}
    for entry in entries:
        if entry.change == "removed" and (successor := came.get(renamed.get(entry.id))):
            entry.hint = f"{successor.name} came in its place."


def tell_deprecations(entries, old):
    """Adds PyTorch's deprecation messages of deprecated or removed entities."""
    for entry in entries:
        said = old.facts.get(entry.id, {}).get("deprecated") if entry.change == "removed" else entry.after if entry.change == "deprecated" else ""
        if said and said != "deprecated":
            entry.hint = f'{entry.hint} PyTorch {"says" if entry.change == "deprecated" else "said before"}: "{said}"'.strip()


CAME = ("added", "overload_added", "virtual_added", "virtual_refuses", "pure_virtual_added", "field_added", "enumerator_added")


def shape_of(fact):
    """All facts about an entity except its name and line, as text."""
    kept = {key: value for key, value in fact.items() if key not in ("id", "line", "symbol", "library")}
    return repr((parameter_types(fact["id"]) if "(" in fact["id"] else "", sorted(kept.items())))


def replacements(cause, header):
    """Keys of the types that a change replaced. `vector<shared_ptr<N>>` for `vector<intrusive_ptr<N>>` gets the key of
    the plain pair, and an added or removed template argument gets one key wherever the template is used. Many changes
    share the same builtin types, so these are keys only within one header."""
    if not cause.startswith("type:"):
        return [cause]
    before, after = (TOKEN.findall(side) for side in cause.removeprefix("type:").split(" => ", 1))
    whole, at = (before, after), 0
    while before and after and before[0] == after[0]:
        before, after, at = before[1:], after[1:], at + 1
    while before and after and before[-1] == after[-1]:
        before, after = before[:-1], after[:-1]
    where = "" if any(is_telling(word) for word in (before and after and (*before, *after)) or (*whole[0], *whole[1])) else f" in {header}"
    if before and after:
        return [f"type:{' '.join(before)} => {' '.join(after)}{where}"]
    words = [word for word in before or after if "::" in word and not word.startswith("std::")]
    around = enclosing_template(max(whole, key=len), at)
    return [f"{cause}{where}", *(f"argument:{word}" for word in words), *([f"arguments of:{around}"] if around else [])]


def is_telling(word):
    """True for a name of PyTorch. False for names of the language, the standard library or template parameters."""
    return len(word) >= LONG and not word.startswith(("std::", "type-parameter")) and word not in KEYWORDS and word[0].isalpha()


def enclosing_template(tokens, at):
    """The PyTorch template that has the token at this position in its arguments, or ""."""
    depth = 0
    for place in range(min(at, len(tokens) - 1), 0, -1):
        depth += (tokens[place] == ">") - (tokens[place] == "<" and place != at)
        if depth < 0:
            name = tokens[place - 1]
            return "" if name.startswith("std::") else name
    return ""


class Forest:
    """Union-find over keys."""

    def __init__(self):
        self.parents = {}

    def root(self, key):
        while self.parents.setdefault(key, key) != key:
            self.parents[key] = self.parents[self.parents[key]]
            key = self.parents[key]
        return key

    def join(self, one, other):
        self.parents[self.root(one)] = self.root(other)


def group_entries(entries, old, new):
    """Sets entry.group and returns the groups, worst first: {id, title, key, rank, count, internal}."""
    forest = Forest()
    gone = {e.id for e in entries if e.change in WENT}
    vanished = vanished_types(entries)
    replaced = [(e.id, e.before, e.after) for e in entries if e.change == "alias"]
    renamed = other_names(entries, old, new)
    tell_successors(entries, renamed)
    tell_deprecations(entries, old)
    rewritten = {e.leaf: e.id for e in entries if e.kind == "macro" and e.id in renamed}
    rewritten.update((e.leaf, e.id) for e in entries if e.change in TEMPLATES)
    for number, entry in enumerate(entries):
        for cause in (*alias_causes(entry, replaced), *rewriting_causes(entry, renamed, rewritten)):
            forest.join(number, cause)
        for cause in causes_of(entry, gone, vanished, old, new):
            forest.join(number, cause)
    join_hidden(entries, forest)
    join_errors(entries, forest, new)
    join_new(entries, forest)
    groups = [describe(found) for found in parts_of(entries, forest).values()]
    groups.sort(key=lambda group: (group["internal"], RANKS.index(group["rank"]), group["title"]))
    for number, group in enumerate(groups, 1):
        group["id"] = f"G{number}"
        for entry in group.pop("members"):
            entry.group = group["id"]
    return [{"id": g["id"], "title": g["title"], "key": g["key"], "rank": g["rank"], "count": g["count"], "internal": g["internal"]} for g in groups]


def parts_of(entries, forest):
    """Returns {root: its entries}."""
    parts = {}
    for number, entry in enumerate(entries):
        parts.setdefault(forest.root(number), []).append(entry)
    return parts


def join_new(entries, forest):
    """Joins the additions in a header. Additions that belong to a group stay in their group, because additions alone
    must not join two groups."""
    parts = parts_of(entries, forest)
    only_new = {root for root, found in parts.items() if all(entry.change == "added" for entry in found)}
    for number, entry in enumerate(entries):
        if forest.root(number) in only_new:
            forest.join(f"new:{entry.header}", number)
            only_new.add(forest.root(number))


def join_hidden(entries, forest):
    """Joins the lost exports of a library that now hides its symbols. Such a library loses many exports in many places.
    One or two classes that lost their export macro stay separate groups."""
    hidden, places = {}, {}
    for number, entry in enumerate(entries):
        if entry.change == "not_exported":
            hidden.setdefault(entry.before, []).append(number)
            places.setdefault(entry.before, set()).add((entry.header, entry.owner))
    for library, numbers in hidden.items():
        for number in numbers if len(places[library]) >= MANY else ():
            forest.join(number, f"hidden:{library}")


def join_errors(entries, forest, new):
    """Joins a header that no longer parses with the change that caused the error: the change that the message names, or
    the only candidate. Otherwise the error stays in a separate group."""
    broken = [(number, e) for number, e in enumerate(entries) if e.change == "no_longer_parses"]
    unsure = {entry.header: number for number, entry in broken}
    suspects = []
    for number, entry in enumerate(entries):
        if entry.header in unsure and is_guess(entry):
            forest.join(number, unsure[entry.header])
        elif entry.kind != "header" and entry.rank in ("break", "adapt"):
            suspects.append((number, entry))
    for number, entry in broken:
        if missing := MISSING.search(entry.after):
            forest.join(number, f"header:{missing[1]}")
            continue
        near = reach(new, entry.header)
        reached = [(at, e) for at, e in suspects if e.header in near]
        named = [at for at, e in reached if f"'{e.leaf}'" in entry.after]
        roots = {forest.root(at) for at in named or [at for at, _ in reached]}
        if len(roots) == 1 and ("'" in entry.after or "overrid" in entry.after or any(e.header == entry.header for _, e in reached)):
            forest.join(number, roots.pop())


def is_guess(entry):
    """True if the type is `int` only because the compiler continues with `int` after an unknown type."""
    return INT.search(entry.after) is not None and not INT.search(entry.before)


def causes_of(entry, gone, vanished, old, new):
    yield f"entity:{plain_name(entry.id)}"
    for cause in entry.causes:
        yield from replacements(cause, entry.header)
    if entry.change in WENT:
        owner = owner_of(entry.id)
        yield f"gone:{entry.header}:{owner}"
        if owner in gone:
            yield f"entity:{owner}"
        home = entry.before if entry.change == "moved" else entry.header
        if f"header:{home}" in gone:
            yield f"header:{home}"
    if entry.change == "base_removed":
        yield f"gone:{entry.header}:{entry.id}"
    if entry.change in ("enumerator_added", "count", "value"):
        yield f"enum:{entry.owner}"
    if entry.change in ("pure_virtual_added", "virtual_added", "virtual_refuses"):
        yield f"virtuals:{entry.owner}"
    if entry.change in ("field_added", "layout"):
        yield f"fields:{entry.owner}"
    if entry.kind == "class" and "<" in entry.id:
        yield f"entity:{entry.id.partition('<')[0]}"  # the template of which the entity is a specialisation
    if entry.change in TEMPLATES:
        yield from replacements(f"type:{entry.before} => {entry.after}", entry.header)
    if entry.change == "body":
        yield f"bodies:{entry.owner}"
    if entry.change == "const":
        yield f"const:{entry.header}:{entry.leaf}({', '.join(parameter_types(entry.id)[0])})"
    if entry.kind == "macro":  # a series such as IS_PYTHON_3_11_PLUS, IS_PYTHON_3_12_PLUS
        yield f"macros:{entry.header}:{entry.change}:{re.sub('[0-9]+', '#', entry.leaf)}"
    if entry.id in ("build:cxx_standard", "build:cxx_floor"):
        yield "build:standard"
    for base in {base for dump in (old, new) for base in dump.facts.get(entry.id, {}).get("overrides", ())}:
        yield f"entity:cxx:{plain_name('cxx:' + base).partition(':')[2]}"
    for name in WORD.findall(f"{entry.before} {entry.id.partition('(')[2]}"):
        identity = vanished.get(name) or vanished.get(name.rpartition("::")[2])
        if identity and identity != entry.id and f":{identity}".endswith(f":{name}"):
            yield f"entity:{identity}"
    if entry.kind == "op":
        yield operator_family(entry.name.partition("::")[2])
    elif GENERATED.match(entry.header):
        yield operator_family(OP_HEADER.sub("", entry.header.split("/")[-1]) if entry.kind == "header" else leaf_of(entry.id))


OP_HEADER = re.compile(r"(_native|_ops|_meta|_composite\w+_dispatch|_meta_dispatch|_c\w+_dispatch)?\.h$")


def operator_family(name):
    """The common name of add.Tensor, add_, add_out, at::add and ATen/ops/add_native.h."""
    return f"op:aten::{re.sub(r'(_outf|_symint|_out|_copy|(?<=[a-z0-9])_)?([.].*)?$', '', name)}"


def alias_causes(entry, replaced):
    """The causes if a signature differs only because an alias has a new meaning."""
    for cause in entry.causes:
        before, _, after = cause.removeprefix("type:").partition(" => ") if " => " in cause else ("", "", "")
        for identity, old, new in replaced:
            if old in before and new in after:
                yield f"entity:{identity}"


def rewriting_causes(entry, renamed, rewritten):
    """Causes of renamed entities, and of macros and templates that differ only in a renamed entity."""
    if entry.id in renamed:
        yield renamed[entry.id]
    if entry.change in ("macro_body", "template_default", *TEMPLATES):
        for word in set(WORD.findall(entry.before)) & rewritten.keys():
            yield f"entity:{rewritten[word]}"


def describe(members):
    members = worst_first(members)
    visible = [e.rank for e in members if not e.internal] or [e.rank for e in members]
    return {"title": title_of(members, words_of, replaced), "key": key_of(members[0], words_of), "rank": worst(visible), "count": len(members),
            "internal": all(e.internal for e in members), "members": members}  # fmt: skip


def words_of(change):
    return WORDS.get(change, change.replace("_", " "))


def replaced(entry):
    return [key for cause in entry.causes for key in replacements(cause, entry.header)]


WORDS = {
    "removed": "removed", "added": "new", "moved": "declared elsewhere", "signature": "another signature", "const": "const changed",
    "pure_virtual_added": "new pure virtual", "virtual_added": "new virtual", "virtual_refuses": "new virtual that refuses", "enumerator_added": "new enumerator",
    "body": "its default does something else", "returns": "another result type", "returns_number": "another result type", "returns_alike": "another result type",
    "template_default": "another default argument", "template_alike": "a template written another way", "taken_alike": "takes its arguments another way",
    "explicit": "explicit now", "scoped": "scoped another way", "overload_ambiguous": "an overload as good as another", "brought": "brought in from another scope", "overload_merged": "one overload less", "held_by_base": "in its base class now", "moved_along": "declared elsewhere", "layout": "moved among its fields", "field_default": "another default", "not_exported": "declared but not exported", "type": "another type", "type_number": "another type", "alias": "means something else",
    "count": "another count", "value": "another value", "constant": "another value", "macro_arity": "other parameters",
    "schema": "another schema", "schema_default": "new optional argument in the schema", "computed": "computed elsewhere",
    "computed_kernel": "needs a kernel now", "required_argument": "needs another argument", "optional_argument": "takes another argument",
    "argument_removed": "lost an argument", "argument_default": "another default", "default": "another default",
    "same_words": "the same words mean another type", "kind": "another kind of thing", "kind_alike": "another kind of thing",
    "unreached": "no header that the backend includes still includes its header", "final": "final now", "became_pure": "pure virtual now",
    "no_longer_virtual": "no longer virtual", "access_narrowed": "no longer accessible", "deprecated": "deprecated", "bases": "other base classes",
    "parameter_added": "takes another parameter", "parameter_slides": "takes another parameter", "parameter_removed": "lost a parameter", "optional_parameter_added": "takes an optional parameter",
    "positional_only": "no longer takes an argument by name", "cxx_standard": "another standard of C++", "cxx_floor": "headers refuse older standards of C++", "library_abi": "another ABI of the standard library", "brings_less": "brings along less", "not_alone": "no longer compiles on its own", "no_longer_parses": "does not parse any more", "inactive": "behind a condition now", "symbol_gone": "no longer exported",
}  # fmt: skip
