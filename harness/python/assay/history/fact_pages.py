# SPDX-License-Identifier: BSD-3-Clause
"""Makes a page for each clause and each check. The page lists the backends that satisfy the clause or check, with
dates. Also makes the list of all clauses and checks."""

from collections import Counter

from . import disputes, events
from .overview_pages import backend_href
from .page_parts import fill, join, link, section, slug, table, verdict


def href_of(kind, name):
    return f"{kind}/{slug(name)}.html"


def standing_of(holding):
    if holding.verdict in events.GOOD:
        return f"kept since {holding.since.day}"
    if holding.verdict in events.BAD:
        return f"not kept since {holding.since.day}" if holding.ever else "never kept"
    return f"no verdict since {holding.since.day}" if holding.ever else "never satisfied, never lost"


def holding_json(holding):
    return {"target": holding.series.target, "release": holding.series.release, "verdict": holding.verdict,
            "since": holding.since.date, "ever_kept": holding.ever}


def fact_page(site, kind, name, holdings):
    rows = [(link(f"../{backend_href(one.series.target)}", one.series.target),
             [one.series.release, verdict(one.verdict), standing_of(one)]) for one in holdings]
    clauses = sorted({clause for one in holdings for clause in one.covers})
    covers = join([link(f"../{href_of('clause', clause)}", clause)
                   if ("clause", clause) in site.past.holdings else clause for clause in clauses], ", ")
    level, text = holdings[0].level, holdings[0].seen if kind == "clause" else ""
    about = fill("two", first=text or level, second=join(["covers ", covers], "") if clauses else level)
    checks = sorted(site.checks_of.get(name, ())) if kind == "clause" else []
    asked_by = table("checks", ["Check"], [(link(f"../{href_of('check', check)}", check), []) for check in checks])
    disputed = [name] if kind == "clause" else disputes.of_check(site.past.disputes, name, clauses)
    disputed = [clause for clause in disputed if clause in site.past.disputes]
    body = [*disputes.views(site.past.disputes, disputed, "../"), section("keeps", "Who keeps it", about, table("keeps", ["Backend", "Torch", "Verdict", "Standing"], rows))]
    if checks:
        body.append(section("checks", "Asked by", "The checks that cover this clause.", asked_by))
    site.write(f"{kind}/{slug(name)}", name, f"A {kind} of the contract, {level}.", join(body),
               {"kind": kind, "name": name, "level": level, "text": text, "clauses": clauses, "checks": checks,
                "disputed": {clause: site.past.disputes[clause] for clause in disputed},
                "holdings": [holding_json(one) for one in holdings]})


def list_page(site):
    body, told = [], []
    for kind, title in (("clause", "Clauses"), ("check", "Checks")):
        rows = []
        for (of_kind, name), holdings in sorted(site.past.holdings.items()):
            if of_kind != kind:
                continue
            sums = Counter("kept" if one.verdict in events.GOOD else "not kept" if one.verdict in events.BAD else "other"
                           for one in holdings)
            disputed = name in site.past.disputes or site.past.is_disputed(name, holdings[0].covers)
            shown = link(href_of(kind, name), name)
            rows.append((fill("two", first=shown, second="disputed") if disputed else shown,
                         [holdings[0].level, sums["kept"], sums["not kept"], sums["other"]]))
            told.append({"kind": kind, "name": name, **{key.replace(" ", "_"): sums[key]
                                                        for key in ("kept", "not kept", "other")}})
        body.append(section(kind, title, "The number of pairs of backend and torch that satisfy each.",
                            table(kind, [title[:-1], "Level", "Kept", "Not kept", "No verdict"], rows)))
    site.write("facts", "Clauses and checks", "All clauses and checks.", join(body), {"facts": told})
