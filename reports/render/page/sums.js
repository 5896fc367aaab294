/* SPDX-License-Identifier: BSD-3-Clause
   The part of the page above the list: the runs, their sums, the causes, modules and capabilities. */
"use strict";

const KEPT = new Set(["pass", "noted", "flaky"]);
const STANDINGS = { "not shown": "skip", proven: "pass", absent: "skip", lacking: "blocked", broken: "fail" };
const CAUSES_SHOWN = 12;
const verdictName = (verdict) => DATA.verdicts[verdict].name;
/* Names of many runs are written vertically, so that their columns can be narrow. */
const TABLE_KIND = RUNS === 1 ? "one" : RUNS <= 5 ? "few" : "many";

/* ---- the head ---- */

const code = (text) => (text ? element("code", null, text) : null);
const pair = (first, second) => [first, second ? ` (${second})` : null];

/* Each fact: name, parts of the value, whether the value needs two columns. */
function factsOf({ facts, machine, isolation_why: why }) {
    const { target, torch, contract, devices, host, date, seed, command, isolation, shard, shards } = facts;
    return [
        ["Target", [target, devices ? `, ${devices} device${devices === 1 ? "" : "s"}` : null]],
        ["Torch", [torch.version, torch.git ? " at " : null, code(torch.git)], true],
        ["Contract", [contract.version ? `version ${contract.version} ` : null, code(contract.digest)]],
        ["Date", [date]],
        ["Host", pair(host, machine), true],
        ["Seed", [seed, shards > 1 ? `, shard ${shard} of ${shards}` : null]],
        ["Command", [code(command)], true],
        ["Isolation", pair(isolation, why), true],
    ];
}

function sumsOf(run) {
    const sum = (name, words) => element("span.level-sum", null, element("b", null, name), ` ${words}`);
    const levels = run.levels.map(([, total, , words], level) => (total ? sum(DATA.levels[level], words) : null));
    const totals = run.totals.map((count, verdict) => (count ? element("span", null, `${count} `, verdictBadge(verdict)) : null));
    return [element("p.verdict", null, run.sentence),
        element("p.verdict-line", null, run.stage ? sum("stage reached", run.stage) : null, ...levels, ...totals),
        element("p.note", null, DATA.legend)];
}

/* If there are several runs, each warning names its run. */
function warningsOf(run) {
    const texts = [...run.warnings, ...run.facts.preflight.map(({ severity, message }) => `preflight ${severity}: ${message}`)];
    return texts.map((text) => element("p.warning", null, RUNS > 1 ? `${run.label}: ` : null, text));
}

function factList(run) {
    return element("dl.facts", null, ...factsOf(run).map(([name, parts, wide]) =>
        element(`div${wide ? ".wide" : ""}`, null, element("dt", null, name), element("dd", null, ...parts))));
}

function factTable() {
    const rows = DATA.runs.map((run) => factsOf(run).map(([, parts], place) => (place ? cell(...parts) : rowHead(...parts))));
    return element("details.runs", null, element("summary", null, "Facts of each run"),
        tableOf("facts", "Facts of each run", factsOf(DATA.runs[0]).map(([name]) => name), rows));
}

/* ---- causes ---- */

/* For one run: the failures that follow from no other failure and share no cause with one above. */
function firstSection(rows) {
    if (RUNS > 1) return null;
    const causes = rows.filter((row) => verdictIn(row, 0) < DATA.open && !row.u && !row.x[0].jn);
    const line = (row) => {
        const seen = row.x[0];
        return element("li", null, verdictBadge(verdictIn(row, 0)), " ", linkTo(row.id),
            ` ${DATA.levels[row.l]}: ${seen.s || seen.r || DATA.verdicts[verdictIn(row, 0)].meaning}`,
            seen.sm ? element("span.note", null, ` and ${seen.sm} more of this cause`) : null,
            seen.bl ? element("span.note", null, ` blocks ${seen.bl}`) : null);
    };
    if (!causes.length) return null;
    return section("first", "Causes, those that matter most first", element("ol", null, ...causes.slice(0, CAUSES_SHOWN).map(line)),
        causes.length > CAUSES_SHOWN ? element("p.note", null, `and ${causes.length - CAUSES_SHOWN} more in the list of checks`) : null);
}

/* ---- modules ---- */

function bar(totals, count) {
    const picture = svg("svg", { viewBox: "0 0 100 8", preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" });
    let at = 0;
    for (let verdict = totals.length - 1; count && verdict >= 0; verdict--) {
        const width = 100 * totals[verdict] / count;
        if (totals[verdict]) picture.append(svg("rect", { class: verdictName(verdict), x: at, y: 0, width, height: 8 }));
        at += width;
    }
    return element("td.bar", null, picture);
}

/* One run: modules by verdicts, worst first, because a phone does not show the last columns. */
function modulesOfOne(names) {
    const used = DATA.runs[0].totals.map((_, verdict) => verdict).filter((verdict) => DATA.runs[0].totals[verdict]);
    const numberHead = (text) => element("th.number", { scope: "col" }, text);
    const line = (head, totals) => {
        const count = totals.reduce((sum, one) => sum + one, 0);
        return [head, ...used.map((verdict) => numberCell(totals[verdict])), numberCell(count), bar(totals, count)];
    };
    return section("modules", "Modules", tableOf("one", "Modules", ["Module", ...used.map((verdict) => numberHead(verdictName(verdict))),
        numberHead("checks"), "Share"], DATA.modules.map((module, place) => line(names[place], module.in[0])),
    [line(rowHead("all"), DATA.runs[0].totals)]));
}

function shareCell(kept, total, worst) {
    if (!total) return element("td.cell.nothing", null, "none");
    const name = verdictName(worst);
    return element(`td.cell.${name}`, { title: `worst: ${name}` }, `${kept}/${total}`,
        name === "pass" ? null : element("br"), name === "pass" ? null : element("small", null, name));
}

function shareOf(totals) {
    if (!totals) return shareCell(0, 0, 0);
    const sum = (wanted) => totals.reduce((all, count, verdict) => all + (wanted(verdict) ? count : 0), 0);
    return shareCell(sum((verdict) => KEPT.has(verdictName(verdict))), sum(() => true), totals.findIndex((count) => count));
}

const runHeads = () => DATA.runs.map(({ label }) => element("th", { scope: "col" }, element("span.run", null, label)));

/* Several runs: a table of modules and runs. */
function modulesOfSeveral(names) {
    const levels = DATA.runs[0].levels.map((_, level) => [rowHead(`${DATA.levels[level]}, requirements`),
        ...DATA.runs.map((run) => shareCell(...run.levels[level].slice(0, 3)))]);
    return section("modules", "Modules: share kept and worst verdict", tableOf(TABLE_KIND, "Modules", ["Module", ...runHeads()],
        DATA.modules.map((module, place) => [names[place], ...module.in.map(shareOf)]), levels));
}

/* ---- capabilities ---- */

const verdictOr = (name, none) => (name ? badgeOf(name, name) : element("span.nothing", null, none));

function capabilityOfOne({ name, in: [{ claim, source, probe, refusal, kept, total, standing }] }) {
    return [element("th.id", { scope: "row" }, name), cell(claim, source ? `, by the ${source}` : null), cell(verdictOr(probe, "no probe")),
        cell(verdictOr(refusal, "none")), element("td.number", null, total ? `${kept}/${total}` : element("span.nothing", null, "none")),
        cell(badgeOf(STANDINGS[standing], standing))];
}

function standingCell(capability) {
    if (!capability) return element("td.cell.nothing", null, "none");
    const { claim, probe, standing } = capability;
    return element(`td.cell.${STANDINGS[standing]}`, null, standing, element("br"),
        element("small", null, `claim: ${claim}`, element("br"), `probe: ${probe || "none"}`));
}

function capabilitySection() {
    const heads = RUNS > 1 ? ["Capability", ...runHeads()] : ["Capability", "Claimed", "Probe", "Refusal", "Checks that need it", "So it is"];
    const rows = DATA.capabilities.map((one) => (RUNS > 1
        ? [element("th.id", { scope: "row" }, one.name), ...one.in.map(standingCell)] : capabilityOfOne(one)));
    if (!rows.length) return null;
    return element("section", { id: "capabilities" }, element("details", null,
        element("summary", null, "Capabilities: claimed, probed, proven"), tableOf(TABLE_KIND, "Capabilities", heads, rows)));
}

/* ---- causes of PyTorch's own tests ---- */

function upstreamRows({ cause, subject, words, tests, example, script, shown, clause, kept_by: kept }) {
    const program = (script || "none") + (script && !shown ? " (does not show it)" : "");
    const row = [rowHead(cause), ...[subject, words].map((text) => cell(text)), numberCell(tests), ...[example, program, clause].map((text) => cell(text))];
    if (!kept.length) return [row];
    const says = kept.length === 1 ? "this check says" : "these checks say";
    return [row, [element("td", { colspan: row.length }, badgeOf("fail", "contradicted"),
        ` These tests say that ${clause} is broken, ${says} that it is kept: ${kept.join(", ")}. One of the two is wrong.`)]];
}

function upstreamSection() {
    if (!DATA.upstream) return null;
    if (DATA.upstream.warning) return element("p.warning", null, DATA.upstream.warning);
    return section("causes", "Why PyTorch's own tests did not pass", element("p.note", null, "One line for each cause, the largest first."),
        tableOf("many", "Causes", ["Cause", "Subject", "Words", "Tests", "Example", "Program", "Clause"], DATA.upstream.causes.flatMap(upstreamRows)),
        ...DATA.upstream.no_longer.map((text) => element("p.note", null, `No longer so: ${text}`)));
}

/* `rows` are the checks, causes first; `choose` is called with the place of a module whose name is clicked. */
function showSums(rows, choose) {
    const names = DATA.modules.map(({ name }, place) => {
        const button = element("button", { type: "button" }, name);
        button.addEventListener("click", () => choose(String(place)));
        return rowHead(button);
    });
    byId("head").append(...(RUNS === 1 ? sumsOf(DATA.runs[0]) : []), ...DATA.runs.flatMap(warningsOf),
        RUNS === 1 ? factList(DATA.runs[0]) : factTable());
    byId("sums").append(...[firstSection(rows), RUNS === 1 ? modulesOfOne(names) : modulesOfSeveral(names), capabilitySection(),
        upstreamSection()].filter(Boolean));
}
