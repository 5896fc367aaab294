# SPDX-License-Identifier: BSD-3-Clause
"""Lists the musts that a backend satisfied earlier and violates now, grouped by cause: `assay dashboard losses`.
Programs that open issues read this list.

One entry covers all checks and releases with the same backend and cause. A failure from the first run on is no loss. A
run that decides nothing does not change an entry, and a check that is skipped now does not count as repaired."""

import hashlib

from . import disputes, events
from .overview_pages import run_json


def key_of(target, cause, check):
    """A key that is the same in every nightly run: the cause, or the check if the failure has no cause."""
    return hashlib.sha256("\n".join((target, cause or f"check {check}")).encode()).hexdigest()[:16]


def loss_of(series, name):
    """Returns (Step of the loss, True if it is flaky now), or None."""
    steps = events.steps_of(series.facts["check", name], len(series.runs) - 1)
    clusters = events.clusters_of(steps)
    recent = len(series.runs) - 1 - events.CLUSTER_GAP
    flaky = bool(clusters) and steps[clusters[-1][1]].index >= recent
    if not steps or steps[-1].now not in ("bad", "silent"):
        return (steps[-1], True) if steps and flaky else None
    good = [place for place, step in enumerate(steps) if step.now == "good"]
    if not good:
        return None
    return steps[good[-1] + 1], flaky


def shown_by(past, series, name):
    """The loss as an entry with its cause, or None if there is no loss."""
    found = loss_of(series, name)
    if found is None or found[0].answer.level != "must":
        return None
    step, flaky = found
    before = series.runs[step.before] if step.before >= 0 else None
    return step.answer.cause, {"check": name, "release": series.release, "verdict": step.answer.verdict,
                               "clauses": list(step.answer.covers),
                               "disputed": disputes.of_check(past.disputes, name, step.answer.covers), "seen": step.seen, "flaky": flaky,
                               "first": run_json(series.runs[step.index]), "before": run_json(before)}


def losses_of(past):
    entries = {}
    for series in past.pairs.values():
        for kind, name in series.facts:
            shown = shown_by(past, series, name) if kind == "check" else None
            if shown:
                cause, loss = shown
                key = key_of(series.target, cause, name)
                entry = entries.setdefault(key, {"key": key, "target": series.target, "cause": cause, "shown_by": []})
                entry["shown_by"].append(loss)
    for entry in entries.values():
        entry["flaky"] = all(loss["flaky"] for loss in entry["shown_by"])
        entry["shown_by"].sort(key=lambda loss: (loss["first"]["date"], loss["release"], loss["check"]))
    return {"schema": "assay/losses/1", "newest": past.newest,
            "losses": sorted(entries.values(), key=lambda entry: (entry["target"], entry["key"]))}
