/* SPDX-License-Identifier: BSD-3-Clause
   The data of a page, and the elements that pages are made of. Texts of checks are foreign: they
   reach the page through textContent alone. */
"use strict";

/* Control, direction and invisible characters are shown as escapes, so that a reader sees them. */
const HIDDEN = /[\0-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb]/g;

function writtenOut(character) {
    const number = character.charCodeAt(0);
    return number < 256 ? `\\x${number.toString(16).padStart(2, "0")}` : `\\u${number.toString(16).padStart(4, "0")}`;
}

const DATA = JSON.parse(document.getElementById("data").textContent,
    (_, value) => (typeof value === "string" ? value.replace(HIDDEN, writtenOut) : value));
const byId = (id) => document.getElementById(id);

/* element("a.plain", {href: "#x"}, child, "text", ...) creates an element without parsing HTML. */
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

const badgeOf = (look, word) => element(`span.v.${look}`, null, word);

function section(id, title, ...parts) {
    return element("section", { id, "aria-labelledby": `${id}-title` },
        element("div.section-head", null, element("h2", { id: `${id}-title` }, title)), ...parts);
}

/* `heads` are texts or cells; each row is a list of cells. */
function tableOf(kind, label, heads, rows, foot = []) {
    const head = (one) => (typeof one === "string" ? element("th", { scope: "col" }, one) : one);
    return element("div.scroll", { tabindex: "0", role: "group", "aria-label": label }, element(`table.matrix.${kind}`, { "aria-label": label },
        element("thead", null, element("tr", null, ...heads.map(head))),
        element("tbody", null, ...rows.map((cells) => element("tr", null, ...cells))),
        element("tfoot", null, ...foot.map((cells) => element("tr", null, ...cells)))));
}

const rowHead = (...parts) => element("th", { scope: "row" }, ...parts);
const cell = (...parts) => element("td", null, ...parts);
const numberCell = (count) => element(`td.number${count ? "" : ".nothing"}`, null, String(count));
