/* SPDX-License-Identifier: BSD-3-Clause
   The details of a row: demand, observation, place, likely cause, the checks that it blocks, the last
   output, the stack, and the command that repeats the failure. */
"use strict";

function field(list, name, value, kind) {
    if (!value) return;
    list.append(element("dt", null, name), element(kind || "dd", null, value));
}

function linkTo(id) {
    return element("a.id", { href: `#${encodeURIComponent(id)}` }, id);
}

function copyButton(text) {
    const button = element("button.plain.copy", { type: "button" }, "Copy");
    button.addEventListener("click", async () => {
        try {
            await navigator.clipboard.writeText(text);
            button.textContent = "Copied";
        } catch {
            getSelection().selectAllChildren(button.previousElementSibling);
            button.textContent = "Selected: press Ctrl+C";
        }
    });
    return button;
}

const isBlockedBy = (other, id) => Object.values(other.x || {}).some((seen) => seen.k === id);
const dependents = (id) => DATA.checks.filter((other) => isBlockedBy(other, id)).map((other) => other.id);

function output(list, name, text) {
    if (text) list.append(element("dt", null, name), element("dd", null, element("pre", { tabindex: "0" }, text)));
}

function addEvidence(list, seen) {
    field(list, "wanted", seen.e);
    field(list, "seen", seen.s || seen.r, "dd.seen");
    if (seen.s && seen.r && !seen.r.includes(seen.s)) field(list, "reason", seen.r);
    field(list, "where", seen.l, "dd.id");
    field(list, "about", seen.a, "dd.id");
    field(list, "died", [seen.g, seen.st && seen.g ? `in stage ${seen.st}` : ""].filter(Boolean).join(" "));
    field(list, "in", seen.fr);
    field(list, "said", seen.sd);
    field(list, "failed", seen.fd);
    field(list, "fallback", seen.fb);
    field(list, "clauses", seen.cl);
    field(list, "cause", seen.j);
    field(list, "noted", (seen.n || []).join("\n"));
    if (seen.rt) field(list, "retries", String(seen.rt));
    if (seen.k) field(list, seen.fo ? "follows from" : "blocked by", linkTo(seen.k));
    output(list, "errors", seen.er);
    output(list, "output", seen.o);
    output(list, "stack", seen.sk);
}

/* Groups the runs that have the same verdict and observation. */
function groups(check) {
    const found = new Map();
    for (let run = 0; run < RUNS; run++) {
        const verdict = verdictIn(check, run);
        if (verdict === ABSENT) continue;
        const seen = (check.x || {})[run] || {};
        const key = JSON.stringify([verdict, seen.s, seen.r, seen.e, seen.l, seen.g, seen.k]);
        if (!found.has(key)) found.set(key, { verdict, seen, runs: [] });
        found.get(key).runs.push(run);
    }
    return [...found.values()].sort((a, b) => a.verdict - b.verdict);
}

function reproduce(list, check, run) {
    const command = `assay repro ${check.id} --target ${DATA.runs[run].word}`;
    list.append(element("dt", null, "try"), element("dd", null, element("code", null, command), copyButton(command)));
}

function checkDetail(check) {
    const box = element("div");
    const words = element("dl");
    const found = groups(check);
    field(words, "demand", check.d);
    if (RUNS === 1) addEvidence(words, found[0].seen);
    if (found[0].seen.lk) field(words, "likely", found[0].seen.lk);
    const blocked = dependents(check.id);
    if (blocked.length)
        field(words, "blocks", element("ul", null, ...blocked.slice(0, 60).map((id) => element("li", null, linkTo(id))),
            ...(blocked.length > 60 ? [element("li", null, `and ${blocked.length - 60} more`)] : [])));
    field(words, "covers", check.c.join(" "), "dd.id");
    field(words, "source", check.f, "dd.id");
    if (RUNS === 1) reproduce(words, check, 0);
    box.append(words);
    if (RUNS > 1)
        for (const { verdict, seen, runs } of found) {
            const list = element("dl");
            box.append(element("h3", null, verdictBadge(verdict), runs.map((run) => DATA.runs[run].label).join(", ")));
            addEvidence(list, seen);
            if (verdict < DATA.bad) reproduce(list, check, runs[0]);
            if (list.children.length) box.append(list);
        }
    return box;
}

function requirementDetail(requirement) {
    const list = element("dl");
    field(list, "demand", requirement.d);
    if (requirement.s) field(list, "whose", "a rule of PyTorch's; what kept it from holding here stands with the failure");
    field(list, "checks", requirement.k.length
        ? element("ul", null, ...requirement.k.map((id) => element("li", null, linkTo(id))))
        : "no check in this run");
    return list;
}
