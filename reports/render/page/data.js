/* SPDX-License-Identifier: BSD-3-Clause
   The rows of the report: their verdicts, and the words that a filter searches. */
"use strict";

const RUNS = DATA.runs.length;
const ABSENT = -1;
const MODULES = DATA.modules.map(({ name }) => name);

/* Returns the verdict in a run. `v` has a letter for each run, "-" if the run does not have the row. */
function verdictIn(row, run) {
    const letter = row.v.charCodeAt(run);
    return letter === 45 ? ABSENT : letter - 97;
}

/* One sign for each verdict, for narrow cells. */
const SIGNS = { crash: "C", timeout: "T", fail: "F", broken: "?", incomplete: "\u2026", notrun: "\u2013", slow: "S", blocked: "B",
    fallback: "cpu", skip: "s", unobservable: "u", flaky: "~", noted: "n", pass: "\u2713" };

function verdictBadge(verdict, short) {
    const { name, meaning } = DATA.verdicts[verdict];
    const badge = element(`span.v.${name}`, { title: `${name}: ${meaning}` });
    if (short) badge.append(element("span", { "aria-hidden": "true" }, SIGNS[name]), element("span.sr", null, name));
    else badge.append(RUNS > 1 ? `${SIGNS[name]} ${name}` : name);
    return badge;
}

/* Returns whether the row is bad in some run. A row that is only blocked is not bad. */
const isBad = (row) => Boolean(row.mask & ((1 << DATA.bad) - 1));

function duration(ms) {
    if (!ms) return "";
    return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;
}

/* Computes once the facts of a row that a filter needs. */
function prepare(row, words) {
    let mask = 0;
    let first = null;
    row.differs = false;
    for (let run = 0; run < RUNS; run++) {
        const verdict = verdictIn(row, run);
        if (verdict !== ABSENT) mask |= 1 << verdict;
        if (first === null) first = verdict;
        row.differs = row.differs || verdict !== first;
    }
    row.mask = mask;
    row.words = words.join("\n").toLowerCase();
}

function prepareAll() {
    for (const check of DATA.checks) {
        const words = [check.id, check.d || "", check.c.join(" ")];
        for (const seen of Object.values(check.x || {}))
            words.push(seen.s || "", seen.r || "", seen.e || "", seen.l || "", seen.a || "");
        prepare(check, words);
    }
    for (const requirement of DATA.requirements) prepare(requirement, [requirement.id, requirement.d || ""]);
}
