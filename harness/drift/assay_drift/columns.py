# SPDX-License-Identifier: BSD-3-Clause
"""Facts by columns, as a dump stores them: what stands together is alike, and what follows from the row before is left out.

A table holds the facts of one kind, file after file. Of each it keeps what differs: the file and the class where they change, the line
as a distance, a type only where the id does not spell it. `facts_of` gives back exactly what `tables_of` was given.
"""

from itertools import accumulate
from os.path import commonprefix

from .dump import owner_of
from .pyfacts import module_name
from .spelling import parameter_types

SEPARATOR = "\t"  # between the parts of a list that is stored as one text
MOST = 1 << 22  # facts of one table; a file that claims more is no dump


def tables_of(facts):
    """[{"kind", "seen", "count", "columns"}] of facts in any order."""
    tables = {}
    for fact in sorted(facts, key=lambda fact: (fact.get(place_key(fact["id"]), ""), fact.get("line", 0), fact["id"])):
        tables.setdefault((fact["kind"], fact.get("seen", "")), []).append(fact)
    return [pack(kind, seen, tables[kind, seen]) for kind, seen in sorted(tables)]


def facts_of(table):
    """The facts of one table; whatever is wrong with it is a ValueError, KeyError, TypeError or IndexError."""
    count = table["count"]
    if not 0 <= count <= MOST:
        raise ValueError(count)
    columns = [(key, spread(column, count)) for key, column in table["columns"].items()]
    fixed = {"kind": table["kind"], **({"seen": table["seen"]} if table["seen"] else {})}
    row = Row()
    for at in range(count):
        yield row.restored({**fixed, **{key: column[at] for key, column in columns if column[at] is not None}})


def pack(kind, seen, facts):
    row = Row()
    rows = [row.shortened({key: value for key, value in fact.items() if key not in ("kind", "seen")}) for fact in facts]
    keys = sorted({key for short in rows for key in short})
    columns = {key: gathered([short.get(key) for short in rows]) for key in keys}
    return {"kind": kind, "seen": seen, "count": len(rows), "columns": columns}


def gathered(values):
    """A column: all its values, or those it has and the distances between their rows."""
    at = [number for number, value in enumerate(values) if value is not None]
    if 2 * len(at) > len(values):
        return values
    return {"steps": [after - before for before, after in zip([0, *at], at)], "values": [values[number] for number in at]}


def spread(column, count):
    if isinstance(column, list):
        return column
    values = [None] * count
    for number, value in zip(accumulate(column["steps"]), column["values"]):
        values[number] = value
    return values


def place_key(identity):
    """Where a fact tells its file."""
    return "module" if identity.startswith("py:") else "header"


class Row:
    """Memory of the row before. `shortened` leaves out what follows from it, `restored` adds it again."""

    def __init__(self):
        self.place, self.line, self.scope = "", 0, ""

    def shortened(self, row):
        place, line, identity = row.pop(place_key(row["id"]), ""), row.get("line"), row.pop("id")
        if place != self.place:
            kept = len(commonprefix((place, self.place)))
            row["kept"], row["place"], self.place, self.line = kept, place[kept:], place, 0
        if line is not None:
            row["line"], self.line = line - self.line, line
        shorten_parameters(row, identity)
        self.shorten_name(row, identity)
        return row

    def restored(self, row):
        if "place" in row:
            self.place, self.line = self.place[: row.pop("kept")] + row.pop("place"), 0
        if "line" in row:
            row["line"] = self.line = row["line"] + self.line
        identity = row["id"] = self.restored_name(row)
        restore_parameters(row, identity)
        if self.place:
            row[place_key(identity)] = self.place
        return row

    def shorten_name(self, row, identity):
        """The scope where it changes, of Python without the module; what is imported under its own name tells from where."""
        if identity == f"header:{self.place}":
            return
        scope = owner_of(identity)
        leaf = row["leaf"] = identity[len(scope) :]
        if scope != self.scope:
            module = module_scope(self.place)
            inside = scope.startswith("py:") and scope.startswith(module)
            row["inside" if inside else "scope"] = scope[len(module) :] if inside else scope
            self.scope = scope
        if scope and row.get("target", "").endswith(leaf):
            row["from"] = row.pop("target").removesuffix(leaf)

    def restored_name(self, row):
        if "leaf" not in row and self.place:
            return f"header:{self.place}"
        leaf = row.pop("leaf")
        if "inside" in row:
            self.scope = module_scope(self.place) + row.pop("inside")
        self.scope = row.pop("scope", self.scope)
        if "from" in row:
            row["target"] = row.pop("from") + leaf
        return self.scope + leaf


def module_scope(place):
    return f"py:{module_name(place)}"


def shorten_parameters(row, identity):
    """Of a function: three texts; a type that the id spells is left out."""
    parameters = row.get("parameters")
    if not parameters or not isinstance(parameters[0], dict):
        return
    names, types, defaults = ([one.get(key, "") for one in parameters] for key in ("name", "type", "default"))
    spelled = parameter_types(identity)[0]
    if any(SEPARATOR in text for text in (*names, *types, *defaults)) or len(spelled) < len(parameters):
        return
    types = ["" if kind == known else kind for kind, known in zip(types, spelled)]
    del row["parameters"]
    row["names"] = SEPARATOR.join(names)
    row.update((key, SEPARATOR.join(part)) for key, part in (("types", types), ("defaults", defaults)) if any(part))


def restore_parameters(row, identity):
    if "names" not in row:
        return
    names = row.pop("names").split(SEPARATOR)
    types, defaults = (row.pop(key, SEPARATOR * (len(names) - 1)).split(SEPARATOR) for key in ("types", "defaults"))
    parts = zip(names, types, defaults, parameter_types(identity)[0])
    row["parameters"] = [
        {key: value for key, value in (("name", name), ("type", kind or spelled), ("default", default)) if value}
        for name, kind, default, spelled in parts
    ]
