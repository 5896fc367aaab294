/* SPDX-License-Identifier: BSD-3-Clause
   The report's data and the small helpers that every part uses. Texts of checks are foreign: they
   reach the page through textContent alone. */
"use strict";

/* Control, direction and invisible characters are written out, so that a reader sees what is there. */
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function writtenOut(character) {
    const number = character.charCodeAt(0);
    return number < 256 ? `\\x${number.toString(16).padStart(2, "0")}` : `\\u${number.toString(16).padStart(4, "0")}`;
}

const DATA = JSON.parse(document.getElementById("data").textContent,
    (_, value) => (typeof value === "string" ? value.replace(HIDDEN, writtenOut) : value));
const RUNS = DATA.runs.length;
const ABSENT = -1;

const MODULES = DATA.modules.map(({ name }) => name);

const byId = (id) => document.getElementById(id);

/* element("a.plain", {href: "#x"}, child, "text", ...): no HTML is ever parsed. */
function element(kind, attributes, ...children) {
    const [tag, ...classes] = kind.split(".");
    const made = document.createElement(tag);
    if (classes.length) made.className = classes.join(" ");
    for (const [name, value] of Object.entries(attributes || {}))
        if (value !== null && value !== undefined) made.setAttribute(name, value);
    made.append(...children.filter((child) => child !== null && child !== undefined));
    return made;
}

function svg(tag, attributes) {
    const made = document.createElementNS("http://www.w3.org/2000/svg", tag);
    for (const [name, value] of Object.entries(attributes)) made.setAttribute(name, value);
    return made;
}

/* One letter for each run: which verdict, "-" where the run does not have the row. */
function verdictIn(row, run) {
    const letter = row.v.charCodeAt(run);
    return letter === 45 ? ABSENT : letter - 97;
}

function verdictBadge(verdict, short) {
    const { name, sign, meaning } = DATA.verdicts[verdict];
    const badge = element(`span.v.${name}`, { title: `${name}: ${meaning}` });
    if (short) badge.append(element("span", { "aria-hidden": "true" }, sign), element("span.sr", null, name));
    else badge.append(RUNS > 1 ? `${sign} ${name}` : name);
    return badge;
}

/* Something came out bad in some run; what is only blocked by it did not. */
const isBad = (row) => Boolean(row.mask & ((1 << DATA.bad) - 1));

function duration(ms) {
    if (!ms) return "";
    return ms < 1000 ? `${ms} ms` : `${(ms / 1000).toFixed(ms < 10000 ? 2 : 1)} s`;
}

/* Works out once what a filter needs to know of a row. */
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
