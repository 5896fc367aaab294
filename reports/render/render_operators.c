/* SPDX-License-Identifier: BSD-3-Clause
 *
 * See render_operators.h: text, JSON and CSV.
 */
#include "render_operators.h"

#include <stdio.h>
#include <string.h>

#include "json_write.h"
#include "operators_alike.h"
#include "terminal.h"

#define NAMES_SHOWN 12

/* ---- text ---- */

static void put_aspects(struct hn_buffer *out, const struct rp_operator_cell *cell)
{
    for (size_t i = 0; i < cell->aspect_count; i++) {
        const struct rp_aspect *aspect = &cell->aspects[i];
        struct hn_buffer names;
        hn_buffer_init(&names, out->limit);
        if (rp_operator_aspects_together(cell, i, &names))
            hn_buffer_printf(out, "          %s: %s %s  %s\n", names.text, aspect->verdict,
                             aspect->counts, aspect->text);
        hn_buffer_finish(&names);
    }
}

/* One line for all cells that ended in the same way. */
static void put_ends(struct hn_buffer *out, const struct rp_operator_matrix *matrix)
{
    for (size_t i = 0; i < matrix->operator_count; i++)
        for (size_t j = 0; j < matrix->dtypes.count; j++) {
            const struct rp_operator_cell *cell = &matrix->operators[i].cells[j];
            struct hn_buffer names;
            hn_buffer_init(&names, out->limit);
            if (cell->answer == RP_ENDED &&
                rp_operators_ended_alike(matrix, i, j, NAMES_SHOWN, &names))
                hn_buffer_printf(out, "%-9s %s\n          %s\n", rp_answer_names[RP_ENDED],
                                 cell->check->reason, names.text);
            hn_buffer_finish(&names);
        }
}

static void put_troubles(struct hn_buffer *out, const struct rp_operator_matrix *matrix)
{
    put_ends(out, matrix);
    for (int answer = RP_ENDED; answer <= RP_REFUSED; answer++)
        for (size_t i = 0; i < matrix->operator_count; i++)
            for (size_t j = 0; j < matrix->dtypes.count; j++) {
                const struct rp_operator_cell *cell = &matrix->operators[i].cells[j];
                if ((int)cell->answer != answer ||
                    (answer == RP_ENDED && !rp_operator_has_told(cell)))
                    continue;
                hn_buffer_printf(out, "%-9s %s %s\n", rp_answer_names[answer],
                                 matrix->operators[i].name, matrix->dtypes.items[j]);
                put_aspects(out, cell);
            }
}

/* Differences from the CPU that violate no must: one line for each aspect and observation. */
static void put_noted(struct hn_buffer *out, const struct rp_operator_matrix *matrix)
{
    for (size_t i = 0; i < matrix->operator_count; i++)
        for (size_t j = 0; j < matrix->dtypes.count; j++)
            for (size_t k = 0; k < matrix->operators[i].cells[j].aspect_count; k++) {
                const struct rp_aspect *aspect = &matrix->operators[i].cells[j].aspects[k];
                struct hn_buffer names;
                hn_buffer_init(&names, out->limit);
                if (rp_operators_noted_alike(matrix, i, j, k, NAMES_SHOWN, &names))
                    hn_buffer_printf(out, "noted     %s: %s\n          %s\n", aspect->name,
                                     aspect->text, names.text);
                hn_buffer_finish(&names);
            }
}

/* The operators that a vendor should implement next: called by real models, in the order of the
 * calls, without a kernel. */
static void put_to_do(struct hn_buffer *out, const struct rp_operator_matrix *matrix)
{
    size_t unasked = 0;
    hn_buffer_puts(out, "to do, in the order of use by models\n");
    for (size_t i = 0; i < matrix->used_count; i++) {
        const struct rp_used_operator *used = &matrix->used[i];
        unasked += used->answer == RP_UNASKED;
        if (rp_operator_is_to_do(used))
            hn_buffer_printf(out, "  %-9s %-48s %ld of %ld models, %ld calls\n",
                             rp_answer_names[used->answer], used->name, used->models,
                             matrix->models, used->calls);
    }
    if (unasked)
        hn_buffer_printf(out, "  %zu more that no check of this run reached\n", unasked);
}

int rp_operators_text(const struct rp_run *run, const struct rp_operator_matrix *matrix,
                      struct hn_buffer *out)
{
    const struct rp_coverage sum = rp_operator_coverage(matrix);
    struct hn_buffer text;
    hn_buffer_init(&text, out->limit);
    put_troubles(&text, matrix);
    put_noted(&text, matrix);
    if (matrix->used_count)
        put_to_do(&text, matrix);
    hn_buffer_printf(&text, "%s: %zu operators on torch %s;", run->target, matrix->operator_count,
                     run->torch_version);
    for (int i = 0; i < RP_UNASKED; i++)
        if (matrix->totals[i])
            hn_buffer_printf(&text, " %zu %s", matrix->totals[i], rp_answer_names[i]);
    hn_buffer_printf(&text, "\nright: %zu of %zu pairs of operator and dtype", sum.right,
                     sum.cells);
    if (sum.used)
        hn_buffer_printf(&text,
                         "; %zu of %zu operators that %ld models use, %ld of their %ld calls",
                         sum.used_right, sum.used, matrix->models, sum.calls_right, sum.calls);
    hn_buffer_puts(&text, "\n");
    hn_terminal_filter(out, text.text, text.length);
    hn_buffer_finish(&text);
    return out->status;
}

/* ---- JSON: a row for each aspect ---- */

static void write_row(struct hn_json_writer *writer, const struct rp_operator *row,
                      const char *dtype, const struct rp_operator_cell *cell,
                      const struct rp_aspect *aspect)
{
    hn_write_object(writer, NULL);
    hn_write_text(writer, "name", row->name);
    hn_write_text(writer, "dtype", dtype);
    hn_write_text(writer, "aspect", aspect ? aspect->name : "all");
    hn_write_text(writer, "verdict", aspect ? aspect->verdict : rp_answer_names[cell->answer]);
    hn_write_text(writer, "where", rp_answer_names[cell->answer]);
    hn_write_text(writer, "counts", aspect ? aspect->counts : "");
    hn_write_text(writer, "seen", aspect ? aspect->text : cell->check->reason);
    hn_write_object_end(writer);
}

/* The sample at which the process ended: the last mark is "assay/operators/aspects.py
 * (neg_view):77". */
static void write_end(struct hn_json_writer *writer, const struct rp_operator *row,
                      const char *dtype, const struct rp_operator_cell *cell)
{
    char name[40] = "";
    const char *mark = strchr(cell->check->location, '(');
    if (mark)
        snprintf(name, sizeof name, "%.*s", (int)strcspn(mark + 1, ")"), mark + 1);
    const struct rp_aspect last = {name[0] ? name : "all", rp_answer_names[RP_ENDED], "",
                                   cell->check->reason};
    write_row(writer, row, dtype, cell, &last);
}

static void write_cell(struct hn_json_writer *writer, const struct rp_operator *row,
                       const char *dtype, const struct rp_operator_cell *cell)
{
    if (!cell->check)
        return;
    for (size_t i = 0; i < cell->aspect_count; i++)
        write_row(writer, row, dtype, cell, &cell->aspects[i]);
    if (cell->answer == RP_ENDED)
        write_end(writer, row, dtype, cell);
    else if (!cell->aspect_count)
        write_row(writer, row, dtype, cell, NULL);
}

static void write_used(struct hn_json_writer *writer, const struct rp_operator_matrix *matrix)
{
    hn_write_array(writer, "used");
    for (size_t i = 0; i < matrix->used_count; i++) {
        hn_write_object(writer, NULL);
        hn_write_text(writer, "name", matrix->used[i].name);
        hn_write_integer(writer, "models", matrix->used[i].models);
        hn_write_integer(writer, "calls", matrix->used[i].calls);
        hn_write_text(writer, "where", rp_answer_names[matrix->used[i].answer]);
        hn_write_object_end(writer);
    }
    hn_write_array_end(writer);
}

static void write_totals(struct hn_json_writer *writer, const struct rp_operator_matrix *matrix)
{
    const struct rp_coverage sum = rp_operator_coverage(matrix);
    hn_write_object(writer, "totals");
    hn_write_integer(writer, "operators", (int64_t)matrix->operator_count);
    hn_write_integer(writer, "pairs", (int64_t)sum.cells);
    hn_write_integer(writer, "right", (int64_t)sum.right);
    for (int i = 0; i < RP_UNASKED; i++)
        hn_write_integer(writer, rp_answer_names[i], (int64_t)matrix->totals[i]);
    hn_write_integer(writer, "used", (int64_t)sum.used);
    hn_write_integer(writer, "used_right", (int64_t)sum.used_right);
    hn_write_integer(writer, "calls", sum.calls);
    hn_write_integer(writer, "calls_right", sum.calls_right);
    hn_write_object_end(writer);
}

int rp_operators_json(const struct rp_run *run, const struct rp_operator_matrix *matrix,
                      struct hn_buffer *out)
{
    struct hn_json_writer writer;
    hn_write_document(&writer, out, "assay/ops/1");
    hn_write_text(&writer, "target", run->target);
    hn_write_text(&writer, "torch", run->torch_version);
    hn_write_texts(&writer, "dtypes", &matrix->dtypes);
    hn_write_integer(&writer, "models", matrix->models);
    hn_write_array(&writer, "operators");
    for (size_t i = 0; i < matrix->operator_count; i++)
        for (size_t j = 0; j < matrix->dtypes.count; j++)
            write_cell(&writer, &matrix->operators[i], matrix->dtypes.items[j],
                       &matrix->operators[i].cells[j]);
    hn_write_array_end(&writer);
    write_used(&writer, matrix);
    write_totals(&writer, matrix);
    return hn_write_document_end(&writer);
}

/* ---- CSV: a line for each operator ---- */

int rp_operators_csv(const struct rp_run *run, const struct rp_operator_matrix *matrix,
                     struct hn_buffer *out)
{
    (void)run;
    hn_buffer_puts(out, "operator");
    for (size_t j = 0; j < matrix->dtypes.count; j++)
        hn_buffer_printf(out, ",%s", matrix->dtypes.items[j]);
    for (size_t i = 0; i < matrix->operator_count; i++) {
        hn_buffer_printf(out, "\n%s", matrix->operators[i].name);
        for (size_t j = 0; j < matrix->dtypes.count; j++)
            hn_buffer_printf(out, ",%s", rp_answer_names[matrix->operators[i].cells[j].answer]);
    }
    return hn_buffer_putc(out, '\n');
}
