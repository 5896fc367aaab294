# SPDX-License-Identifier: BSD-3-Clause
"""Writes the document assay/clients/1 with all pairs, the checks of the run, and the text report."""

from assay.clients.pairs import (
    AGREES,
    ALONE,
    DIFFERS,
    KNOWN,
    NO_REFERENCE,
    REFUSES,
    SKIPPED,
    UNHELD,
    UNSTEADY,
    groups_of,
    named,
    refused_operator,
)
from assay.clients.runs import DEATHS

OK, FAILED, UNDECIDED = 0, 1, 2
MOST_GROUPS = 40
TITLES = ((DIFFERS, "differs"), (UNHELD, "fails on the target and is skipped on the CPU: needs a look, because it has no reference"),
          (REFUSES, "the target refuses, in PyTorch's words"), (KNOWN, "known: not the target's"), (SKIPPED, "skipped on the target"),
          (ALONE, "on one side only, and not listed under known"), (UNSTEADY, "had another result when it was repeated"))
VERDICTS = {AGREES: "pass", DIFFERS: "fail", REFUSES: "blocked", KNOWN: "noted", SKIPPED: "skip", ALONE: "fail",
            NO_REFERENCE: "skip", UNSTEADY: "flaky", UNHELD: "noted"}


class Found:
    """The results of both sides."""

    def __init__(self, client, device, versions, pairs, unread, sides, healed=(), ended="", signal=0):
        self.client, self.device, self.versions, self.pairs = client, device, versions, pairs
        self.unread, self.sides, self.healed, self.ended, self.signal = unread, sides, list(healed), ended, signal

    def count(self, says):
        return sum(pair.says == says for pair in self.pairs)

    @property
    def reached(self):
        return sum(pair.calls > 0 for pair in self.pairs)

    @property
    def status(self):
        if self.signal:
            return 128 + self.signal
        if self.count(DIFFERS) or self.count(ALONE):
            return FAILED
        return OK if self.reached and not self.unread and not self.ended else UNDECIDED


def plural(number, word):
    return f"{number} {word}" + ("" if number == 1 else "s")


def verdict(found):
    """The conclusion in one sentence."""
    who = f"{found.client.name} {found.versions['client'] or 'of no known version'} on {found.device or 'no device'}"
    if found.ended:
        return f"{who}: {found.ended}; {plural(len(found.pairs), 'test')} compared until then"
    if not found.pairs:
        return f"{who}: no test was run"
    if not found.reached:
        return f"{who}: no operator of {plural(len(found.pairs), 'test')} reached the device, so the device was not tested"
    differs = [group for group in groups_of(found.pairs) if group.says == DIFFERS]
    words = [f"{plural(found.count(KNOWN), 'test')} for known reasons"] if found.count(KNOWN) else []
    words += [f"{found.count(REFUSES)} refused"] if found.count(REFUSES) else []
    words += [f"{found.count(UNHELD)} failed and are skipped on the CPU"] if found.count(UNHELD) else []
    words += [f"{found.count(ALONE)} on one side only"] if found.count(ALONE) else []
    words += [f"{plural(len(found.unread), 'file')} could not be read"] if found.unread else []
    rest = f" ({', '.join(words)})" if words else ""
    what = (f"{plural(found.count(DIFFERS), 'test')} of {len(found.pairs)} differ, with {plural(len(differs), 'message')}"
            if differs else f"no test of {len(found.pairs)} differs")
    return f"{who}: {what}{rest}; {found.reached} reached the device"


# ---- output for programs -------------------------------------------------------------------------------------


def document(found):
    rows = [{"says": group.says, "message": group.key, "tests": len(group.pairs), "first": group.pairs[0].name,
             "where": (group.pairs[0].there or {}).get("where", ""), "whose": (group.pairs[0].row or {}).get("whose", ""),
             "operator": refused_operator(group.pairs[0].message)} for group in groups_of(found.pairs)]
    calls = sum(pair.calls for pair in found.pairs)
    return {"schema": "assay/clients/1", "client": found.client.name, "version": found.versions["client"],
            "pinned": found.client.version, "torch": found.versions["torch"], "device": found.device,
            "verdict": verdict(found), "ended": found.ended, "tests": len(found.pairs),
            "agree": found.count(AGREES), "differ": found.count(DIFFERS), "refused": found.count(REFUSES),
            "known": found.count(KNOWN), "skipped": found.count(SKIPPED), "unsteady": found.count(UNSTEADY),
            "alone": found.count(ALONE), "no_reference": found.count(NO_REFERENCE), "unheld": found.count(UNHELD),
            "reached": found.reached, "calls": calls,
            "unread": [{"file": name, "message": one["message"]} for name, one in sorted(found.unread.items())],
            "groups": rows, "healed": found.healed, "sides": found.sides}


def checks(found):
    """Rows from which outside_run.c writes a journal."""
    made = [check(pair) for pair in found.pairs]
    for name, one in sorted(found.unread.items()):
        made.append({"id": next(iter(named([name], found.client.name, found.device))), "attempt": 1, "final": True, "verdict": "broken",
                     "reason": "pytest could not read it: " + one["message"][-400:]})
    return {"exit": found.status, "incomplete": found.ended, "checks": made}


def check(pair):
    there, says = pair.there or {}, pair.says
    row = {"id": pair.id, "attempt": 1, "final": True, "verdict": VERDICTS[says], "duration_ms": 1000 * there.get("seconds", 0.0)}
    if says == AGREES and not pair.calls:
        return row | {"verdict": "noted", "reason": "no operator reached the device"}
    if says == AGREES:
        return row
    if says in (DIFFERS, ALONE):
        demand = "the test passes, as it does on the CPU" if says == DIFFERS else "the test exists on both sides"
        return row | {"verdict": DEATHS.get(there.get("outcome"), "fail") if says == DIFFERS else "fail", "demand": demand,
                      "seen": pair.message[:600], "subject": pair.name, "location": there.get("where", ""), "findings": 1}
    reasons = {KNOWN: lambda: f"known, {pair.row['whose']}: {pair.row['why']}", NO_REFERENCE: lambda: "it does not pass on the CPU",
               UNHELD: lambda: f"the CPU skips it; on the target: {pair.message.strip()}"[:300]}
    return row | {"reason": reasons.get(says, lambda: pair.message.splitlines()[0][:300] if pair.message else says)()}


# ---- output for people ---------------------------------------------------------------------------------------


def text(found, folder):
    yield verdict(found)
    if found.versions["client"] and found.versions["client"] != found.client.version:
        yield f"the known differences are for version {found.client.version}; this is {found.versions['client']}"
    for says, title in TITLES:
        yield from section(found, says, title)
    for one in found.healed:
        yield ""
        yield (f"differences that {one['plugin']} removes: {plural(one['tests'], 'test')}, of which {one['left']} still differ"
               f"; {one['why']}")
        for row in one["groups"]:
            yield f"  {row['tests']:5}  {row['message']}"
    for name, one in sorted(found.unread.items()):
        yield f"could not be read: {name}: {(one['message'].strip().splitlines() or [''])[-1][:200]}"
    yield from counts(found)
    yield ""
    yield f"a run: assay report {folder}"


def section(found, says, title):
    groups = [group for group in groups_of(found.pairs) if group.says == says]
    if not groups:
        return
    yield ""
    yield f"{title}: {sum(len(group.pairs) for group in groups)}"
    for group in groups[:MOST_GROUPS]:
        first = group.pairs[0]
        whose = f"{first.row['whose']}: " if first.row else ""
        yield f"  {len(group.pairs):5}  {whose}{group.key}"
        yield f"         {first.name}"
        if says in (DIFFERS, UNHELD) and (first.there or {}).get("where"):
            yield f"         {first.there['where']}"
    if len(groups) > MOST_GROUPS:
        yield f"  and {len(groups) - MOST_GROUPS} more messages in clients.json"


def counts(found):
    yield ""
    yield (f"{plural(found.count(AGREES), 'test')} agree{'s' * (found.count(AGREES) == 1)}, {found.count(NO_REFERENCE)} do not pass on the CPU; "
           f"{found.reached} of {len(found.pairs)} reached the device, with {sum(pair.calls for pair in found.pairs)} calls")
    unused = [row["why"] for row in found.client.known
              if not any(pair.row is row for pair in found.pairs)] if not found.client.is_part else []
    for why in unused:
        yield f"known, but not seen: {why}"
