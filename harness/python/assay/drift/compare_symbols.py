# SPDX-License-Identifier: BSD-3-Clause
"""Finds removed symbols. If a header still declares the function, linking fails. Otherwise a rebuild is enough."""

from assay.drift.entry import Entry
from assay.facts.dump import owner_of


def symbol_entries(old, new):
    if not (old.has("symbols") and new.has("symbols")):
        return
    for symbol, library in old.symbols.items():
        if symbol in new.symbols:
            continue
        fact = old.by_symbol.get(symbol)
        other = new.facts.get(fact["id"]) if fact else None
        if other is not None and other.get("symbol", symbol) == symbol and not (other.get("body") or other.get("inline")):
            yield Entry(fact["id"], fact["kind"], "not_exported", other["header"], other.get("line", 0), before=library,
                        causes={f"exports:{library}:{other['header']}:{owner_of(fact['id'])}"})  # fmt: skip
        elif fact is None:
            yield Entry(f"symbol:{symbol}", "symbol", "symbol_gone", library, internal=True, causes={f"library:{library}"})
