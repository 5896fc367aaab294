# SPDX-License-Identifier: BSD-3-Clause
"""Compares the base classes of a class. A derived class also inherits the virtual functions of a new base."""

from assay.drift.entry import Entry, leaf_of
from assay.drift.internal import is_internal
from assay.drift.spelling import declaration, spelled
from assay.facts.dump import owner_of


def base_entries(before, after, old, new):
    """Entries for changed bases. A base that is now inherited through another base is not reported."""
    was, now = ({spelled(base["name"]): base["access"] for base in fact.get("bases", ())} for fact in (before, after))
    above = ancestors(after["id"], new)
    for name in sorted(was.keys() - now.keys()):
        # std::iterator contributes only names that the derived class declares itself.
        if f"cxx:{name}" not in above and not name.startswith("std::iterator<"):
            yield entry(after, "base_removed", before=name)
    for name in sorted(now.keys() - was.keys()):
        yield entry(after, "base_added", after=name)
    for name in was.keys() & now.keys():
        if was[name] == "public" != now[name]:
            yield entry(after, "base_removed", before=f"public {name}")
    if now.keys() - was.keys():
        yield from brought_virtuals(before, after, old, new)


def entry(fact, change, **more):
    more.setdefault("internal", is_internal(fact["id"], fact["header"]))
    return Entry(fact["id"], fact["kind"], change, fact["header"], fact.get("line", 0), **more)


def ancestors(identity, dump):
    """Ids of all base classes, nearest first, without template arguments."""
    found, waiting = [], [identity]
    while waiting:
        for base in dump.facts.get(waiting.pop(0), {}).get("bases", ()):
            name = f"cxx:{base['name'].partition('<')[0]}"
            if name not in found and name != identity:
                found.append(name)
                waiting.append(name)
    return found


def brought_virtuals(before, after, old, new):
    """The virtual functions from new bases that the class neither had before nor declares itself."""
    known = {leaf_of(member["id"]) for above in (before["id"], *ancestors(before["id"], old)) for member in old.members_of(above)}
    own = {leaf_of(member["id"]) for member in new.members_of(after["id"]) if member.get("virtual")}
    for above in ancestors(after["id"], new):
        if above in ancestors(before["id"], old):
            continue
        for member in new.members_of(above):
            how = member.get("virtual")
            if how in ("pure", "virtual") and member["kind"] == "method" and leaf_of(member["id"]) not in known | own and not after.get("final"):
                yield brought(member, after, how)


def brought(member, after, how):
    change = "pure_virtual_added" if how == "pure" else "virtual_refuses" if member.get("throws") else "virtual_added"
    causes = {f"bases:{after['id']}", f"brought:{owner_of(member['id'])}"}
    return entry(member, change, after=declaration(member), owner=after["id"], causes=causes, internal=is_internal(after["id"], after["header"]))


def unseen_virtuals(ours, theirs):
    """New pure virtual functions of classes that only ctags sees, such as those in headers of another backend. Only
    derived classes are affected."""
    for identity, fact in theirs.items():
        owner = ours.get(owner_of(identity))
        if fact.get("virtual") == "pure" and "seen" in fact and identity not in ours and owner and "seen" in owner:
            yield entry(fact, "pure_virtual_added", after=f"{fact['kind']} {leaf_of(identity)}, pure virtual", internal=True)
