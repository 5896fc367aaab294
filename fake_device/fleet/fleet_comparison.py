# SPDX-License-Identifier: BSD-3-Clause
"""Compares what a run says of a backend with what is known of it. Pure: knows no files, runs nothing."""

import collections
import dataclasses

from fleet_lists import BEGUN_MODULES, LEANING_MODULES

WRONG = {"fail", "crash", "timeout"}
WITHOUT_VERDICT = {"blocked", "broken", "incomplete", "notrun", "slow"}
NOT_APPLICABLE = {"skip", "unobservable"}
SHARE_ALLOWED = 10  # per cent


@dataclasses.dataclass(frozen=True)
class Comparison:
    """`found` and `missing` have defects by name; `false` checks by id."""

    reported: dict  # name -> checks that reported it
    missed: dict  # name -> checks of its clauses that ended well
    blocked: dict  # name -> checks of its clauses, none of which could say
    false: list  # checks that report what is not listed
    means: dict  # reason -> how many checks ended without a verdict for it
    share: float  # of the applicable checks without a verdict, per cent


def compare(defects, checks, torch):
    """Defects by name; checks as in `assay report --format json`; the release that they were asked under."""
    defects = {name: defect for name, defect in defects.items() if defect.shows_under(torch)}
    reported, missed, blocked = {}, {}, {}
    for defect in defects.values():
        mine = [check for check in checks if set(check["covers"]) & set(defect.requirements)]
        if not defect.is_asked or (defect.awaits_checks and not mine):
            continue
        by = [check["id"] for check in mine if speaks_of(defect, check)]
        silent = [check["id"] for check in mine if check["verdict"] in ("pass", "noted", "flaky", "fallback")]
        home = reported if by else missed if silent or not mine else blocked
        home[defect.name] = by or silent or [check["id"] for check in mine]
    return Comparison(reported, missed, blocked, false_reports(defects, checks),
                      missing_means(checks), share_without_verdict(checks))


def speaks_of(defect, check):
    """A missing feature counts as reported when its absence is said, too: a skip, or a note if a clause is advisory."""
    return check["verdict"] in WRONG or (defect.kind == "missing" and check["verdict"] in ("skip", "noted"))


def false_reports(defects, checks):
    known = {clause for defect in defects.values() for clause in defect.requirements}
    return sorted(check["id"] for check in checks
                  if check["verdict"] in WRONG and not known & set(check["covers"]))


def is_silent(check):
    """A check that ran and failed as another one does has a verdict: the other one's."""
    return check["verdict"] in WITHOUT_VERDICT and not (check["reason"] or "").startswith("follows from ")


def missing_means(checks):
    """Why checks have no verdict, most frequent first; core's own long sentence is cut before its lists."""
    reasons = collections.Counter((check["reason"] or check["blocked_by"] or check["verdict"]).splitlines()[0].split(" with arg")[0]
                                  for check in checks if is_silent(check))
    return dict(reasons.most_common())


def share_without_verdict(checks):
    """Of the modules that are complete, as one that still gets checks asks for more operators each day, and whose checks
    ask for little of a backend."""
    complete = (check for check in checks if check["id"].split(".")[0] not in BEGUN_MODULES + LEANING_MODULES)
    applicable = [check for check in complete if check["verdict"] not in NOT_APPLICABLE]
    without = [check for check in applicable if is_silent(check)]
    return 100 * len(without) / len(applicable) if applicable else 100.0


def surprises(comparison, lines, is_whole=True):
    """Sentences on whatever is open and not listed as open, and on lines that no longer hold. A run of some checks says
    nothing of the share without a verdict."""
    states = {"missed": comparison.missed, "blocked": comparison.blocked, "false": comparison.false}
    for state, subjects in states.items():
        listed = {line.subject for line in lines if line.state == state}
        yield from (f"{state} and not listed as open: {subject}" for subject in sorted(set(subjects) - listed))
        yield from (f"listed as {state} and is so no longer: {subject}" for subject in sorted(listed - set(subjects)))
    if is_whole:
        yield from share_surprises(comparison.share, [line for line in lines if line.state == "share"])


def share_surprises(share, lines):
    allowed = max([SHARE_ALLOWED] + [int(line.subject) for line in lines])
    if share > allowed:
        yield f"{share:.0f} % of the applicable checks are without a verdict, {allowed} are allowed"
    if lines and share <= SHARE_ALLOWED:
        yield f"a share of {lines[0].subject} % is listed as open, and {share:.0f} % is within what is allowed"
