# SPDX-License-Identifier: BSD-3-Clause
"""Finds the backends that each difference affects: entries of `assay drift` combined with the files of `assay uses`.

The table in entry.py states the meaning of a change for each way of use. This module finds the uses: by name, by class
or enumeration, or by a name of the backend that now collides. The module also lowers the rank if a use is not affected,
for example if a call does not pass the changed argument.
"""

import functools
import re

from assay.drift.compare_headers import LOST
from assay.drift.entry import OF_THE_OWNER
from assay.drift.reaching import reach
from assay.drift.unknown import count_unknown
from assay.facts import dump

BREAKS, LOOK = "breaks", "look"
VERDICTS = {"break": BREAKS, "adapt": LOOK, "behaviour": LOOK, "deprecated": LOOK}
ORDER = ("break", "adapt", "behaviour", "deprecated", "abi", "info")

# the cache is effective because all backends use the same entities
owner_of = functools.cache(dump.owner_of)
plain_name = functools.cache(dump.plain_name)

ADDITIONS = {"added", "enumerator_added", "overload_added", "pure_virtual_added", "virtual_added", "virtual_refuses", "field_added"}
# these changes also affect all members of the entity
WHOLE = {"removed", "inactive"}
WORDS = {"derive": "derives from", "override": "overrides", "call": "calls", "name": "names", "switch": "has a table or switch over",
         "field": "reads the field", "expand": "expands", "include": "includes", "address": "takes the address of",
         "specialise": "specialises", "define": "defines the same name as", "aggregate": "initialises by braces", "import": "imports",
         "vtable": "lays out the virtual table of", "typeinfo": "needs the type of", "register": "registers a kernel for",
         "dispatch": "calls", "subclass": "subclasses", "patch": "replaces", "read": "reads", "copy": "keeps a copy of"}  # fmt: skip


# Scopes of the functions generated from operators, and the suffixes that the generator adds to an operator's name.
STRUCT = re.compile(r"cxx:(at::_ops::\w+)")  # one struct per overload
GENERATED = re.compile(r"(?:cxx:at::(?:Tensor::|_ops::|native::)?|header:ATen/ops/|py:torch\.(?:Tensor\.)?)(?P<name>\w+?)(?:_outf?|_symint)*(?:\.h)?")


class Names:
    """Resolves an identity in a file of uses in OLD: a symbol to its function, a re-export to its definition."""

    def __init__(self, old):
        self.dump = old
        self.facts = old.facts if old else {}
        self.by_symbol = old.by_symbol if old else {}
        self.known, self.operators, self.structs = {}, {}, {}
        for id, fact in self.facts.items():
            if fact["kind"] == "op":
                name = id.removeprefix("op:aten::")
                self.operators.setdefault(name.partition(".")[0], []).append(id)
                self.structs["at::_ops::" + name.replace(".", "_")] = [id]

    @functools.cached_property
    def overloads(self):
        """Returns {name of a function in `at`: [its overloads]}."""
        found = {}
        for id in self.facts:
            if id.startswith("cxx:at::") and "(" in id:
                found.setdefault(plain_name(id), []).append(id)
        return found

    def operators_of(self, id):
        """All overloads of the operator behind a generated function. The function's header and Python name are
        generated as well."""
        if struct := STRUCT.match(id):
            return self.structs.get(struct[1], ())
        found = GENERATED.fullmatch(plain_name(id))
        return self.operators.get(found["name"], ()) if found else ()

    def meanings(self, id):
        """The identity as written, and the identities that it refers to."""
        if id.startswith("symbol:"):
            fact = self.by_symbol.get(id[7:])
            return [id, fact["id"]] if fact else [id]
        if id.startswith("py:"):
            origin = self.origin(id)
            return [id] if origin == id else [id, origin]
        return [id]

    def origin(self, id, depth=0):
        """The definition of a Python name, found through imports and base classes."""
        if id in self.known:
            return self.known[id]
        self.known[id] = id  # ends the recursion if imports form a cycle
        found = self._origin(id, depth)
        self.known[id] = found
        return found

    def _origin(self, id, depth):
        fact = self.facts.get(id)
        if depth > 16:
            return id
        if fact and fact.get("kind") == "pyimport" and fact.get("target"):
            target = fact["target"]
            return self.origin(target if target.startswith("py:") else f"py:{target}", depth + 1)
        if fact:
            return id
        owner, _, leaf = id.rpartition(".")
        if not owner.startswith("py:"):
            return id
        home = self.origin(owner, depth + 1)
        if home != owner:
            return self.origin(f"{home}.{leaf}", depth + 1)
        for base in self.facts.get(home, {}).get("bases", ()):
            inherited = self.origin(f"{self._base(home, base)}.{leaf}", depth + 1)
            if inherited in self.facts:
                return inherited
        return id

    def _base(self, home, base):
        """Resolves a base as the class names it: relative to its module, or as an absolute name."""
        name = base if isinstance(base, str) else base.get("name", "")
        name = name.removeprefix("py:")
        local = f"{home.rpartition('.')[0]}.{name}"
        return local if local in self.facts else f"py:{name}"


    def above(self, use):
        """All bases of a class from which a library derives. The library's record names only the nearest base."""
        if "binary" not in use["ways"].get("derive", ()):
            return []
        found, waiting = [], [use["id"]]
        while waiting:
            for base in self.facts.get(waiting.pop(), {}).get("bases", ()):
                id = f"cxx:{base['name'].partition('<')[0]}"
                if id not in found and id != use["id"]:
                    found.append(id)
                    waiting.append(id)
        return found


class Uses:
    """One file of uses, indexed for queries."""

    def __init__(self, document, names, new=None):
        self.document, self.names = document, names
        self.by_id, self.by_plain, self.inside, self.defined = {}, {}, {}, {}
        for entry in document["entries"]:
            if set(entry["ways"]) == {"define"}:
                self._define(entry)
                continue
            for id in names.meanings(entry["id"]):
                self._add(id, entry)
            for id in names.above(entry):
                self._add(id, {**entry, "ways": {"derive": entry["ways"]["derive"]}})
            for id in names.operators_of(entry["id"]):
                self._add(id, {**entry, "ways": {"dispatch": []}, "flags": self._flags(entry["id"], names, new)})
            if "define" in entry["ways"]:
                self._define(entry)
        self.copied = {entry["id"]: entry for entry in document["entries"] if "copy" in entry["ways"]}
        self.keys = self.by_id.keys() | self.by_plain.keys() | self.inside.keys() | self.defined.keys() | {f"copied:{id}" for id in self.copied}
        self.built = {way: entry for entry in document["entries"] for way in ("include", "import") if way in entry["ways"] and not entry["id"].startswith("py:")}
        self.keys |= {f"built:{way}" for way in self.built}
        self.lost = self._lost(names.dump, new) if new else {}
        self.keys |= {f"{LOST}{header}" for header in self.lost}

    def _flags(self, id, names, new):
        """Sets flags for the parts of a removed entity that NEW still has. If an operator is removed, its Python
        function may remain. If an overload is removed, the function may remain, and the header remains if another
        overload exists."""
        if id.startswith("py:"):
            return ["string"]
        if new and id in new.facts:
            if id.startswith("header:"):
                return ["stays"] if any(operator in new.facts for operator in names.operators_of(id)) else []
            if any(other not in new.facts for other in names.overloads.get(plain_name(id), ())):
                return ["stays"]
        return []

    def _lost(self, old, new):
        """Returns {header that the backend's includes no longer reach: entities that the backend uses from it}."""
        included = [id.partition(":")[2] for id in self.by_id if id.startswith("header:")]
        was, now = (set().union(*(reach(dump, name) for name in included)) for dump in (old, new))
        lost = {name for name in was - now if f"header:{name}" in new.facts}
        found = {}
        for id, entries in self.by_id.items() if lost else ():
            if (header := old.facts.get(id, {}).get("header")) in lost and id.startswith(("cxx:", "macro:")):
                found.setdefault(header, []).extend(entries)
        return found

    def _add(self, id, entry):
        self.by_id.setdefault(id, []).append(entry)
        plain = plain_name(id)
        if plain != id:
            self.by_plain.setdefault(plain, []).append(entry)
        for owner in _owners(id):
            self.inside.setdefault(owner, []).append(entry)

    def _define(self, entry):
        self.defined.setdefault(plain_name(entry["id"]), []).append(entry)
        self.defined.setdefault("leaf:" + _leaf(entry["id"]), []).append(entry)

    def named(self, id):
        """Uses of exactly this entity. If the overload is unknown on one side, returns the uses of all overloads."""
        found = list(self.by_id.get(id, ()))
        plain = plain_name(id)
        if plain == id:
            found += self.by_plain.get(id, ())
        else:
            found += self.by_id.get(plain, ())
        return found

    def includes(self, header):
        return f"header:{header}" in self.by_id

    def overrides(self, id):
        return any("override" in use["ways"] for use in self.by_id.get(id, ()))


@functools.cache
def _owners(id):
    found = []
    while (id := owner_of(id)).partition(":")[2]:
        found.append(id)
    return tuple(found)


@functools.cache
def _leaf(id):
    return re.split(r"::|\.", plain_name(id).partition(":")[2])[-1]


# --- facts about a use that change its rank ------------------------------------------------------


def _soften(entry, way, use, rank, uses):
    """Returns the rank for this use. The rank is lower if the change affects this use less."""
    flags = use.get("flags", ())
    if way == "dispatch" and entry.change == "removed" and "stays" in flags:
        return "info"
    if way == "include" and entry.change in ("cxx_floor", "cxx_standard") and (compiled := uses.document.get("standard")):
        return "info" if int(compiled) >= int(entry.after) else "break" if entry.change == "cxx_floor" else rank
    if rank == "break" and way == "derive" and ("unsure" in flags or (entry.change == "became_pure" and use["ways"][way] == ["binary"])):
        return "adapt"  # the class may be PyTorch's own, or it may override functions that the library does not show
    if way == "override" and "no_override" in flags and entry.change not in ("removed", "final", "returns", "returns_number", "noexcept"):
        # Without `override`, the compiler reports no error. If the function is pure, the class becomes abstract.
        return rank if "= 0" in entry.before else "behaviour"
    if way == "override" and "no_override" in flags and entry.change == "removed":
        return "behaviour"
    if way == "call" and use.get("arguments") and entry.id.startswith("py:"):
        return _soften_call(entry, use["arguments"], rank)
    if entry.change == "same_words" and "adl" in flags and not _is_found_by_arguments(entry):
        return "break"
    if rank == "break" and "candidate" in flags and len(set(flags)) == 1 and way == "call":
        return "adapt"
    if way == "register" and "wrapped" in flags and entry.change in ("schema", "schema_default"):
        return "adapt" if entry.change == "schema" else "info"
    if rank == "break" and "string" in flags:
        return "adapt"
    if entry.change == "unreached" and uses.includes(entry.header):
        return "info"
    if way == "read" and "optional" in flags and rank == "break":
        return "behaviour"
    return rank


def _is_found_by_arguments(entry):
    """True if argument-dependent lookup with the new types still finds the function's namespace."""
    home, types = _owners(plain_name(entry.id))[:1], entry.id.partition("(")[2]
    for cause in entry.causes:
        before, arrow, after = cause.removeprefix("type:").partition(" => ")
        types = types.replace(before, after) if arrow else types
    return not home or re.search(rf"(?<![\w:]){re.escape(home[0].partition(':')[2])}::", types)


def _parameter_of(entry):
    """The parameter that a Python change concerns, from the id py:f(name), or from the old or new name."""
    inside = re.search(r"\((\w+)\)$", entry.id)
    if inside:
        return inside[1]
    text = entry.before if entry.change == "argument_removed" else entry.after
    return text if re.fullmatch(r"\w+", text or "") else ""


def _soften_call(entry, arguments, rank):
    if entry.change == "argument_removed":
        name = _parameter_of(entry)
        passes = [name in keywords or "**" in keywords or count != 0 for count, keywords in arguments]
        certain = any(name in keywords for _, keywords in arguments)
        return rank if certain or not name else ("adapt" if any(passes) else "info")
    if entry.change == "required_argument":
        name = _parameter_of(entry)
        lacking = [name not in keywords and "**" not in keywords for _, keywords in arguments]
        return rank if not name or any(lacking) else "info"
    if entry.change == "positional_only":
        return rank if any(entry.before in keywords or "**" in keywords for _, keywords in arguments) else "info"
    if entry.change == "argument_order":
        return rank if any(count > 1 or count < 0 for count, _ in arguments) else "info"
    return rank


# --- finding uses --------------------------------------------------------------------------------


def _hit(entry, way, use, uses, rank=None):
    rank = rank or entry.hits.get(way)
    return (way, use, _soften(entry, way, use, rank, uses)) if rank else None


@functools.cache
def _target(id):
    """Returns the function of a Python parameter. Any other entity is returned unchanged."""
    return re.sub(r"\(\w+\)$", "", id) if id.startswith("py:") else id


def _keys(entry):
    """The identities by which a use of the entry can be found. With these keys, the search skips the many entries that
    affect no backend."""
    target = _target(entry.id)
    keys = {target, plain_name(target), entry.id}
    if entry.change in OF_THE_OWNER:
        keys.add(entry.owner)
    if entry.id.startswith("py:"):
        keys |= {f"copied:{owner}" for owner in _owners(target)}
    if entry.id.startswith("build:"):
        keys |= {f"built:{way}" for way in entry.hits}
    if entry.change == "brings_less":
        keys |= entry.causes
    if entry.change in ADDITIONS:
        leaf = _leaf(entry.id)
        keys |= {plain_name(entry.id), f"macro:{leaf}", f"leaf:{leaf}"}
    return keys


def _direct(entry, uses):
    for use in uses.named(_target(entry.id)):
        for way in _noticing(use):
            if way != "define":
                yield _hit(entry, way, use, uses)


def _noticing(use):
    """Only the linker resolves a function that the backend declares itself, as for an imported symbol."""
    return [*use["ways"], "import"] if "redeclared" in use.get("flags", ()) else use["ways"]


def _implements_already(entry, uses):
    """True if the change concerns only the body of a function that the class overrides."""
    return entry.change in ("became_pure", "body") and uses.overrides(entry.id)


def _through_owner(entry, uses):
    """Uses of the owner. A changed member affects code that derives from the class or initialises the class. A changed
    enumerator affects switches over the enumeration."""
    if entry.change not in OF_THE_OWNER or _implements_already(entry, uses):
        return
    for use in uses.by_id.get(entry.owner, ()):
        for way in ("derive", "switch", "aggregate", "vtable", "subclass"):
            if way in use["ways"] and way in entry.hits:
                has_it = entry.change == "pure_virtual_added" and plain_name(entry.id) in uses.defined
                yield _hit(entry, way, use, uses, "adapt" if has_it else None)


def _inside(entry, uses):
    if entry.change in WHOLE and entry.kind in ("class", "enum", "module", "pyclass", "namespace"):
        for use in uses.inside.get(entry.id, ()):
            for way in use["ways"]:
                if way != "define":
                    yield _hit(entry, way, use, uses)


def _mirrored(entry, uses):
    """Uses by copy. If a backend copied a module, each change of the module affects the backend, even an addition."""
    for owner in () if entry.internal else _owners(_target(entry.id)):
        if owner in uses.copied:
            yield "copy", uses.copied[owner], "adapt"


def _collisions(entry, uses):
    """New names in PyTorch that the backend also defines."""
    if entry.change not in ADDITIONS:
        return
    leaf = _leaf(entry.id)
    if entry.kind == "macro":
        found = uses.defined.get("leaf:" + leaf, ())
    else:
        found = [*uses.defined.get(plain_name(entry.id), ()), *uses.defined.get(f"macro:{leaf}", ())]
    for use in found:
        # A function with other parameters becomes an overload; a member hides or overrides another member. A person
        # must look at both cases.
        certain = entry.kind in ("macro", "class", "enum", "alias", "variable") or use["id"].startswith("macro:")
        yield _hit(entry, "define", use, uses, "break" if certain else "behaviour")
    if entry.id.startswith("py:"):
        for use in uses.named(entry.id):
            for way in {"patch", "override"} & set(use["ways"]):
                yield _hit(entry, way, use, uses, "behaviour")


def _brought_along(entry, uses):
    """Uses of a header that the backend's includes no longer reach."""
    for cause in entry.causes if entry.change == "brings_less" else ():
        for use in uses.lost.get(cause.removeprefix(LOST), ()):
            yield "name", use, "adapt"


def _built(entry, uses):
    """Changes of build settings affect every backend that includes or links PyTorch. Only one use is reported."""
    for way in entry.hits if entry.id.startswith("build:") else ():
        if use := uses.built.get(way):
            yield _hit(entry, way, use, uses)
            return


def _hits(entry, uses):
    seen = set()
    for finder in (_direct, _through_owner, _inside, _collisions, _mirrored, _brought_along, _built):
        for hit in finder(entry, uses):
            if hit and (hit[0], hit[1]["id"]) not in seen:
                seen.add((hit[0], hit[1]["id"]))
                yield hit


# --- output --------------------------------------------------------------------------------------


def _reason(entry, hits):
    way, use, _ = min(hits, key=lambda hit: ORDER.index(hit[2]))
    place = f" ({use['where'][0]})" if use.get("where") else ""
    flags = use.get("flags", ())
    silent = " without the keyword override" if way == "override" and "no_override" in flags else ""
    name = use["id"].partition(":")[2]
    copied = way == "copy" and use["id"] != _target(entry.id)
    advice = f"{entry.name} changed in PyTorch: check whether the copy must change too." if copied else entry.advice
    return f"{WORDS[way]} {name}{silent}{place}. {advice}"


def _entry_json(entry, hits):
    rank = min((hit[2] for hit in hits), key=ORDER.index)
    where = []
    for _, use, _ in hits:
        where += [place for place in use.get("where", ()) if place not in where]
    return {"id": entry.id, "change": entry.change, "verdict": VERDICTS[rank], "rank": rank,
            "ways": sorted({hit[0] for hit in hits}), "uses": sorted({hit[1]["id"] for hit in hits}),
            "reason": _reason(entry, hits), "where": where[:6], "group": entry.group}  # fmt: skip


def cross_one(entries, uses):
    """The result for one backend: the entries with their keys, and the numbers of uses that break, that a person must
    look at, and that are unaffected."""
    found, broken, looked = [], set(), set()
    for entry, keys in entries:
        if uses.keys.isdisjoint(keys):
            continue
        hits = [hit for hit in _hits(entry, uses) if hit[2] in VERDICTS]
        if not hits:
            continue
        made = _entry_json(entry, hits)
        found.append(made)
        (broken if made["verdict"] == BREAKS else looked).update(made["uses"])
    found.sort(key=lambda made: (ORDER.index(made["rank"]), made["id"]))
    used = {entry["id"] for entry in uses.document["entries"]}
    unknown = count_unknown((entry for entry, _ in entries), uses.document, {plain_name(made["id"]) for made in found}, uses.names.facts)
    return {"name": uses.document["name"], "torch": uses.document.get("torch", []), "breaks": len(broken),
            "look": len(looked - broken), "safe": len(used - broken - looked), "unknown": unknown, "entries": found}  # fmt: skip


def cross(entries, documents, old=None, new=None):
    """Results of all backends, in the order of the documents."""
    entries, names = [(entry, _keys(entry)) for entry in entries], Names(old)
    return [cross_one(entries, Uses(document, names, new)) for document in documents]

