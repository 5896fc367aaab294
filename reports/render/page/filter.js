/* SPDX-License-Identifier: BSD-3-Clause
   The filters above the list: verdict, module, level, text, and where runs differ. They live in the
   address as well, so that a filtered view can be sent to a colleague. */
"use strict";

const filter = { verdicts: 0, module: "", level: "", text: "", differ: false };

function matches(row) {
    return (!filter.verdicts || (row.mask & filter.verdicts)) &&
        (filter.module === "" || row.m === Number(filter.module)) &&
        (filter.level === "" || row.l === Number(filter.level)) &&
        (!filter.differ || row.differs) &&
        (!filter.text || row.words.includes(filter.text));
}

function option(text, value) {
    return element("option", { value }, text);
}

function countVerdicts(rows) {
    const counts = DATA.verdicts.map(() => 0);
    for (const row of rows)
        for (let run = 0; run < RUNS; run++) {
            const verdict = verdictIn(row, run);
            if (verdict !== ABSENT) counts[verdict]++;
        }
    return counts;
}

/* Shows a chip for each verdict that occurs in the rows of a view. */
function showChips(rows, changed) {
    const chips = countVerdicts(rows).map((count, verdict) => {
        if (!count) return null;
        const chip = element("button", { type: "button", "data-verdict": verdict }, verdictBadge(verdict), ` ${count}`);
        chip.addEventListener("click", () => {
            filter.verdicts ^= 1 << verdict;
            changed();
        });
        return chip;
    });
    byId("verdicts").replaceChildren(...chips.filter(Boolean));
}

function showFilter() {
    for (const chip of byId("verdicts").children)
        chip.setAttribute("aria-pressed", String(Boolean(filter.verdicts & (1 << chip.dataset.verdict))));
    byId("module").value = filter.module;
    byId("level").value = filter.level;
    byId("differ").checked = filter.differ;
    if (byId("text").value.toLowerCase() !== filter.text) byId("text").value = filter.text;
}

function clearFilter() {
    Object.assign(filter, { verdicts: 0, module: "", level: "", text: "", differ: false });
}

function filterAddress() {
    const words = new URLSearchParams();
    const verdicts = DATA.verdicts.filter((_, i) => filter.verdicts & (1 << i)).map(({ name }) => name);
    if (verdicts.length) words.set("verdict", verdicts.join(","));
    if (filter.module !== "") words.set("module", MODULES[filter.module]);
    if (filter.level !== "") words.set("level", DATA.levels[filter.level]);
    if (filter.text) words.set("text", filter.text);
    if (filter.differ) words.set("differ", "1");
    return words.size ? `#?${words}` : "#";
}

function indexWord(list, word) {
    const index = list.indexOf(word);
    return index < 0 ? "" : String(index);
}

function filterFromAddress(address) {
    const words = new URLSearchParams(address);
    clearFilter();
    for (const name of (words.get("verdict") || "").split(",")) {
        const verdict = DATA.verdicts.findIndex((row) => row.name === name);
        if (verdict >= 0) filter.verdicts |= 1 << verdict;
    }
    filter.module = indexWord(MODULES, words.get("module"));
    filter.level = indexWord(DATA.levels, words.get("level"));
    filter.text = (words.get("text") || "").toLowerCase();
    filter.differ = words.get("differ") === "1";
}

function makeFilter(changed) {
    const form = byId("filters");
    byId("module").append(option("all", ""), ...MODULES.map((name, i) => option(name, i)));
    byId("level").append(option("all", ""), ...DATA.levels.map((name, i) => option(name, i)));
    byId("differ-label").hidden = RUNS < 2;
    for (const name of ["module", "level"])
        byId(name).addEventListener("change", (event) => {
            filter[name] = event.target.value;
            changed();
        });
    byId("differ").addEventListener("change", (event) => {
        filter.differ = event.target.checked;
        changed();
    });
    byId("text").addEventListener("input", (event) => {
        filter.text = event.target.value.toLowerCase();
        changed();
    });
    form.addEventListener("submit", (event) => event.preventDefault());
    form.addEventListener("reset", (event) => {
        event.preventDefault();
        clearFilter();
        changed();
    });
}
