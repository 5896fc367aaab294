/* SPDX-License-Identifier: BSD-3-Clause
   Connects the parts of the page: two views of one list, the keys, and addresses that name a check. */
"use strict";

const runColumns = () => DATA.runs.map(({ label }) => ({ kind: "run", title: label }));

function runCells(row) {
    return DATA.runs.map((_, run) => {
        const verdict = verdictIn(row, run);
        return element("td.run", null, verdict === ABSENT ? element("span.sr", null, "not in this run") : verdictBadge(verdict, true));
    });
}

/* The text of a folded bad row: the first observation, and the number of checks that the row blocks. */
function said(row) {
    const seen = Object.values(row.x || {}).find((one) => (one.s || one.r) && !one.k);
    if (!seen || !isBad(row)) return null;
    const line = element("div.said");
    if (row.b) line.append(element("b", null, `blocks ${row.b}`), "  ");
    line.append(seen.s || seen.r);
    return line;
}

function toggleCell(row) {
    return element("th", { scope: "row" }, element("button.toggle", { type: "button" }, row.id),
        element("a.hash", { href: `#${encodeURIComponent(row.id)}`, "aria-label": `Link to ${row.id}` }, "#"), said(row));
}

/* The lowest letter is the worst verdict. The sort is stable and keeps the contract's order. */
const worst = (row) => Math.min(...[...row.v].filter((letter) => letter !== "-").map((letter) => letter.charCodeAt(0)));
const levelCell = (row) => element("td.level", null, DATA.levels[row.l]);
const oneVerdict = (row) => element("td", null, verdictIn(row, 0) === ABSENT ? "" : verdictBadge(verdictIn(row, 0)));

const views = {
    checks: {
        title: "Checks",
        order: "causes first",
        rows: DATA.order.map(([row, under]) => Object.assign(DATA.checks[row], { u: under })),
        columns: RUNS === 1
            ? [{ kind: "verdict", title: "Verdict" }, { kind: "check", title: "Check" }, { kind: "level", title: "Level" },
                { kind: "covers", title: "Covers" }, { kind: "time", title: "Time" }]
            : [{ kind: "check", title: "Check" }, { kind: "level", title: "Level" }, ...runColumns()],
        cells: (row) => (RUNS === 1
            ? [oneVerdict(row), toggleCell(row), levelCell(row), element("td.covers", null, row.c.join(" ")),
                element("td.number.time", null, duration(row.t))]
            : [toggleCell(row), levelCell(row), ...runCells(row)]),
        detail: checkDetail,
    },
    requirements: {
        title: "Requirements",
        order: "worst first",
        rows: [...DATA.requirements].sort((a, b) => worst(a) - worst(b)),
        columns: RUNS === 1
            ? [{ kind: "verdict", title: "Verdict" }, { kind: "covers", title: "Requirement" }, { kind: "level", title: "Level" },
                { kind: "text", title: "Demand" }]
            : [{ kind: "check", title: "Requirement" }, { kind: "level", title: "Level" }, ...runColumns()],
        cells: (row) => (RUNS === 1
            ? [oneVerdict(row), toggleCell(row), levelCell(row), element("td", null, row.d || "")]
            : [toggleCell(row), levelCell(row), ...runCells(row)]),
        detail: requirementDetail,
    },
};

let current = "checks";
let table = null;

function refresh() {
    const view = views[current];
    const rows = view.rows.filter(matches);
    table.show(rows);
    showFilter();
    byId("count").textContent = `${rows.length} of ${view.rows.length} ${current}, ${view.order}`;
}

function changed() {
    history.replaceState(null, "", filterAddress());
    refresh();
}

function choose(name) {
    current = name;
    byId("list-title").textContent = views[name].title;
    for (const button of byId("views").children)
        button.setAttribute("aria-pressed", String(button.dataset.view === name));
    table = new Table(byId("table"), views[name]);
    showChips(views[name].rows, changed);
    refresh();
}

function goTo(id) {
    const name = ["checks", "requirements"].find((view) => views[view].rows.some((row) => row.id === id));
    if (!name) return;
    if (name !== current) choose(name);
    if (!table.lineOf(id)) {
        clearFilter();
        refresh();
    }
    const line = table.lineOf(id);
    if (!line.classList.contains("open")) table.toggle(line);
    line.scrollIntoView({ block: "center" });
    line.querySelector("button.toggle").focus({ preventScroll: true });
    line.classList.add("target-flash");
}

/* Returns "" for a malformed address, which a user may have typed. */
function decoded(text) {
    try {
        return decodeURIComponent(text);
    } catch {
        return "";
    }
}

function onAddress() {
    const address = location.hash.slice(1);
    if (address.startsWith("?")) {
        filterFromAddress(address.slice(1));
        refresh();
    } else goTo(decoded(address));
}

function onKey(event) {
    const typing = event.target.matches("input, select, textarea");
    if (event.key === "Escape" && event.target === byId("text")) {
        filter.text = "";
        changed();
    }
    if (typing || event.ctrlKey || event.metaKey || event.altKey) return;
    if (event.key === "/") {
        byId("text").focus();
        event.preventDefault();
    } else if (event.key === "j" || event.key === "k") table.move(event.key === "j" ? 1 : -1);
}

/* A click on a module's name above the list filters by this module. */
function chooseModule(place) {
    filter.module = place;
    changed();
    byId("list").scrollIntoView();
}

function start() {
    prepareAll();
    showSums(views.checks.rows, chooseModule);
    byId("list").hidden = false;
    document.body.prepend(element("a.jump", { href: "#list" }, "Skip to the checks"));
    for (const [name, { title }] of Object.entries(views)) {
        if (!views[name].rows.length && name !== "checks") continue;
        const button = element("button", { type: "button", "data-view": name, "aria-pressed": "false" }, title);
        button.addEventListener("click", () => choose(name));
        byId("views").append(button);
    }
    byId("list").classList.toggle("several", RUNS > 1);
    makeFilter(changed);
    choose("checks");
    byId("fold").addEventListener("click", () => table.foldAll());
    byId("table").addEventListener("click", (event) => {
        const button = event.target.closest("button.toggle");
        if (button) table.toggle(button.closest("tr"));
    });
    addEventListener("hashchange", onAddress);
    addEventListener("keydown", onKey);
    addEventListener("beforeprint", () => table.beforePrint());
    addEventListener("afterprint", () => table.afterPrint());
    /* On load, the browser itself goes to the fragment, which would take the focus back. */
    addEventListener("load", onAddress);
}

start();
