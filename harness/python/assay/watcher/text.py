# SPDX-License-Identifier: BSD-3-Clause
"""Text output of assay watch for a document assay/watch/1: the verdict, the first wrong operator, tables."""

import linecache
from pathlib import Path

MOST_ROWS = 40
MOST_LINES = 8
MOST_OF_A_LINE = 100
MOST_SAID = 4
MOST_UNJUDGED = 9  # with more unjudged calls for each compared one, a watch decides nothing
FIRST = {"wrong": "first wrong", "raised": "first wrong, raised", "died": "first wrong, a process ended in it",
         "stopped": "running when the program was stopped"}


def verdict(document):
    compared, wrong = (sum(row[key] for row in document["operators"]) for key in ("compared", "wrong"))
    names = [row["name"] for row in document["operators"] if row["wrong"]]
    said = []
    if names:
        said.append(f"wrong: {len(names)} of {len(document['operators'])} operators, {wrong} of {compared} compared calls")
    for row in document["operators"]:
        if row["raised"]:
            said.append(f"{row['name']} raised where the CPU does not ({row['raised']} of {row['calls']} calls)")
        if row["died"] == "died":
            said.append(f"a process ended in {row['name']}")
    if said:
        return "; ".join(said[:MOST_SAID] + [f"and {len(said) - MOST_SAID} more"] * (len(said) > MOST_SAID))
    if document["order"] and document["order"]["op"]:
        return f"the program's results depend on the order of work, although {compared} compared calls are right"
    if not compared:
        return "nothing was compared" + ("; the reasons are below" if document["operators"] else ": no operator reached the device")
    if is_undecided(document):
        return f"not decided: only {compared} of {compared + document['unjudged']} calls were compared; the reasons are below"
    operators = f"{compared} calls of {len(document['operators'])} operators"
    if document["unjudged"]:
        return f"right where compared: {operators}; {document['unjudged']} calls were not compared, for the reasons below"
    return f"right: {operators} compared"


def is_undecided(document):
    """True if nearly nothing was compared. Calls like compared ones do not count."""
    compared = sum(row["compared"] for row in document["operators"])
    return not compared or document["unjudged"] > MOST_UNJUDGED * compared


def text(document, folder, how=None):
    """`how` is the command that makes a run of the folder if there is no run yet."""
    yield verdict(document) + (f"; {document['ended']}" if document["ended"] else "")
    yield from first_wrong(document["first"], folder)
    yield from order(document["order"])
    if document["operators"]:
        yield ""
        yield from table(document["operators"])
    for one in document["uncompared"]:
        yield f"not compared: {one['calls']} calls, {one['reason']}"
    for row in document["operators"]:
        if row["refused"]:
            yield f"refused: {row['refused']} calls, {row['name']}"
    for why in document["unwatched"]:
        yield f"a process was not watched: {why}"
    yield from cost(document["statistics"])
    if document["operators"] and not document["first"] and not document["order"]:
        yield "compared calls wait for the device: if the program is wrong without a watch, --order always finds where a wait is missing"
    yield ""
    yield f"as a run: {how}" if how else f"as a report: assay report {folder}"


def first_wrong(first, folder):
    if not first:
        return
    yield ""
    yield f"{FIRST[first['how']]}: {first['op']}{' in backward, its forward' if first['backward'] else ''} at {first['line']}"
    told = {"line": _source(first["line"]), "module": first["module"], "inputs": first["inputs"], "seen": first["wrong"]}
    for name, words in told.items():
        if words:
            yield f"  {name:11} {words}"
    if first["reproducer"]:
        yield f"  reproducer  {Path(folder, first['reproducer']).with_suffix('.py')}"


def order(found):
    """The call that must be complete before the program continues."""
    if not found:
        return
    yield ""
    yield found["words"]
    told = {"line": _source(found["line"]), "module": found["module"]}
    for name, words in told.items():
        if words:
            yield f"  {name:11} {words}"
    if found["op"]:
        yield "  next        if PyTorch's rules for streams let the program go on there, the backend breaks the order of work"


def _source(line):
    """The source line in the file, or "" if there is no file, as for a cell of a notebook."""
    file, _, number = line.rpartition(":")
    return linecache.getline(file, int(number)).strip()[:MOST_OF_A_LINE] if number.isdigit() else ""


def _number(value):
    return "" if value is None else f"{value:.1e}"


def table(rows):
    yield f"{'operator':44} {'calls':>7} {'kinds':>6} {'compared':>8} {'wrong':>6} {'error':>8} {'of CPU':>8}  ran as"
    for row in rows[:MOST_ROWS]:
        yield (f"{row['name'][:44]:44} {row['calls']:7} {row['kinds']:6} {row['compared']:8} {row['wrong'] or word_of(row):>6} "
               f"{_number(row['worst']):>8} {_number(row['cpu']):>8}  {row['ran']}")
    if len(rows) > MOST_ROWS:
        yield f"and {len(rows) - MOST_ROWS} more in watch.json"
    yield "error: the largest error relative to the largest number of a result, if it was measured; of CPU: the CPU's own error in that dtype"
    yield "native: a kernel of the backend; composite: other operators; fallback: the CPU"


def word_of(row):
    """The state of a row without wrong numbers, as one word."""
    return row["died"] if row["died"] == "died" else "raised" if row["raised"] else 0


def cost(statistics):
    steps = statistics["steps"]
    if statistics["traffic"]:
        yield ""
        yield f"host and device{f', {steps} steps of an optimizer' if steps else ''}"
    for row in statistics["traffic"][:MOST_LINES]:
        each = f", {row['times'] / steps:.3g} a step" if 0 < steps <= row["times"] else ""
        size = f", {row['bytes']} bytes" if row["bytes"] else ""
        yield f"  {row['what']:30} {row['times']:6}x{each}{size}, {row['ms']:.1f} ms  {row['line']}"
    for row in statistics["fallbacks"][:MOST_LINES]:
        yield f"  ran through the fallback       {row['calls']:6}x, {row['ms']:.1f} ms  {row['name']}"
    if statistics["growth"]:
        yield f"  memory in use grows by {statistics['growth']} bytes a step"
