/* SPDX-License-Identifier: BSD-3-Clause
   The list: one table that creates its rows in chunks, so that a hundred thousand cells scroll as
   easily as a hundred. A chunk is a tbody. If it is out of sight, it is one empty row of that height. */
"use strict";

const CHUNK = 40;
const ROW_HEIGHT = 34;

/* `view` has columns(), cells(row) and detail(row). `rows` are the rows that pass the filter. */
class Table {
    constructor(place, view) {
        this.place = place;
        this.view = view;
        this.open = new Set();
        this.watcher = new IntersectionObserver((entries) => this.onSight(entries), { rootMargin: "1200px 0px" });
    }

    show(rows) {
        this.rows = rows;
        this.watcher.disconnect();
        this.table = element("table.rows", { "aria-labelledby": "list-title", "aria-rowcount": rows.length + 1 });
        this.table.append(element("colgroup", null, ...this.view.columns.map(({ kind }) => element(`col.c-${kind}`))));
        this.table.append(element("thead", null, element("tr", { "aria-rowindex": 1 },
            ...this.view.columns.map(({ kind, title }) => element(`th.${kind}`, { scope: "col" }, element("span", null, title))))));
        this.chunks = [];
        for (let from = 0; from < rows.length; from += CHUNK) {
            const body = element("tbody");
            const chunk = { body, from, to: Math.min(from + CHUNK, rows.length), height: 0, filled: false };
            body.chunk = chunk;
            this.chunks.push(chunk);
            this.empty(chunk);
            this.table.append(body);
        }
        this.chunks.slice(0, 2).forEach((chunk) => this.fill(chunk));
        this.place.replaceChildren(this.table);
        this.chunks.forEach((chunk) => this.watcher.observe(chunk.body));
    }

    onSight(entries) {
        for (const { target, isIntersecting } of entries) {
            const { chunk } = target;
            if (isIntersecting) this.fill(chunk);
            else if (chunk.filled && !target.contains(document.activeElement) && !this.keep) {
                chunk.height = target.getBoundingClientRect().height;
                this.empty(chunk);
            }
        }
    }

    empty(chunk) {
        const cell = element("td", { colspan: this.view.columns.length });
        cell.style.height = `${chunk.height || (chunk.to - chunk.from) * ROW_HEIGHT}px`;
        chunk.filled = false;
        chunk.body.replaceChildren(element("tr.gap", { "aria-hidden": "true" }, cell));
    }

    fill(chunk) {
        if (chunk.filled) return;
        chunk.filled = true;
        const lines = [];
        for (let i = chunk.from; i < chunk.to; i++) lines.push(...this.lines(i));
        chunk.body.replaceChildren(...lines);
    }

    lines(index) {
        const row = this.rows[index];
        const isOpen = this.open.has(row.id);
        const line = element(`tr.check${row.u ? ".under" : ""}${isOpen ? ".open" : ""}`,
            { id: row.id, "aria-rowindex": index + 2, "data-index": index }, ...this.view.cells(row));
        const toggle = line.querySelector("button.toggle");
        toggle.setAttribute("aria-expanded", String(isOpen));
        if (isOpen) toggle.setAttribute("aria-controls", `${row.id}:detail`);
        return isOpen ? [line, this.detail(row)] : [line];
    }

    detail(row) {
        return element("tr.detail", { id: `${row.id}:detail` },
            element("td", { colspan: this.view.columns.length }, this.view.detail(row)));
    }

    toggle(line) {
        const row = this.rows[line.dataset.index];
        const isOpen = !this.open.delete(row.id);
        if (isOpen) this.open.add(row.id);
        line.classList.toggle("open", isOpen);
        const button = line.querySelector("button.toggle");
        button.setAttribute("aria-expanded", String(isOpen));
        if (isOpen) {
            button.setAttribute("aria-controls", `${row.id}:detail`);
            line.after(this.detail(row));
        } else {
            button.removeAttribute("aria-controls");
            line.nextElementSibling.remove();
        }
    }

    foldAll() {
        this.open.clear();
        this.show(this.rows);
    }

    /* Returns the line of a row, and creates the line if needed. Null: the filter hides the row. */
    reach(index) {
        const chunk = this.chunks[Math.floor(index / CHUNK)];
        if (!chunk) return null;
        this.fill(chunk);
        return chunk.body.querySelector(`tr[data-index="${index}"]`);
    }

    lineOf(id) {
        const index = this.rows.findIndex((row) => row.id === id);
        return index < 0 ? null : this.reach(index);
    }

    /* Moves the focus to the next or previous row. */
    move(by) {
        const line = document.activeElement.closest("tr[data-index]");
        const index = line ? Number(line.dataset.index) + by : 0;
        if (index < 0 || index >= this.rows.length) return;
        this.reach(index).querySelector("button.toggle").focus();
    }

    /* Before printing: shows all rows, and the details of failed ones, because paper does not scroll. */
    beforePrint() {
        this.keep = new Set(this.open);
        this.rows.filter(isBad).slice(0, 400).forEach((row) => this.open.add(row.id));
        this.chunks.slice(0, 100).forEach((chunk) => {
            chunk.filled = false;
            this.fill(chunk);
        });
    }

    afterPrint() {
        this.open = this.keep;
        this.keep = null;
        this.show(this.rows);
    }
}
