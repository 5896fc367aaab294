# SPDX-License-Identifier: BSD-3-Clause
"""turns.tsv: which checks turn green with a step of the guide. Read by the guide's pages, by `assay next`, and by
step_turns.py, which writes it."""

from pathlib import Path

HERE = Path(__file__).resolve().parent
from assay.releases import is_of

TABLE = HERE / "turns.tsv"
HEAD = "step\tcheck\tbefore\tafter\treleases\n"
GREEN = {"pass", "noted", "flaky", "slow"}  # the latter two came out right, once asked alone or with more time
NOT_WRONG = {"skip", "fallback"}  # what becomes of a check of the refusal when the thing itself comes
UNSEEN = "unobservable"
NOTHING = "-"  # before the first step there is no backend


def read_rows(path=TABLE):
    """Step, check, verdict before, verdict after, and under which releases of torch (nothing: all)."""
    return [tuple(line.split("\t")) for line in path.read_text(encoding="utf-8").splitlines()[1:]]


def read_turns(torch, path=TABLE):
    """Step, check, verdict before, verdict after, as they are under this release ("2.15.0")."""
    return [row[:4] for row in read_rows(path) if is_of(row[4], torch)]


def write_turns(turns, asked, torch, steps, path=TABLE):
    """Rows of one release, as they were seen. Those of other releases stay, and those of checks that were not asked."""
    told = read_rows(path)
    releases = {row[:2]: row[4] for row in told if is_of(row[4], torch)}
    rows = [(*row, releases.get(row[:2], "")) for row in turns]
    rows += [row for row in told if row[1] not in asked or not is_of(row[4], torch)]
    rows.sort(key=lambda row: (steps.index(row[0]), row[1]))
    path.write_text(HEAD + "".join("\t".join(row) + "\n" for row in rows), encoding="utf-8")


def green_with(step, turns):
    return [check for name, check, _, after in turns if name == step and after in GREEN]


def seen_so_far(before, found):
    """The verdicts after a step. What was green and is not observed this time has turned no way."""
    return {check: before[check] if verdict == UNSEEN and before.get(check) in GREEN else verdict for check, verdict in found.items()}


def observed(rows, unseen):
    """Without those of checks that came to nothing at this step or at one before, so that they turn green later, or never."""
    return [row for row in rows if row[1] not in unseen]


def turns_between(step, before, after):
    """The rows of one step, from the verdicts of all checks before and after it."""
    return [(step, check, before.get(check, NOTHING), verdict) for check, verdict in sorted(after.items())
            if (before.get(check) in GREEN) != (verdict in GREEN)]


def broken_by(step, before, after):
    """Checks that were green and now find something wrong."""
    return [f"{step}: {check} was {before[check]} and is {verdict}" for check, verdict in sorted(after.items())
            if before.get(check) in GREEN and verdict not in GREEN | NOT_WRONG]


def differences(step, told, found):
    """Rows of a step that are not so. Which way a check is not green may differ from torch to torch."""
    told, found = ({(check, after in GREEN) for name, check, _, after in rows if name == step} for rows in (told, found))
    words = {True: "turns green", False: "is green no more"}
    return [f"{step}: {check} {words[green]}, which turns.tsv does not say" for check, green in sorted(found - told)] + [
        f"{step}: turns.tsv says that {check} {words[green]}" for check, green in sorted(told - found)]


def step_of(checks, turns):
    """The first step that turns any of these green, and which; no step: None."""
    steps = [step for step, check, _, after in turns if check in checks and after in GREEN]
    promised = set(green_with(steps[0], turns)) if steps else ()
    return (steps[0], [check for check in checks if check in promised]) if steps else (None, [])
