# SPDX-License-Identifier: BSD-3-Clause
"""Compares the result of a run on a backend with the lists of its defects. Reads no files and runs no programs."""

import collections
import dataclasses

from fleet_lists import LEANING_MODULES

WRONG = {"fail", "crash", "timeout"}
WITHOUT_VERDICT = {"blocked", "broken", "incomplete", "notrun", "slow"}
NOT_APPLICABLE = {"skip", "unobservable"}
SHARE_ALLOWED = 10  # per cent


@dataclasses.dataclass(frozen=True)
class Comparison:
    """The results of a run, by the name of the defect. Checks are given by their ids."""

    reported: dict  # name -> checks that reported it
    missed: dict  # name -> checks of its clauses that passed
    blocked: dict  # name -> checks of its clauses, if all these checks were blocked
    false: list  # checks that report a defect that is not listed
    means: dict  # reason -> number of checks without a verdict for this reason
    share: float  # percentage of the applicable checks without a verdict


def compare(defects, checks, torch):
    """`defects` maps names to defects, `checks` is from `assay report --format json`, `torch` is the release."""
    defects = {name: defect for name, defect in defects.items() if defect.shows_under(torch)}
    reported, missed, blocked = {}, {}, {}
    for defect in defects.values():
        mine = [check for check in checks if set(check["covers"]) & set(defect.requirements)]
        if defect.module == "operators" and not mine:
            continue  # fleet_operators_test shows the defect, because only listed checks cover these clauses
        by = [check["id"] for check in mine if speaks_of(defect, check)]
        silent = [check["id"] for check in mine if check["verdict"] in ("pass", "noted", "flaky", "fallback")]
        home = reported if by else missed if silent or not mine else blocked
        home[defect.name] = by or silent or [check["id"] for check in mine]
    return Comparison(reported, missed, blocked, false_reports(defects, checks),
                      missing_means(checks), share_without_verdict(checks))


def speaks_of(defect, check):
    """True if the check reports the defect. A skip or an advisory note also reports a missing feature."""
    return check["verdict"] in WRONG or (defect.kind == "missing" and check["verdict"] in ("skip", "noted"))


def false_reports(defects, checks):
    known = {clause for defect in defects.values() for clause in defect.requirements}
    return sorted(check["id"] for check in checks if check["verdict"] in WRONG and not known & set(check["covers"]))


def is_silent(check):
    """True if the check has no verdict. A check that follows from another failed check counts as a check with a
    verdict."""
    return check["verdict"] in WITHOUT_VERDICT and not (check["reason"] or "").startswith("follows from ")


def missing_means(checks):
    """Reasons why checks have no verdict, most frequent first. Core's long message is cut before the arguments."""
    reasons = collections.Counter((check["reason"] or check["blocked_by"] or check["verdict"]).splitlines()[0].split(" with arg")[0]
                                  for check in checks if is_silent(check))
    return dict(reasons.most_common())


def share_without_verdict(checks):
    """The percentage of checks without a verdict, except in modules whose checks need dozens of operators."""
    counted = (check for check in checks if check["id"].split(".")[0] not in LEANING_MODULES)
    applicable = [check for check in counted if check["verdict"] not in NOT_APPLICABLE]
    without = [check for check in applicable if is_silent(check)]
    return 100 * len(without) / len(applicable) if applicable else 100.0


def surprises(comparison, lines, is_whole=True):
    """Sentences about open defects that open.tsv does not list, and about lines of open.tsv that no longer apply. If a
    run covers only some checks, the share without a verdict is not judged."""
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
