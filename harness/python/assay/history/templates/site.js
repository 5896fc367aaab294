/* SPDX-License-Identifier: BSD-3-Clause
   Copying a table, and the comparison of two nights of window.nights, the script file beside the page. */
"use strict";
for (const button of document.querySelectorAll("[data-copy]")) {
    button.addEventListener("click", async () => {
        const source = document.getElementById(button.dataset.copy);
        const said = button.parentElement.querySelector("[role=status]");
        try {
            await navigator.clipboard.writeText(source.textContent);
            said.textContent = "copied";
        } catch {
            getSelection().selectAllChildren(source);
            said.textContent = "selected: copy it with the keyboard";
        }
    });
}
function wordAt(changes, night) {
    let word = "";
    for (const [since, said] of changes)
        if (since <= night) word = said;
    return word === "gone" ? "" : word;
}
function verdictOf(word) {
    const mark = document.createElement("span");
    mark.className = word ? `v ${window.nights.looks[word] || "skip"}` : "nothing";
    mark.textContent = word || "not in the contract";
    return mark;
}
function compare(from, to) {
    const rows = document.getElementById("rows");
    rows.replaceChildren();
    for (const [kind, name, changes] of window.nights.facts) {
        const before = wordAt(changes, from), after = wordAt(changes, to);
        if (before === after) continue;
        const row = rows.insertRow(), head = document.createElement("th");
        head.scope = "row";
        head.textContent = name;
        row.append(head);
        row.insertCell().textContent = kind;
        row.insertCell().append(verdictOf(before));
        row.insertCell().append(verdictOf(after));
    }
    document.getElementById("count").textContent =
        rows.rows.length ? `${rows.rows.length} differ` : "nothing differs between these two nights";
}
if (window.nights) {
    const from = document.getElementById("from"), to = document.getElementById("to");
    for (const [place, night] of window.nights.runs.entries())
        for (const list of [from, to])
            list.add(new Option(`${night.date.slice(0, 10)} torch ${night.torch} ${night.state}`, place));
    from.selectedIndex = Math.max(0, from.length - 2);
    to.selectedIndex = to.length - 1;
    for (const list of [from, to])
        list.addEventListener("change", () => compare(from.selectedIndex, to.selectedIndex));
    compare(from.selectedIndex, to.selectedIndex);
}
