# SPDX-License-Identifier: BSD-3-Clause
"""Makes the title of a group: one line that states the upstream decision behind all members."""

import re
from collections import Counter

from assay.drift.entry import RANKS, leaf_of

WHOLE = ("class", "enum", "alias", "header", "module", "pyclass", "namespace", "build")
NAMED = 3  # members named in a title
SHARE = 0.6  # if one changed type caused at least this share of the members, the title names it
LONGEST = 60  # longest type in a title, in characters


def title_of(members, words, replaced):
    """`members` are sorted by rank, `words` is the phrase of each change, `replaced(entry)` returns the keys of the
    types whose change caused the entry."""
    first = members[0]
    if first.change == "added" and len(members) > 1:
        return f"new names in {first.header}"
    alike = [entry for entry in members if (entry.change, entry.rank, entry.internal) == (first.change, first.rank, first.internal)]
    if first.kind in WHOLE or len(alike) < 2:
        return f"{first.name}: {words(first.change)}"
    return of_type(members, replaced) or of_owner(alike, words) or of_leaf(alike, words) or f"{first.name}: {words(first.change)}"


def key_of(first, words):
    """The key of a group, taken from its worst member. Labels in noise.tsv use the key, so that a new wording of
    titles does not affect them."""
    return f"new names in {first.header}" if first.change == "added" else f"{first.name}: {words(first.change)}"


MEMBERS = ("method", "constructor", "destructor", "field", "enumerator", "pymethod", "pyattribute", "pyparameter")


def of_type(members, replaced):
    """The title if one type was replaced by another in most members."""
    causes = Counter(cause for entry in members for cause in set(replaced(entry)) if cause.startswith("type:"))
    (cause, count), *_ = causes.most_common(1) or [("", 0)]
    before, arrow, after = cause.removeprefix("type:").partition(" in ")[0].partition(" => ")
    if not arrow or count < 3 or count < SHARE * len(members) or not is_type(before) or not is_type(after):
        return ""
    return f"{tidy(before)} became {tidy(after)}, in {count} places"


def tidy(tokens):
    return re.sub(r" ?([<>,]) ?", r"\1", tokens).replace(",", ", ")


def is_type(text):
    """True for a complete, short type. False for the parts in which two types differ."""
    return "::" in text and len(text) <= LONGEST and text.count("<") == text.count(">") and "type - parameter" not in text


def of_owner(alike, words):
    """The title for members of one class or functions of one header."""
    member = all(entry.kind in MEMBERS for entry in alike)
    owners = {entry.owner.partition(":")[2] if member else entry.header for entry in alike}
    if len(owners) > 1 or not (owner := owners.pop()):
        return ""
    leaves = list(dict.fromkeys(entry.leaf for entry in alike))
    more = f" and {len(leaves) - NAMED} more" if len(leaves) > NAMED else ""
    return f"{owner}: {words(alike[0].change)}: {', '.join(leaves[:NAMED])}{more}"


def of_leaf(alike, words):
    """The title for one function in several classes."""
    if len({leaf_of(entry.id) for entry in alike}) > 1:
        return ""
    owners = {entry.owner for entry in alike}
    return f"{alike[0].leaf} in {len(owners)} classes: {words(alike[0].change)}" if len(owners) > 1 else ""


def worst_first(entries):
    return sorted(entries, key=lambda e: (e.internal, RANKS.index(e.rank), e.kind == "symbol", len(e.owner), e.id))
