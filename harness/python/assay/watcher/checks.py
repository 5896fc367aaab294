# SPDX-License-Identifier: BSD-3-Clause
"""Makes the checks of a watched program: one per operator and one for the program. session/outside/outside_run.c writes
a journal of these checks, so that reports, diffs, the gate and the history can read the result like any other run.
Called by __main__.py."""

import re

from assay.watcher import deaths, text

FAILED, UNDECIDED = 1, 2
VALUES = "the operator's results and changed inputs equal the CPU's"
OUTLIVES = "the process outlives the operator"
TAKES = "the device computes or refuses each call that the CPU computes"


def checks(document):
    """Returns {"exit", "incomplete", "checks"} of the document assay/watch/1."""
    made = [*map(of_operator, document["operators"]), of_program(document)]
    return {"exit": exit_status(document, made), "incomplete": document["ended"] if document["cut_off"] else "", "checks": made}


def exit_status(document, made):
    if any(check["verdict"] in ("fail", "crash") for check in made):
        return FAILED
    return UNDECIDED if why_broken(document) or text.is_undecided(document) else 0


def id_of(operator):
    """The id of the check of an operator. Ids of checks have no upper-case letters."""
    return "watch." + re.sub(r"[^a-z0-9.]", "_", operator.lower())


def check(identity, verdict, **more):
    return {"id": identity, "attempt": 1, "final": True, "verdict": verdict, **{key: value for key, value in more.items() if value}}


def demand_on(row):
    """The requirement that the operator violated, or "" if it violated none."""
    if row["wrong"]:
        return VALUES
    if row["died"] == deaths.DIED:
        return OUTLIVES
    return TAKES if row["raised"] else ""


def of_operator(row):
    demand = demand_on(row)
    verdict = "fail" if demand else "pass" if row["compared"] else "noted"
    findings = row["wrong"] + row["raised"] + (row["died"] == deaths.DIED)
    return check(id_of(row["name"]), verdict, demand=demand, seen=row["seen"], subject=row["name"], location=row["where"],
                 findings=findings, notes=[{key: value} for key, value in notes(row) if value])  # fmt: skip


def notes(row):
    yield "calls", f"{row['calls']} of {row['kinds']} kinds, {row['compared']} compared, {row['wrong']} wrong"
    yield "worst error relative to the largest number", f"{row['worst'] or 0.0:.3g}" if row["compared"] else ""
    yield "raised", f"{row['raised']} where the CPU does not, {row['refused']} refusals" if row["raised"] or row["refused"] else ""
    for key, name in (("ran as", "ran"), ("module", "module"), ("reproducer", "reproducer")):
        yield key, row[name]


def why_broken(document):
    """Why the program did not end well, or "". Results that depend on the order of work may be the program's error or
    the backend's."""
    order = document["order"]
    return document["ended"] or (order["words"] if order and order["op"] else "")


def of_program(document):
    """The check of the program. If a person or another program stopped the process by a signal, the check decides
    nothing. Any other signal is a crash."""
    ended, died_of = why_broken(document), document["signal"]
    verdict = "incomplete" if document["cut_off"] else "crash" if died_of else "broken" if ended else "pass"
    return check("watch.program", verdict, reason=ended, signal=died_of, status=0 if died_of else document["exit"])
