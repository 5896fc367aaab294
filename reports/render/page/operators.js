/* SPDX-License-Identifier: BSD-3-Clause
   The page of assay ops: totals, operators that are not right, differences that are noted, what models use, all. */
"use strict";

/* Maps each answer, worst first, to the verdict whose colour it has. */
const LOOKS = { ended: "crash", wrong: "fail", undecided: "broken", refused: "blocked", fallback: "noted", composite: "unobservable",
    native: "pass", unasked: "nothing" };
const TROUBLES = ["ended", "wrong", "undecided", "refused"];
const RIGHT = new Set(["fallback", "composite", "native"]);
const isTold = ({ verdict }) => ["wrong", "noted", "refused"].includes(verdict);
const answerBadge = (answer) => badgeOf(LOOKS[answer], answer);
const idHead = (name) => element("th.id", { scope: "row" }, name);
const pairName = ({ name, dtype }) => `${name} ${dtype}`;

/* Groups the items with the same key, in the order of the first item of each group. */
function grouped(list, keyOf) {
    const groups = new Map();
    for (const one of list) {
        const key = keyOf(one);
        if (!groups.has(key)) groups.set(key, []);
        groups.get(key).push(one);
    }
    return [...groups.values()];
}

/* A cell is an operator and a dtype. A row without an aspect says how the whole cell ended. */
const CELLS = grouped(DATA.operators, pairName).map((rows) => {
    const aspects = rows.filter(({ aspect, verdict }) => verdict !== "ended" && aspect !== "all");
    const whole = rows.find((row) => !aspects.includes(row));
    return { name: rows[0].name, dtype: rows[0].dtype, answer: rows[0].where, aspects, reason: whole ? whole.seen : "" };
});

function details(summary, text) {
    return element("details", null, element("summary", null, summary), text);
}

function aspectsOf({ aspects, reason }) {
    if (!aspects.length) return [reason];
    return grouped(aspects.filter(isTold), ({ verdict, seen }) => `${verdict} ${seen}`).map((alike) => {
        const [{ verdict, counts, seen }] = alike;
        return element("div", null, element("b", null, alike.map(({ aspect }) => aspect).join(", ")), ` ${verdict} ${counts} ${seen}`);
    });
}

/* One row for all cells that ended in the same way, often because of one defect. */
function endRows() {
    return grouped(CELLS.filter(({ answer }) => answer === "ended"), ({ reason }) => reason).map((alike) => [
        rowHead(`${alike.length} ${alike.length === 1 ? "pair" : "pairs"}`), cell(), cell(answerBadge("ended")),
        cell(alike[0].reason, details("which", alike.map(pairName).join(", ")))]);
}

function troubleRows() {
    const rows = TROUBLES.flatMap((wanted) => CELLS.filter(({ answer, aspects }) =>
        answer === wanted && (answer !== "ended" || aspects.some(isTold))));
    return [...endRows(), ...rows.map((one) => [idHead(one.name), cell(one.dtype), cell(answerBadge(one.answer)), cell(...aspectsOf(one))])];
}

/* The text of a difference without the sample that showed the difference. */
const kindOf = (seen) => seen.split(", of (")[0];

function notedRows() {
    const noted = CELLS.filter(({ answer }) => RIGHT.has(answer)).flatMap(({ aspects }) => aspects.filter(isTold));
    return grouped(noted, ({ aspect, seen }) => `${aspect} ${kindOf(seen)}`).map((alike) => {
        const names = new Set(alike.map(pairName));
        return [idHead(alike[0].aspect), cell(alike[0].seen), cell(details(String(names.size), [...names].join(", ")))];
    });
}

function usedRows() {
    return DATA.used.filter(({ where }) => !["native", "composite", "unasked"].includes(where)).map(({ name, where, models, calls }) =>
        [idHead(name), cell(answerBadge(where)), cell(`${models} of ${DATA.models}`), cell(String(calls))]);
}

function allRows() {
    const answers = new Map(CELLS.map((one) => [pairName(one), one.answer]));
    return grouped(CELLS, ({ name }) => name).map(([{ name }]) => [idHead(name), ...DATA.dtypes.map((dtype) => {
        const answer = answers.get(pairName({ name, dtype })) || "unasked";
        return element(`td.cell.${LOOKS[answer]}`, null, answer === "unasked" ? "-" : answer);
    })]);
}

function tableSection(id, title, note, heads, rows) {
    return section(id, title, element("p.note", null, note), tableOf("many", title, heads,
        rows.length ? rows : [[cell("nothing"), ...heads.slice(1).map(() => cell())]]));
}

function showOperators() {
    const { totals, target, torch, dtypes } = DATA;
    const facts = [["Target", target], ["torch", torch],
        ["Right", `${totals.right} of ${totals.pairs} pairs of ${totals.operators} operators and ${dtypes.length} dtype${dtypes.length === 1 ? "" : "s"}`]];
    if (totals.used)
        facts.push(["Of what models use", `${totals.used_right} of ${totals.used} operators, ${totals.calls_right} of ${totals.calls} calls in a ` +
            `training step of ${DATA.models} models`]);
    byId("head").append(
        element("p.verdict-line", null, ...Object.keys(LOOKS).map((answer) => (totals[answer]
            ? element("span.level-sum", null, `${answer} `, element("b", null, String(totals[answer]))) : null))),
        element("dl.facts", null, ...facts.map(([name, text]) => element("div", null, element("dt", null, name), element("dd", null, text)))));
    byId("sums").append(
        tableSection("troubles", "Not right", "Worst first. A way of asking says how many samples of how many; what each asks is in " +
            "suites/opinfo/README.md.", ["Operator", "dtype", "Answer", "How it was asked"], troubleRows()),
        tableSection("noted", "Noted", "Different from the CPU, where no must applies.", ["Way of asking", "Seen", "Operators and dtypes"], notedRows()),
        ...(DATA.used.length ? [tableSection("used", "To do, in the order of use", "Operators that public models call in a training step, and that " +
            "neither a kernel of the backend nor core makes of others. What no check of this run came to is left out.",
        ["To do", "Answer", "Models", "Calls"], usedRows())] : []),
        tableSection("operators", "Operators x dtypes", "native: a kernel of the backend; composite: made of other operators by core; fallback: right, " +
            "but computed on the CPU; -: not for this dtype.", ["Operator", ...dtypes], allRows()));
}

showOperators();
